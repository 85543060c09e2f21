//! Comparisons of real numbers, and what is made of them, by polynomials that approach the sign of a difference.

use std::cell::RefCell;

use asanoha_circuits::{
    BinaryFunction,
    polynomial::{self, Sign},
};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{
    expand::{ExpandError, Expander, Value, Values},
    graph::Operation,
    interpolated::WholeTable,
    real::Building,
    steps::Steps,
};
use crate::{
    precision::Precision,
    program::{Analysed, Function, Given, Kind, Node, NodeId, Operand, Range, number},
};

/// The noise bound of what is taken as it is, relative to values of about 1: less than any noise.
pub(super) const NO_NOISE: f64 = 1.0 / (1u128 << 64) as f64;

/// Which numbers a comparison tells apart where it's approximated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gap {
    /// Those that differ by so much, or more.
    pub(crate) apart: f64,
    /// Whether no others occur: whole numbers, decimals, and what a constant adds to them.
    pub(crate) is_certain: bool,
    /// What is added to a difference, so that none is 0: half of the distance of such numbers.
    shift: BigRational,
}

/// The gap of every comparison: what the program states, or else how near a difference would come if it were a result. Whole
/// numbers are told apart halfway between them, and are equal within that of one another, where they're too many for a table.
pub(crate) fn gaps(analysed: &Analysed<'_>, precision: Precision) -> Vec<Option<Gap>> {
    let (program, ranges) = (analysed.program(), analysed.ranges());
    // What an operand is a whole multiple of a fraction of, and what is beside that, if that's known.
    let beside = |operand: &Operand| {
        let Some(id) = operand.node() else { return Some((BigInt::one(), BigRational::zero())) };
        let offset = match program.node(id) {
            Node::Offset(a, constant) => analysed.denominator(*a).map(|of| (of.clone(), constant.clone())),
            _ => None,
        };
        offset.or_else(|| Some((analysed.denominator(id)?.clone(), BigRational::zero())))
    };
    let gap = |node: &Node| {
        let Node::Function(function, operands) = node else { return None };
        let [a, b] = &operands[..] else { return None };
        if function.is_equality() || Steps::of(function, operands, ranges).is_some() {
            let are_whole = node.operands().all(|id| analysed.is_whole(id));
            let is_wide = WholeTable::new(node, ranges).is_none();
            let gap = Gap { apart: 0.5, is_certain: true, shift: BigRational::zero() };
            return (are_whole && is_wide).then_some(gap);
        }
        let order = function.order()?;
        if let (Some(a), Some(b)) = (beside(a), beside(b)) {
            let unit = BigRational::new(BigInt::one(), a.0.lcm(&b.0));
            let half = &unit / BigRational::from_integer(2.into());
            let between = a.1 - b.1;
            let fraction = &between - (&between / &unit).floor() * &unit;
            let is_strict = matches!(order, BinaryFunction::Less | BinaryFunction::Greater);
            let (apart, shift) = match fraction.is_zero() {
                true if is_strict => (half.clone(), -half),
                true => (half.clone(), half),
                false => (fraction.clone().min(unit - fraction), BigRational::zero()),
            };
            return Some(Gap { apart: number::to_f64(&apart), is_certain: true, shift });
        }
        let apart = match function.given() {
            Given::Gap(gap) => number::to_f64(gap),
            _ => precision.tolerance(&operand_range(*a, ranges).sub(&operand_range(*b, ranges))),
        };
        Some(Gap { apart, is_certain: false, shift: BigRational::zero() })
    };
    program.nodes().iter().map(gap).collect()
}

/// The values of an operand.
pub(super) fn operand_range(operand: Operand, ranges: &[Range]) -> Range {
    match operand {
        Operand::Value(id) => ranges[id.0].clone(),
        Operand::Constant(constant) => Range::whole(constant, constant).expect("one number"),
    }
}

impl Expander<'_> {
    /// A function of real numbers: comparisons are (1 + s)/2 for the sign s of a difference d, |d| is d·s, the greater and the
    /// smaller of two numbers are half their sum and half their distance away from it, and `where` is b + c·(a − b).
    pub(super) fn by_sign(
        &mut self,
        id: NodeId,
        function: &Function,
        operands: &[Operand],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let half = BigRational::new(1.into(), 2.into());
        match (function.kind(), operands) {
            (Kind::Choice, &[condition, a, b]) => {
                let chosen_by = condition.node().expect("the builder chooses by constants");
                let bit = Range::whole(0, 1).expect("in order");
                if !self.analysed.is_whole(chosen_by) || self.ranges[chosen_by.0].union(&bit) != bit {
                    return Err(ExpandError::NotACondition);
                }
                self.choice(condition, [a, b], values)
            }
            (Kind::Absolute, &[a]) => self.distance(id, function, [a, Operand::Constant(0)], values),
            (Kind::Binary(extreme @ (BinaryFunction::Minimum | BinaryFunction::Maximum)), &[a, b]) => {
                let distance = self.distance(id, function, [a, b], values)?;
                let sum = match (a, b) {
                    (Operand::Value(a), b) => self.plus(&values[&a].clone(), b, values),
                    (a, Operand::Value(b)) => self.plus(&values[&b].clone(), a, values),
                    _ => unreachable!("the builder computes with constants"),
                };
                let make = if extreme == BinaryFunction::Maximum { Operation::Add } else { Operation::Sub };
                let twice = self.sum_of_two(&sum, &distance, make);
                Ok(Value { factor: twice.factor * half, ..twice })
            }
            (_, &[a, b]) if let (Some(order), Some(gap)) = (function.order(), &self.fitted.gaps[id.0]) => {
                let is_less = matches!(order, BinaryFunction::Less | BinaryFunction::LessOrEqual);
                let of = if is_less { [b, a] } else { [a, b] };
                let sign = self.sign_of_difference(id, function, gap, of, values)?;
                let halved = Value { factor: sign.factor * &half, ..sign };
                Ok(self.offset(&halved, &half))
            }
            _ => self.by_values(id, function, operands, values),
        }
    }

    /// Equality of many whole numbers, which are neither above nor below one another, for `id`: (1 + s)(1 − t)/4 for the signs
    /// s of d + ½ and t of d − ½.
    pub(super) fn equality_by_sign(
        &mut self,
        id: NodeId,
        function: &Function,
        [a, b]: [Operand; 2],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let half = BigRational::new(1.into(), 2.into());
        // Each factor is off by an eighth of what the product may be.
        let error = number::times_power_of_two(0.25, self.fit_bits(id, function.name())?.into()).min(0.25);
        let difference = self.difference([a, b], values);
        let off = self.error_of(a) + self.error_of(b);
        let bound = self.largest_difference([a, b]) + 0.5 + off;
        let mut sides = Vec::with_capacity(2);
        for shift in [half.clone(), -half.clone()] {
            let shifted = self.offset(&difference, &shift);
            let sign = self.sign(function.name(), &shifted, bound, 0.5 - off, error)?;
            let halved = Value { factor: sign.factor * &shift, ..sign };
            sides.push(self.offset(&halved, &half));
        }
        let equal = self.mul(&sides[0], &sides[1]);
        if function.binary() == Some(BinaryFunction::Equal) {
            return Ok(equal);
        }
        let negated = Value { factor: -equal.factor, ..equal };
        Ok(self.offset(&negated, &BigRational::one()))
    }

    /// The sign of a − b, shifted where the gap says so.
    fn sign_of_difference(
        &mut self,
        id: NodeId,
        function: &Function,
        gap: &Gap,
        [a, b]: [Operand; 2],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let error = number::times_power_of_two(0.5, self.fit_bits(id, function.name())?.into()).min(0.25);
        let difference = self.difference([a, b], values);
        let off = self.error_of(a) + self.error_of(b);
        let bound = self.largest_difference([a, b]) + off;
        let apart = gap.apart - off;
        if !gap.shift.is_zero() {
            let shifted = self.offset(&difference, &gap.shift);
            return self.sign(
                function.name(),
                &shifted,
                bound + number::to_f64(&gap.shift.abs()),
                apart,
                error,
            );
        }
        // 0 < x and x < 0 are of one sign.
        for (of, turned) in [([a, b], false), ([b, a], true)] {
            match self.signs.get(&(of[0], of[1])) {
                Some((found, near, sign)) if *found <= apart && *near <= error => {
                    let factor = if turned { -&sign.factor } else { sign.factor.clone() };
                    return Ok(Value { factor, ..sign.clone() });
                }
                _ => {}
            }
        }
        let sign = self.sign(function.name(), &difference, bound, apart, error)?;
        self.signs.insert((a, b), (apart, error, sign.clone()));
        Ok(sign)
    }

    /// |a − b| for `id`, which may be off by 2^fit_bits, its polynomials by half of that at most: within the gap of the sign, it's
    /// off by less than twice the gap.
    fn distance(
        &mut self,
        id: NodeId,
        function: &Function,
        [a, b]: [Operand; 2],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        // Extremes have half of a distance in them.
        let share = if function.kind() == Kind::Absolute { 0.25 } else { 0.5 };
        let error = number::times_power_of_two(share, self.fit_bits(id, function.name())?.into());
        let difference = self.difference([a, b], values);
        let bound = self.largest_difference([a, b]) + self.error_of(a) + self.error_of(b);
        if bound == 0.0 {
            return Ok(difference);
        }
        let gap = error.min(bound / 4.0);
        let sign = self.sign(function.name(), &difference, bound, gap, gap / bound)?;
        Ok(self.mul(&difference, &sign))
    }

    /// The sign of a value up to `bound`, to within `error` (of at most 1/4) where its magnitude is `gap` or more.
    ///
    /// Noise that a sign is taken of doesn't grow with the steepness of its polynomials: what a ciphertext holds when a stage
    /// begins is taken for its value, as long as the noise is within the margin that the stage was fitted for. What comes
    /// out is within the error of the sign, with that noise and without it; so twice the error bounds what the noise
    /// made of it. That is stated as noise again, for whatever depends on noise being known, such as its flooding.
    pub(super) fn sign(
        &mut self,
        name: &'static str,
        value: &Value,
        bound: f64,
        gap: f64,
        error: f64,
    ) -> Result<Value, ExpandError> {
        // A quarter of the gap is left to the noise.
        let gap = gap.min(bound / 2.0);
        let value = self.padded(value);
        let half =
            Self::free_half((bound + gap / 4.0) * (1.0 + 8.0 * f64::EPSILON), 0.0, &value, f64::INFINITY);
        let within = gap / 4.0 / half;
        let asked = [(3.0 * within).to_bits(), error.to_bits()];
        let sign = match self.sign_polynomials.get(&asked) {
            Some(sign) => sign.clone(),
            None => self.sign_polynomials.entry(asked).or_insert(Sign::fit(3.0 * within, error)?).clone(),
        };
        let exactly = |x: f64| BigRational::from_float(x).ok_or(ExpandError::MissingFit(name));
        let one = BigRational::one();
        let scaled = Value { factor: &value.factor / exactly(half)?, ..value };
        let mut at = self.with_factor(&scaled, &one);
        self.graph.tighten(at, 1.0);
        at = self.graph.push(Operation::Settle { a: at, within, left: NO_NOISE });
        for (place, stage) in sign.stages.iter().enumerate() {
            let y = Value { node: at, factor: one.clone() };
            let sum = polynomial::evaluate(&Building(RefCell::new(self)), stage, &y)?;
            at = self.with_factor(&sum, &one);
            let (bound, within, left) = match sign.margins.get(place) {
                Some(&margin) => (1.0, margin, NO_NOISE),
                None => (1.0 + error, error, 3.0 * error),
            };
            self.graph.tighten(at, bound);
            at = self.graph.push(Operation::Settle { a: at, within, left });
        }
        Ok(Value { node: at, factor: one })
    }

    fn largest_difference(&self, [a, b]: [Operand; 2]) -> f64 {
        operand_range(a, self.ranges).sub(&operand_range(b, self.ranges)).max_abs_f64()
    }

    /// How far approximations put an operand off.
    fn error_of(&self, operand: Operand) -> f64 {
        operand.node().map_or(0.0, |id| self.approximations[id.0])
    }
}
