//! The values of functions of few whole numbers, and how they're interpolated where arithmetic is real.
//!
//! What a function is of is counted from 0 on: x is a − b for `a == b`, and else the place of its one or two operands among
//! all that they can be. Two values are joined by a line, and a few by the polynomial of the lowest degree. More are
//! interpolated by F(x) = Σ f(v)·K(x − v) with Fejér's kernel K(t) = (sin(πt)/(n·sin(πt/n)))², which is flat at whole
//! numbers and stays within the values. It has no waves shorter than 1, so a polynomial of a degree of about π·n
//! comes near to it.

use std::f64::consts::PI;

use asanoha_circuits::polynomial::{ApproximationError, Chebyshev};
use asanoha_lang::{Function, Node, NodeId, Operand, Range};
use asanoha_numeric::number;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use crate::{error::MOST_WHOLE_VALUES, operand_range::operand_range};

/// The most values that the polynomial of the lowest degree goes through: it's steeper the more there are.
const MOST_STEEP: usize = 8;
/// How far from a whole number anything may be that is taken for it.
const FARTHEST: f64 = 0.25;

/// The values of a function of whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WholeTable {
    /// x is Σ stride·operand + shift.
    pub(super) strides: Vec<(NodeId, i64)>,
    pub(super) shift: BigInt,
    /// The values at x = 0, 1, …
    pub(super) values: Vec<f64>,
}

/// The first whole number of a range and how many there are.
fn counted(range: &Range) -> Option<(BigInt, usize)> {
    let (lo, hi) = (range.lo().ceil().to_integer(), range.hi().floor().to_integer());
    let count =
        (hi - &lo + BigInt::one()).to_usize().filter(|count| (1..=MOST_WHOLE_VALUES).contains(count))?;
    Some((lo, count))
}

impl WholeTable {
    /// The values of a function that is computed by them, unless they are too many.
    pub(super) fn new(node: &Node, ranges: &[Range]) -> Option<Self> {
        let Node::Function(function, operands) = node else { return None };
        if !function.is_by_values() {
            return None;
        }
        if let (true, &[a, b]) = (function.is_equality(), &operands[..]) {
            return Self::of_difference(function, [a, b], ranges);
        }
        let variables: Vec<(NodeId, BigInt, usize)> = operands
            .iter()
            .filter_map(|operand| operand.node())
            .map(|id| counted(&ranges[id.0]).map(|(lo, count)| (id, lo, count)))
            .collect::<Option<_>>()?;
        let count = variables.iter().try_fold(1usize, |all, (.., count)| all.checked_mul(*count))?;
        if count > MOST_WHOLE_VALUES {
            return None;
        }
        // The last operand's values stand beside one another.
        let mut strides = Vec::new();
        let (mut stride, mut shift) = (1, BigInt::ZERO);
        for (id, lo, count) in variables.iter().rev() {
            strides.push((*id, stride as i64));
            shift -= lo * stride;
            stride *= count;
        }
        let value = |place: usize| {
            let mut rest =
                strides.iter().rev().zip(&variables).scan(place, |rest, ((_, stride), (_, lo, _))| {
                    let at = *rest / *stride as usize;
                    *rest %= *stride as usize;
                    Some(BigRational::from_integer(lo + at))
                });
            let arguments: Vec<BigRational> = operands
                .iter()
                .map(|operand| match operand {
                    Operand::Value(_) => rest.next().expect("one for every variable"),
                    Operand::Constant(constant) => BigRational::from_integer((*constant).into()),
                })
                .collect();
            number::to_f64(&function.value(&arguments).expect("it has values"))
        };
        let values = (0..count).map(value).collect();
        Some(Self { strides, shift, values })
    }

    /// Equality, by the difference.
    fn of_difference(function: &Function, [a, b]: [Operand; 2], ranges: &[Range]) -> Option<Self> {
        let (lo, count) = counted(&operand_range(a, ranges).sub(&operand_range(b, ranges)))?;
        let zero = BigRational::from_integer(BigInt::ZERO);
        let value = |place: usize| {
            let difference = BigRational::from_integer(&lo + BigInt::from(place));
            number::to_f64(&function.value(&[difference, zero.clone()]).expect("it has values"))
        };
        let mut shift = -&lo;
        let mut strides = Vec::new();
        for (operand, stride) in [(a, 1), (b, -1)] {
            match operand {
                Operand::Value(id) => strides.push((id, stride)),
                Operand::Constant(constant) => shift += stride * constant,
            }
        }
        Some(Self { strides, shift, values: (0..count).map(value).collect() })
    }

    /// Half of how far apart the values are.
    pub(super) fn half_spread(&self) -> f64 {
        let largest = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (largest - self.values.iter().copied().fold(f64::INFINITY, f64::min)) / 2.0
    }

    /// Whether the function is a line, which nothing has to be fitted for.
    pub(super) fn is_line(&self) -> bool {
        self.values.len() <= 2 || self.half_spread() == 0.0
    }

    /// How much a line rises from a whole number to the next.
    pub(super) fn rise(&self) -> f64 {
        self.values.last().map_or(0.0, |last| (last - self.values[0]).abs())
    }

    /// How far off x is when its operands are off by so much.
    pub(super) fn off(&self, error: impl Fn(NodeId) -> f64) -> f64 {
        self.strides.iter().map(|&(id, stride)| stride.unsigned_abs() as f64 * error(id)).sum()
    }

    /// How much x rises with an operand.
    pub(super) fn stride(&self, operand: NodeId) -> f64 {
        self.off(|id| if id == operand { 1.0 } else { 0.0 })
    }

    /// The function between whole numbers.
    fn between(&self, x: f64) -> f64 {
        let count = self.values.len();
        if count <= MOST_STEEP {
            let term = |(v, value): (usize, &f64)| {
                let others = (0..count).filter(|&other| other != v);
                value * others.map(|other| (x - other as f64) / (v as f64 - other as f64)).product::<f64>()
            };
            return self.values.iter().enumerate().map(term).sum();
        }
        let n = count as f64;
        // Nearby numbers weigh most: the nearest one exactly, the others by the same sine.
        let sine = libm::sin(PI * (x - x.round()));
        let kernel = |v: usize| {
            // It repeats after n, which the interval may go beyond.
            let t = libm::remainder(x - v as f64, n);
            let below = n * libm::sin(PI * t / n);
            if t.abs() < 1e-9 { 1.0 } else { (sine / below) * (sine / below) }
        };
        self.values.iter().enumerate().map(|(v, value)| value * kernel(v)).sum()
    }

    /// How far from a whole number x may be, so that the value is off by half of an error at most.
    pub(super) fn margin(&self, error: f64) -> f64 {
        if self.values.len() > MOST_STEEP {
            // |F″| ≤ (2π)²·half_spread, by Bernstein's inequality, and F′ is 0 at whole numbers.
            return ((error / self.half_spread()).sqrt() / (2.0 * PI)).min(FARTHEST);
        }
        let interval = self.interval(FARTHEST);
        let fitted = Chebyshev::fit("", |x| self.between(x), interval, self.half_spread() * 2f64.powi(-30));
        fitted.map_or(0.0, |fitted| (error / 2.0 * interval.1 / fitted.steepest()).min(FARTHEST))
    }

    /// The middle and half of the interval that x is in.
    pub(super) fn interval(&self, margin: f64) -> (f64, f64) {
        let half = (self.values.len() - 1) as f64 / 2.0;
        (half, half + margin)
    }

    /// Its polynomial on an interval, divided by a power of two.
    pub(super) fn fit(
        &self,
        name: &str,
        interval: (f64, f64),
        scale: i64,
        error: f64,
    ) -> Result<Chebyshev, ApproximationError> {
        let value = |x: f64| number::times_power_of_two(self.between(x), -scale);
        Chebyshev::fit(name, value, interval, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_of_a_table_is_lost_between_the_points_that_a_polynomial_is_measured_at() {
        lose_no_value((9..80).step_by(38).chain([125]));
    }

    #[test]
    #[ignore = "slow"]
    fn no_value_of_a_long_table_is_lost_either() {
        lose_no_value((9..=MOST_WHOLE_VALUES).step_by(38));
    }

    fn lose_no_value(counts: impl Iterator<Item = usize>) {
        for count in counts {
            let middle = count / 2;
            for hump in [0, 1, count / 3, middle.saturating_sub(1), middle, middle + 1, middle + 2, count - 1]
            {
                for (hump_value, others) in [(1.0, 0.0), (0.0, 1.0)] {
                    let mut values = vec![others; count];
                    values[hump] = hump_value;
                    let table = WholeTable { strides: Vec::new(), shift: BigInt::ZERO, values };
                    let middle = table.interval(0.0).0;
                    // As far as the numbers go, and as a power of two that is wider.
                    for half in [table.interval(FARTHEST).1, (count / 2).next_power_of_two() as f64] {
                        let fitted = table.fit("f", (middle, half), 0, 2f64.powi(-3)).unwrap();
                        for (place, &value) in table.values.iter().enumerate() {
                            let found = fitted.value(place as f64);
                            assert!((found - value).abs() <= 0.125, "{count}, {hump}, {place}: {found}");
                        }
                    }
                }
            }
        }
    }
}
