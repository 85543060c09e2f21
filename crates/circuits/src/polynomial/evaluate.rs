//! Evaluation of a Chebyshev series.

use asanoha_scheme::capability::RealArithmetic;

use super::{Chebyshev, chebyshev::divided};

/// Σ cₖ·Tₖ(y) for y in [−1, 1], where [`Chebyshev::to_unit`] maps the interval, by Paterson–Stockmeyer in the
/// Chebyshev basis (Chen, Chillotti, Song 2019): about 2√d products, depth ⌈log2(d + 1)⌉ in products, and the
/// constant multiplications of the coefficients at the leaves.
///
/// Tₖ is at most 1 on [−1, 1] and grows like (2y)ᵏ outside. So the bound on y must be at most 1, and then it's at most 1 for
/// every power. That holds for the exact message: noise, which may lead out of the interval, is counted apart, by the products
/// that it goes through.
///
/// # Errors
/// That of [`RealArithmetic::check_interval`] if the bound on y is above 1; those of the arithmetic. A caller who knows more of
/// the values than their bound says narrows it before (`narrow_bound` of a ciphertext), and answers for that.
pub fn evaluate<A: RealArithmetic>(
    arithmetic: &A,
    series: &Chebyshev,
    y: &A::Value,
) -> Result<A::Value, A::Error> {
    arithmetic.check_interval(y, series.middle, series.half)?;
    let degree = series.coefficients.len() - 1;
    // Baby steps T₁ … T_{b−1} with b about √(2d), giant steps T_b, T_2b, T_4b, …
    let baby_bits = ((degree + 1) as f64 * 2.0).log2().div_euclid(2.0).max(1.0) as u32;
    let mut basis = Basis { powers: vec![None; 1 << baby_bits], giants: Vec::new() };
    basis.powers[1] = Some(y.clone());
    basis.powers(arithmetic, baby_bits, degree)?;
    let value = basis.series(arithmetic, &series.coefficients)?;
    match value {
        Sum::Value(value) => Ok(value),
        // A constant function: y − y and the constant.
        Sum::Constant(c) => {
            let zero = arithmetic.sub(y, y)?;
            arithmetic.add_constant(&zero, c)
        }
    }
}

/// The Chebyshev polynomials of y that are at hand.
struct Basis<V> {
    /// Tₖ for k below 2^baby_bits; those that aren't needed are missing.
    powers: Vec<Option<V>>,
    /// T at 2^baby_bits, 2^(baby_bits+1), …
    giants: Vec<V>,
}

/// A part of the series, which may be only a constant.
enum Sum<V> {
    Value(V),
    Constant(f64),
}

impl<V: Clone> Basis<V> {
    /// Computes the baby steps that a series of the given degree needs, and the giant ones.
    fn powers<A: RealArithmetic<Value = V>>(
        &mut self,
        a: &A,
        baby_bits: u32,
        degree: usize,
    ) -> Result<(), A::Error> {
        for k in 2..self.powers.len().min(degree + 1) {
            // T_k = 2·T_i·T_j − T_{i−j} with i + j = k and i the half rounded up: the least depth.
            let (i, j) = (k.div_ceil(2), k / 2);
            let product = a.multiply(self.at(i), self.at(j))?;
            let doubled = a.add(&product, &product)?;
            let power = if i == j { a.add_constant(&doubled, -1.0)? } else { a.sub(&doubled, self.at(1))? };
            self.powers[k] = Some(a.bounded(power, 1.0)?);
        }
        let mut order = 1 << baby_bits;
        while order <= degree {
            let half = self.giants.last().unwrap_or_else(|| self.at(order / 2));
            let square = a.multiply(half, half)?;
            let doubled = a.add(&square, &square)?;
            let giant = a.add_constant(&doubled, -1.0)?;
            self.giants.push(a.bounded(giant, 1.0)?);
            order *= 2;
        }
        Ok(())
    }

    fn at(&self, k: usize) -> &V {
        self.powers[k].as_ref().expect("computed in ascending order")
    }

    /// Σ cₖ·Tₖ.
    fn series<A: RealArithmetic<Value = V>>(&self, a: &A, coefficients: &[f64]) -> Result<Sum<V>, A::Error> {
        let babies = self.powers.len();
        let degree = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        if degree < babies {
            return self.leaf(a, &coefficients[..=degree]);
        }
        // The largest giant step g ≤ degree: p = q·T_g + r by T_{g+i} = 2·T_g·T_i − T_{g−i}.
        let index = (degree / babies).ilog2() as usize;
        let order = babies << index;
        let [quotient, remainder] = divided(&coefficients[..=degree], order);
        let giant = &self.giants[index];
        let high = match self.series(a, &quotient)? {
            Sum::Value(value) => a.multiply(&value, giant)?,
            Sum::Constant(c) => a.mul_constant(giant, c)?,
        };
        Ok(Sum::Value(match self.series(a, &remainder)? {
            Sum::Value(low) => a.add(&high, &low)?,
            Sum::Constant(0.0) => high,
            Sum::Constant(c) => a.add_constant(&high, c)?,
        }))
    }

    /// Σ cₖ·Tₖ over baby steps.
    fn leaf<A: RealArithmetic<Value = V>>(&self, a: &A, coefficients: &[f64]) -> Result<Sum<V>, A::Error> {
        let mut sum: Option<V> = None;
        for (k, &c) in coefficients.iter().enumerate().skip(1).filter(|(_, c)| **c != 0.0) {
            let term = a.mul_constant(self.at(k), c)?;
            sum = Some(match sum {
                None => term,
                Some(sum) => a.add(&sum, &term)?,
            });
        }
        let constant = coefficients[0];
        Ok(match sum {
            None => Sum::Constant(constant),
            Some(sum) if constant == 0.0 => Sum::Value(sum),
            Some(sum) => Sum::Value(a.add_constant(&sum, constant)?),
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::{cell::Cell, convert::Infallible};

    use asanoha_scheme::capability::{Additive, Constants, Multiplicative, ValueTypes};

    use super::*;

    /// Plain numbers with the depth that they took, in products, and in products and constants.
    #[derive(Default)]
    pub(in super::super) struct Plain {
        products: Cell<usize>,
    }

    type Number = (f64, usize, usize);

    impl ValueTypes for Plain {
        type Value = Number;
        type Error = Infallible;
    }

    impl Additive for Plain {
        fn add(&self, a: &Number, b: &Number) -> Result<Number, Infallible> {
            Ok((a.0 + b.0, a.1.max(b.1), a.2.max(b.2)))
        }
        fn sub(&self, a: &Number, b: &Number) -> Result<Number, Infallible> {
            Ok((a.0 - b.0, a.1.max(b.1), a.2.max(b.2)))
        }
    }

    impl Multiplicative for Plain {
        fn multiply(&self, a: &Number, b: &Number) -> Result<Number, Infallible> {
            self.products.set(self.products.get() + 1);
            Ok((a.0 * b.0, a.1.max(b.1) + 1, a.2.max(b.2) + 1))
        }
    }

    impl Constants for Plain {
        fn add_constant(&self, a: &Number, c: f64) -> Result<Number, Infallible> {
            Ok((a.0 + c, a.1, a.2))
        }
        fn mul_constant(&self, a: &Number, k: f64) -> Result<Number, Infallible> {
            Ok((a.0 * k, a.1, a.2 + 1))
        }
    }

    impl RealArithmetic for Plain {
        fn check_interval(&self, y: &Number, _: f64, _: f64) -> Result<(), Infallible> {
            assert!(y.0.abs() <= 1.0);
            Ok(())
        }
    }

    #[test]
    fn evaluation_equals_the_series_with_logarithmic_depth_and_few_products() {
        for degree in 0..200usize {
            let coefficients: Vec<f64> = (0..=degree).map(|k| ((k * k + 3) as f64).sin() + 0.1).collect();
            let series = Chebyshev { coefficients, middle: 0.5, half: 2.0, error: 0.0 };
            for x in [-1.5, -0.3, 0.5, 1.1, 2.5] {
                let plain = Plain::default();
                let (value, depth, _) = evaluate(&plain, &series, &(series.to_unit(x), 0, 0)).unwrap();
                assert!((value - series.value(x)).abs() < 1e-8, "degree {degree} at {x}");
                assert!(
                    depth <= (degree + 1).next_power_of_two().ilog2() as usize,
                    "degree {degree}: {depth}"
                );
                assert!(plain.products.get() as f64 <= 2.0 * ((degree + 1) as f64 * 2.0).sqrt() + 8.0);
            }
        }
    }
}
