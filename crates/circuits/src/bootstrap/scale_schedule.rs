//! Polynomials whose levels and scales are planned: every value stands at a depth, and its scale is exact there.

use std::borrow::Cow;

use asanoha_lattice::Level;
use asanoha_scheme::{Approximate, Operand, Operations, SchemeError};

use crate::polynomial::divided;

/// Levels of a circuit: products at a depth are divided by the primes down to the next one's level.
#[derive(Clone, Debug)]
pub(super) struct ScaleSchedule {
    levels: Vec<Level>,
    /// The product of the primes between a depth and the next.
    steps: Vec<f64>,
}

impl ScaleSchedule {
    /// From a level on, with so many primes a step.
    pub(super) fn new(scheme: &impl Approximate, highest: Level, primes: &[usize]) -> Self {
        let mut levels = vec![highest];
        let mut steps = Vec::new();
        for &count in primes {
            let Level(above) = levels[levels.len() - 1];
            levels.push(Level(above - count));
            steps.push(
                scheme.rlwe().q(Level(above)).range(above + 1 - count..above + 1).log2_product().exp2(),
            );
        }
        Self { levels, steps }
    }

    /// The level of a depth.
    pub(super) fn level(&self, depth: usize) -> Level {
        self.levels[depth]
    }

    /// The scale at the depth before the last so many squarings whose result has a scale.
    pub(super) fn scale_before(&self, squarings: u32, scale: f64) -> f64 {
        let last = self.steps.iter().rev().take(squarings as usize);
        last.fold(scale, |scale, step| (scale * step).sqrt())
    }

    /// What products at a depth are divided by; at the last depth what the one before was.
    pub(super) fn step(&self, depth: usize) -> f64 {
        self.steps[depth.min(self.steps.len() - 1)]
    }
}

/// A value and its depth.
#[derive(Clone, Debug)]
pub(super) struct At<V> {
    pub(super) value: V,
    pub(super) depth: usize,
}

/// A sum before the division that leads one deeper.
struct Undivided<V> {
    value: V,
    /// Whether it's of three parts.
    is_product: bool,
}

/// Operations on values of depths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Climb<'a, S: Approximate, V: Operand<S>> {
    pub(super) operations: &'a Operations<S, V>,
    pub(super) schedule: &'a ScaleSchedule,
}

/// Chebyshev polynomials of smaller degrees than this are summed as they are.
const BABIES: usize = 4;

impl<S: Approximate, V: Operand<S>> Climb<'_, S, V> {
    /// The value where a depth's operations take place.
    fn at<'v>(&self, a: &'v At<V>, depth: usize) -> Result<Cow<'v, V>, SchemeError> {
        self.operations.lowered(&a.value, self.schedule.level(depth))
    }

    fn scale(a: &V) -> f64 {
        a.state().scale()
    }

    /// A product at a depth, of three parts, divided: one deeper.
    fn divided(&self, product: V, depth: usize) -> Result<At<V>, SchemeError> {
        let value = self.operations.relinearise_rescaled(product, self.schedule.level(depth + 1))?;
        Ok(At { value, depth: depth + 1 })
    }

    /// A sum of multiples at a depth, of two parts, divided: one deeper.
    fn rescaled(&self, sum: &V, depth: usize) -> Result<At<V>, SchemeError> {
        let value = self.operations.rescale_to(sum, self.schedule.level(depth + 1))?;
        Ok(At { value, depth: depth + 1 })
    }

    fn square(&self, a: &At<V>) -> Result<At<V>, SchemeError> {
        self.divided(self.operations.square_without_relinearise(&a.value)?, a.depth)
    }

    /// 2·a·b − c, where c is 1 or a value that is given, known to be at most 1 in size.
    fn doubled(&self, a: &At<V>, b: &At<V>, c: Option<&At<V>>) -> Result<At<V>, SchemeError> {
        let (operations, depth) = (self.operations, a.depth.max(b.depth));
        let mut sum = if std::ptr::eq(a, b) {
            operations.square_without_relinearise(&a.value)?
        } else {
            let (a, b) = (self.at(a, depth)?, self.at(b, depth)?);
            // A smaller scale, of an operand from further above, would leave the product less precise than its neighbours.
            let factor = (Self::scale(&a) / Self::scale(&b)).round();
            let b =
                if factor > 1.0 { Cow::Owned(operations.mul_constant_exact(&b, (1.0, factor))?) } else { b };
            operations.multiply_without_relinearise(&a, &b)?
        };
        operations.mul_constant_assign_exact(&mut sum, (2.0, 1.0))?;
        if let Some(c) = c {
            let c = self.at(c, depth)?;
            let factor = Self::scale(&sum) / Self::scale(&c);
            operations.sub_assign(&mut sum, &operations.mul_constant_exact(&c, (1.0, factor))?)?;
        }
        let mut out = self.divided(sum, depth)?;
        if c.is_none() {
            operations.add_constant_assign(&mut out.value, -1.0)?;
        }
        self.bounded(out, 1.0)
    }

    /// The same value, known to be within a bound.
    pub(super) fn bounded(&self, a: At<V>, bound: f64) -> Result<At<V>, SchemeError> {
        let value = asanoha_scheme::capability::ValueTypes::bounded(self.operations, a.value, bound)?;
        Ok(At { value, ..a })
    }

    /// 2·a² − 1: T₂, and the cosine of twice the angle.
    pub(super) fn double(&self, a: &At<V>) -> Result<At<V>, SchemeError> {
        self.doubled(a, a, None)
    }

    /// 1 − a², for a of at most 1 in size.
    pub(super) fn complement(&self, a: &At<V>) -> Result<At<V>, SchemeError> {
        let At { value, depth } = self.square(a)?;
        let value = self.operations.mul_constant_exact(&value, (-1.0, 1.0))?;
        self.bounded(At { value: self.operations.add_constant(&value, 1.0)?, depth }, 1.0)
    }

    /// Σ cₖ·Tₖ(u), as deep below u as the series is long in binary digits, of a scale: that of its depth's step if
    /// none is given.
    ///
    /// # Panics
    /// If the series is constant.
    pub(super) fn series(
        &self,
        u: At<V>,
        coefficients: &[f64],
        scale: Option<f64>,
    ) -> Result<At<V>, SchemeError> {
        let degree = degree(coefficients);
        assert!(degree > 0, "a constant needs no evaluation");
        let mut basis: Vec<Option<At<V>>> = vec![None; degree + 1];
        let depth = u.depth + (degree + 1).next_power_of_two().ilog2() as usize;
        basis[1] = Some(u);
        for k in (2..=degree).filter(|k| *k < BABIES || k.is_power_of_two()) {
            let of = |k: usize| basis[k].as_ref().expect("smaller ones are there");
            let (high, low) = (k.div_ceil(2), k / 2);
            basis[k] = Some(if high == low {
                self.double(of(high))?
            } else {
                self.doubled(of(high), of(low), Some(of(1)))?
            });
        }
        let scale = scale.unwrap_or_else(|| self.schedule.step(depth));
        self.sum(&basis, &coefficients[..=degree], depth, scale)
    }

    /// Σ cₖ·Tₖ of a basis at a depth and of a scale, which has a term that isn't constant.
    fn sum(
        &self,
        basis: &[Option<At<V>>],
        coefficients: &[f64],
        depth: usize,
        scale: f64,
    ) -> Result<At<V>, SchemeError> {
        let before = depth - 1;
        let wanted = scale * self.schedule.step(before);
        let product = self.undivided(basis, coefficients, before, wanted)?;
        let mut out = match product.expect("a term isn't constant") {
            Undivided { value, is_product: true } => self.divided(value, before)?,
            Undivided { value, is_product: false } => self.rescaled(&value, before)?,
        };
        self.operations.add_constant_assign(&mut out.value, coefficients[0])?;
        Ok(out)
    }

    /// Σ cₖ·Tₖ but for the constant, before the division that leads one deeper: of two or three parts, so that the products of
    /// all powers of two take one relinearisation. `None` if there's nothing but the constant.
    fn undivided(
        &self,
        basis: &[Option<At<V>>],
        coefficients: &[f64],
        depth: usize,
        scale: f64,
    ) -> Result<Option<Undivided<V>>, SchemeError> {
        let operations = self.operations;
        let degree = degree(coefficients);
        let of = |k: usize| basis[k].as_ref().expect("the basis has what a series needs");
        if degree == 0 {
            return Ok(None);
        }
        if degree < BABIES && (1..=degree).all(|k| of(k).depth <= depth) {
            let terms = (1..=degree).filter(|&k| coefficients[k] != 0.0);
            let terms: Vec<_> = terms.map(|k| (of(k), coefficients[k])).collect();
            let value = self.multiples(&terms, depth, scale)?;
            return Ok(Some(Undivided { value, is_product: false }));
        }
        // The largest power of two that the degree holds.
        let order = 1 << degree.ilog2();
        let [quotient, remainder] = divided(&coefficients[..=degree], order);
        let is_product = quotient.len() > 1;
        let mut out = if is_product {
            let giant = self.at(of(order), depth)?;
            let factor = scale / Self::scale(&giant);
            let quotient = self.sum(basis, &quotient, depth, factor)?.value;
            operations.multiply_without_relinearise(&quotient, &giant)?
        } else {
            self.multiples(&[(of(order), quotient[0])], depth, scale)?
        };
        let low = self.undivided(basis, &remainder, depth, scale)?;
        let is_product = is_product || low.as_ref().is_some_and(|low| low.is_product);
        if let Some(low) = low {
            operations.add_assign(&mut out, &low.value)?;
        }
        Ok(Some(Undivided { value: out, is_product }))
    }

    /// Σ c·a of values at a depth, of a scale.
    fn multiples(&self, terms: &[(&At<V>, f64)], depth: usize, scale: f64) -> Result<V, SchemeError> {
        let factor = |a: &At<V>, c| (c, scale / Self::scale(&a.value)).into();
        let terms: Vec<(&V, S::Factor)> = terms.iter().map(|(a, c)| (&a.value, factor(a, *c))).collect();
        self.operations.sum_of_multiples(&terms, self.schedule.level(depth))
    }

    /// Σ cⱼ·s^(2j+1) for at most four coefficients, of a scale: for |s| ≤ `bound`, ⌈log2(2·count)⌉ deep below s.
    pub(super) fn odd(
        &self,
        s: &At<V>,
        coefficients: &[f64],
        bound: f64,
        scale: f64,
    ) -> Result<At<V>, SchemeError> {
        if let [c] = coefficients {
            let sum = self.multiples(&[(s, *c)], s.depth, scale * self.schedule.step(s.depth))?;
            return self.rescaled(&sum, s.depth);
        }
        let square = self.bounded(self.square(s)?, bound * bound)?;
        let (low, high) = coefficients.split_at(2);
        if high.is_empty() {
            return self.cubic(s, &square, [low[0], low[1]], scale);
        }
        let fourth = self.bounded(self.square(&square)?, bound.powi(4))?;
        let wanted = scale * self.schedule.step(fourth.depth);
        let factor = wanted / Self::scale(&fourth.value);
        let high = self.cubic(s, &square, [high[0], high.get(1).copied().unwrap_or(0.0)], factor)?;
        let mut sum = self.operations.multiply_without_relinearise(&high.value, &fourth.value)?;
        let low = self.cubic_undivided(s, &square, [low[0], low[1]], fourth.depth, wanted)?;
        self.operations.add_assign(&mut sum, &low)?;
        self.divided(sum, fourth.depth)
    }

    /// a·s + b·s³, given s², of a scale: two deeper than s.
    fn cubic(&self, s: &At<V>, square: &At<V>, terms: [f64; 2], scale: f64) -> Result<At<V>, SchemeError> {
        let wanted = scale * self.schedule.step(square.depth);
        let sum = self.cubic_undivided(s, square, terms, square.depth, wanted)?;
        if terms[1] == 0.0 { self.rescaled(&sum, square.depth) } else { self.divided(sum, square.depth) }
    }

    /// a·s + b·s³, given s², at the depth of s² or below, of a scale: of two or three parts.
    fn cubic_undivided(
        &self,
        s: &At<V>,
        square: &At<V>,
        [a, b]: [f64; 2],
        depth: usize,
        scale: f64,
    ) -> Result<V, SchemeError> {
        let operations = self.operations;
        let linear = self.multiples(&[(s, a)], depth, scale)?;
        if b == 0.0 {
            return Ok(linear);
        }
        let square = self.at(square, depth)?;
        let factor = scale / Self::scale(&square);
        let multiple = self.multiples(&[(s, b)], s.depth, factor * self.schedule.step(s.depth))?;
        let multiple = self.rescaled(&multiple, s.depth)?;
        let mut cube = operations.multiply_without_relinearise(&*self.at(&multiple, depth)?, &square)?;
        operations.add_assign(&mut cube, &linear)?;
        Ok(cube)
    }
}

/// The highest index of a coefficient that isn't 0.
fn degree(coefficients: &[f64]) -> usize {
    coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0)
}
