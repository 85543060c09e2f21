//! Numbers that are known up to an error, and linear equations of such.

use std::ops::{Add, Div, Mul, Sub};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::number;

/// A number that lies within `error` of `value`. Arithmetic is exact, so that errors are those of the operands alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncertain {
    /// The middle of what it may be.
    pub value: BigRational,
    /// Not negative.
    pub error: BigRational,
}

impl Uncertain {
    /// A number that is known exactly.
    pub fn exact(value: BigRational) -> Self {
        Self { value, error: BigRational::zero() }
    }

    /// Whether its error is 0.
    pub fn is_exact(&self) -> bool {
        self.error.is_zero()
    }

    /// Whether 0 is among the numbers that it may be.
    pub fn may_be_zero(&self) -> bool {
        self.value.abs() <= self.error
    }

    /// The square root, which is off by at most 2^−62 of itself where it isn't exact; that of what's below 0 is 0.
    pub fn sqrt(&self) -> Self {
        let (lowest, _) = root(&(&self.value - &self.error));
        let (highest, step) = root(&(&self.value + &self.error));
        let (value, _) = root(&self.value);
        let highest = highest + step;
        let error = (&value - lowest).max(highest - &value);
        Self { value, error }
    }
}

impl Add for &Uncertain {
    type Output = Uncertain;

    fn add(self, other: Self) -> Uncertain {
        Uncertain { value: &self.value + &other.value, error: &self.error + &other.error }
    }
}

impl Sub for &Uncertain {
    type Output = Uncertain;

    fn sub(self, other: Self) -> Uncertain {
        Uncertain { value: &self.value - &other.value, error: &self.error + &other.error }
    }
}

impl Mul for &Uncertain {
    type Output = Uncertain;

    fn mul(self, other: Self) -> Uncertain {
        let error = self.value.abs() * &other.error + (other.value.abs() + &other.error) * &self.error;
        Uncertain { value: &self.value * &other.value, error }
    }
}

impl Div for &Uncertain {
    type Output = Uncertain;

    /// # Panics
    /// When the divisor may be 0.
    fn div(self, other: Self) -> Uncertain {
        assert!(!other.may_be_zero(), "asked before");
        let divisor = other.value.abs();
        let error = self.value.abs() * &other.error + &divisor * &self.error;
        Uncertain { value: &self.value / &other.value, error: error / (&divisor * (&divisor - &other.error)) }
    }
}

/// A number below or at the root of another and how far below at most, both 0 for what isn't above 0: nowhere, or 2^−62 of it.
fn root(square: &BigRational) -> (BigRational, BigRational) {
    const BITS: u64 = 64;
    if !square.is_positive() {
        return (BigRational::zero(), BigRational::zero());
    }
    // √(p/q) = √(p·q·4^shift) / (q·2^shift)
    let product = square.numer() * square.denom();
    let shift = BITS.saturating_sub(product.bits() / 2);
    let scaled = product << (2 * shift);
    let whole = scaled.sqrt();
    let unit = square.denom() << shift;
    let step = BigInt::from(u8::from(&whole * &whole != scaled));
    (BigRational::new(whole, unit.clone()), BigRational::new(step, unit))
}

/// A double that is no less than a number that isn't negative, exactly; `None` beyond all doubles.
pub fn rounded_up(value: &BigRational) -> Option<BigRational> {
    let near = number::to_f64(value);
    if BigRational::from_float(near)? >= *value {
        return BigRational::from_float(near);
    }
    BigRational::from_float(near.next_up())
}

/// What the solution of equations may not be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Singular {
    /// For certain.
    Surely,
    /// Within the errors of the numbers.
    Perhaps,
}

/// The solution x of a·x = b with as many equations as unknowns.
///
/// With A and b the true matrix and right side, |a − A| ≤ E and |b − B| ≤ f entry by entry, r = |a⁻¹| and x = a⁻¹·b, what x is
/// off by is at most any d > 0 with d ≥ r·(f + E·|x|) + r·E·d, and there is one only if no such A is singular (r·E then has a
/// spectral radius below 1).
pub fn solve(a: &[Vec<Uncertain>], b: &[Uncertain]) -> Result<Vec<Uncertain>, Singular> {
    let count = b.len();
    let values = |row: &Vec<Uncertain>| row.iter().map(|entry| entry.value.clone()).collect::<Vec<_>>();
    let identity =
        |row: usize| (0..count).map(move |at| BigRational::from_integer(u8::from(at == row).into()));
    let rows = a.iter().zip(b).enumerate();
    let rows = rows
        .map(|(at, (row, b))| values(row).into_iter().chain(identity(at)).chain([b.value.clone()]).collect());
    let is_exact = a.iter().flatten().chain(b).all(Uncertain::is_exact);
    let singular = if is_exact { Singular::Surely } else { Singular::Perhaps };
    let reduced = eliminated(rows.collect()).ok_or(singular)?;
    let solution: Vec<&BigRational> = reduced.iter().map(|row| &row[count]).collect();
    if is_exact {
        return Ok(solution.into_iter().cloned().map(Uncertain::exact).collect());
    }
    // r·E and r·(f + E·|x|), the latter above 0, as doubles: digits beyond these make no bound better.
    let inverse = |row: usize, at: usize| reduced[row][at].abs();
    let total = |row: usize, of: &dyn Fn(usize) -> BigRational| {
        let sum: BigRational = (0..count).map(|at| inverse(row, at) * of(at)).sum();
        let least = BigRational::from_float(f64::MIN_POSITIVE).expect("a number");
        rounded_up(&(sum + least)).ok_or(Singular::Perhaps)
    };
    let errors = |at: usize| {
        let of_matrix: BigRational =
            a[at].iter().zip(&solution).map(|(entry, x)| &entry.error * x.abs()).sum();
        of_matrix + &b[at].error
    };
    let bounds = (0..count)
        .map(|row| {
            let mut bound = Vec::with_capacity(count + 1);
            for (column, one) in identity(row).enumerate() {
                bound.push(one - total(row, &|at| a[at][column].error.clone())?);
            }
            bound.push(total(row, &errors)?);
            Ok(bound)
        })
        .collect::<Result<Vec<_>, Singular>>()?;
    let errors = eliminated(bounds).ok_or(Singular::Perhaps)?;
    let off = |(x, error): (&BigRational, Vec<BigRational>)| {
        let error = error.into_iter().next().filter(Signed::is_positive).ok_or(Singular::Perhaps)?;
        Ok(Uncertain { value: x.clone(), error })
    };
    solution.into_iter().zip(errors).map(off).collect()
}

/// What stands right of a square matrix after its rows were combined so that it's the identity; `None` if it's singular.
fn eliminated(mut rows: Vec<Vec<BigRational>>) -> Option<Vec<Vec<BigRational>>> {
    for at in 0..rows.len() {
        let pivot = (at..rows.len()).find(|&row| !rows[row][at].is_zero())?;
        rows.swap(at, pivot);
        let scale = rows[at][at].recip();
        let pivot: Vec<BigRational> = rows[at].iter().map(|entry| entry * &scale).collect();
        for (_, row) in rows.iter_mut().enumerate().filter(|(row, _)| *row != at) {
            let factor = std::mem::replace(&mut row[at], BigRational::zero());
            for (entry, of_pivot) in row.iter_mut().zip(&pivot).skip(at + 1) {
                *entry -= &factor * of_pivot;
            }
        }
        rows[at] = pivot;
    }
    let count = rows.len();
    Some(rows.into_iter().map(|mut row| row.split_off(count)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uncertain(value: f64, error: f64) -> Uncertain {
        let [value, error] = [value, error].map(|number| BigRational::from_float(number).unwrap());
        Uncertain { value, error }
    }

    fn assert_holds(found: &Uncertain, least: f64, most: f64) {
        let [value, error] = [&found.value, &found.error].map(number::to_f64);
        let slack = 1e-12 * (least.abs() + most.abs());
        assert!(value - error <= least + slack && most - slack <= value + error, "{value} ± {error}");
        assert!(error <= 2.0 * (most - least) + slack, "{value} ± {error} of {least}..{most}");
    }

    #[test]
    fn errors_reach_both_ends_and_not_far_beyond() {
        let (a, b) = (uncertain(3.0, 0.5), uncertain(-2.0, 0.25));
        assert_holds(&(&a + &b), 0.25, 1.75);
        assert_holds(&(&a - &b), 4.25, 5.75);
        assert_holds(&(&a * &b), -3.5 * 2.25, -2.5 * 1.75);
        assert_holds(&(&a / &b), -3.5 / 1.75, -2.5 / 2.25);
        assert_holds(&a.sqrt(), 2.5f64.sqrt(), 3.5f64.sqrt());
        assert_holds(&uncertain(0.5, 1.0).sqrt(), 0.0, 1.5f64.sqrt());
        assert!(uncertain(0.5, 0.5).may_be_zero() && !a.may_be_zero());
    }

    #[test]
    fn roots_of_squares_are_exact_and_others_near() {
        let of = |p: i64, q: i64| Uncertain::exact(BigRational::new(p.into(), q.into()));
        assert_eq!(of(49, 36).sqrt(), of(7, 6));
        assert_eq!(of(0, 1).sqrt(), of(0, 1));
        for (p, q) in [(2, 1), (1, 3), (i64::MAX, 1), (1, i64::MAX)] {
            let root = of(p, q).sqrt();
            assert!(root.error.is_positive() && root.error < &root.value / BigInt::from(1u64 << 62));
            let (less, more) = (&root.value - &root.error, &root.value + &root.error);
            assert!(&less * &less <= of(p, q).value && &more * &more >= of(p, q).value);
        }
    }

    #[test]
    fn solutions_of_all_corners_are_within_the_error() {
        let a = [[4.0, 1.0], [1.0, 3.0]];
        let b = [1.0, 2.0];
        let e = 0.125;
        let matrix: Vec<Vec<_>> = a.iter().map(|row| row.map(|value| uncertain(value, e)).to_vec()).collect();
        let found = solve(&matrix, &b.map(|value| uncertain(value, e))).unwrap();
        for corner in 0..64u32 {
            let off = |at: u32| if corner >> at & 1 == 1 { e } else { -e };
            let [p, q, r, s] = [a[0][0] + off(0), a[0][1] + off(1), a[1][0] + off(2), a[1][1] + off(3)];
            let [u, v] = [b[0] + off(4), b[1] + off(5)];
            let determinant = p * s - q * r;
            for (x, found) in
                [(u * s - q * v) / determinant, (p * v - r * u) / determinant].iter().zip(&found)
            {
                let off = (number::to_f64(&found.value) - x).abs();
                assert!(off <= number::to_f64(&found.error), "{x}: {found:?}");
            }
        }
    }

    #[test]
    fn singular_equations_are_told_also_within_errors() {
        let matrix = |last: f64, error: f64| {
            vec![
                vec![uncertain(1.0, error), uncertain(2.0, error)],
                vec![uncertain(2.0, error), uncertain(last, error)],
            ]
        };
        let b = [uncertain(1.0, 0.0), uncertain(1.0, 0.0)];
        assert_eq!(solve(&matrix(4.0, 0.0), &b), Err(Singular::Surely));
        assert_eq!(solve(&matrix(4.001, 0.01), &b), Err(Singular::Perhaps));
        assert!(solve(&matrix(4.001, 1e-6), &b).is_ok());
        // A first pivot of 0 is no singularity.
        let swapped = vec![
            vec![uncertain(0.0, 0.0), uncertain(1.0, 0.0)],
            vec![uncertain(1.0, 0.0), uncertain(0.0, 0.0)],
        ];
        let found = solve(&swapped, &[uncertain(5.0, 0.0), uncertain(7.0, 0.0)]).unwrap();
        assert_eq!(found, [uncertain(7.0, 0.0), uncertain(5.0, 0.0)]);
    }
}
