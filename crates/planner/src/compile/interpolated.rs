//! Functions of few whole numbers where arithmetic is real: polynomials through their values.
//!
//! What a function is of is counted from 0 on: x is a − b for `a == b`, and else the place of its one or two operands among
//! all that they can be. Two values are joined by a line, and a few by the polynomial of the lowest degree. More are
//! interpolated by F(x) = Σ f(v)·K(x − v) with Fejér's kernel K(t) = (sin(πt)/(n·sin(πt/n)))², which is flat at whole
//! numbers and stays within the values. It has no waves shorter than 1, so a polynomial of a degree of about π·n
//! comes near to it.

use std::{cell::RefCell, f64::consts::PI};

use asanoha_circuits::polynomial::{self, ApproximationError, Chebyshev};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use super::{
    expand::{ExpandError, Expander, Value, Values},
    graph::Operation,
    real::Building,
    sign::{NO_NOISE, operand_range},
    steps::Steps,
};
use crate::program::{Function, Node, NodeId, Operand, Range, number};

/// The most values that the operands of a function have together.
pub(super) const MOST_VALUES: usize = 256;
/// The most values that the polynomial of the lowest degree goes through: it's steeper the more there are.
const MOST_STEEP: usize = 8;
/// How far from a whole number anything may be that is taken for it.
const FARTHEST: f64 = 0.25;

/// The values of a function of whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WholeTable {
    /// x is Σ stride·operand + shift.
    strides: Vec<(NodeId, i64)>,
    shift: BigInt,
    /// The values at x = 0, 1, …
    values: Vec<f64>,
}

/// The first whole number of a range and how many there are.
fn counted(range: &Range) -> Option<(BigInt, usize)> {
    let (lo, hi) = (range.lo().ceil().to_integer(), range.hi().floor().to_integer());
    let count = (hi - &lo + BigInt::one()).to_usize().filter(|count| (1..=MOST_VALUES).contains(count))?;
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
        if count > MOST_VALUES {
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
    fn half_spread(&self) -> f64 {
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
    fn interval(&self, margin: f64) -> (f64, f64) {
        let half = (self.values.len() - 1) as f64 / 2.0;
        (half, half + margin)
    }

    /// Its polynomial on an interval, divided by a power of two.
    fn fit(
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

impl Expander<'_> {
    /// A function of few whole numbers, of the operation `id`: its polynomial is off by half of 2^fit_bits, as is what comes of
    /// operands that aren't whole numbers up to their noise.
    pub(super) fn by_values(
        &mut self,
        id: NodeId,
        function: &Function,
        operands: &[Operand],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let name = function.name();
        if !operands.iter().filter_map(|operand| operand.node()).all(|id| self.analysed.is_whole(id)) {
            return Err(ExpandError::NotApproximate(name));
        }
        let table = match (&self.fitted.tables[id.0], operands) {
            (Some(table), _) => table.clone(),
            (None, &[a, b]) if function.is_equality() => {
                return self.equality_by_sign(id, function, [a, b], values);
            }
            (None, _) => {
                let steps =
                    Steps::of(function, operands, self.ranges).ok_or(ExpandError::ManyValues(name))?;
                let dividend = operands[0].node().expect("it's what's divided");
                return self.by_steps(id, function, &steps, &values[&dividend].clone());
            }
        };
        let x = self.place(&table, values);
        let first = exactly(table.values[0]);
        if table.half_spread() == 0.0 {
            return Ok(self.constant_like(&x, &first));
        }
        if table.is_line() {
            let rise = exactly(table.values[1]) - &first;
            let line = Value { factor: &x.factor * rise, ..x };
            return Ok(self.offset(&line, &first));
        }
        let x = self.padded(&x);
        let allowed = number::times_power_of_two(1.0, self.fit_bits(id, name)?.into());
        let margin = table.margin(allowed);
        let (middle, half) = table.interval(margin);
        let half = Self::free_half(half * (1.0 + 8.0 * f64::EPSILON), middle, &x, half);
        let scale = self.ranges[id.0].log2_bound().unwrap_or(0);
        let error = number::times_power_of_two(allowed / 2.0, -scale);
        let series = table.fit(name, (middle, half), scale, error)?;
        let centred = self.offset(&x, &-exactly(middle));
        let one = BigRational::one();
        let centred = Value { factor: &centred.factor / exactly(half), ..centred };
        let y = self.with_factor(&centred, &one);
        self.graph.tighten(y, 1.0);
        // Half of the margin is left to the noise.
        let settled =
            self.graph.push(Operation::Settle { a: y, within: margin / 2.0 / half, left: NO_NOISE });
        let y = Value { node: settled, factor: one.clone() };
        let sum = polynomial::evaluate(&Building(RefCell::new(self)), &series, &y)?;
        let node = self.with_factor(&sum, &one);
        self.graph.tighten(node, 1.0 + 2.0 * error);
        // As for signs, noise and all is within the error, so that twice the error bounds what noise made of it.
        let node = self.graph.push(Operation::Settle { a: node, within: error, left: 3.0 * error });
        Ok(Value { node, factor: number::power_of_two(scale) })
    }

    /// A constant in the shape of a value.
    pub(super) fn constant_like(&mut self, a: &Value, constant: &BigRational) -> Value {
        let zeros = Value { node: self.multiplied(a.node, BigRational::zero()), factor: BigRational::one() };
        self.offset(&zeros, constant)
    }

    /// x, counted from 0 on.
    fn place(&mut self, table: &WholeTable, values: &Values) -> Value {
        let terms = table.strides.iter().map(|(id, stride)| {
            let value = &values[id];
            Value { factor: &value.factor * BigInt::from(*stride), ..value.clone() }
        });
        let terms: Vec<Value> = terms.collect();
        let sum =
            terms[1..].iter().fold(terms[0].clone(), |sum, term| self.sum_of_two(&sum, term, Operation::Add));
        self.offset(&sum, &BigRational::from_integer(table.shift.clone()))
    }
}

fn exactly(value: f64) -> BigRational {
    BigRational::from_float(value).expect("tables hold finite numbers")
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
        lose_no_value((9..=MOST_VALUES).step_by(38));
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
