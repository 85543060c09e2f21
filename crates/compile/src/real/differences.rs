//! What is made of the signs of differences: comparisons, equality, distances.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Function, Kind, NodeId, Operand};
use asanoha_numeric::number;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{Real, gaps::Gap, polynomial::fit_bits, sign::sign};
use crate::{
    choice::difference,
    error::ExpandError,
    expander::{Expander, Value},
    operand_range::operand_range,
};

/// Equality of many whole numbers, which are neither above nor below one another, for `id`: (1 + s)(1 − t)/4 for the signs
/// s of d + ½ and t of d − ½.
pub(super) fn equality_by_sign(
    e: &mut Expander<'_, Real<'_>>,
    id: NodeId,
    function: &Function,
    [a, b]: [Operand; 2],
) -> Result<Value, ExpandError> {
    let half = BigRational::new(1.into(), 2.into());
    // Each factor is off by an eighth of what the product may be.
    let error = number::times_power_of_two(0.25, fit_bits(e, id, function.name())?.into()).min(0.25);
    let difference = difference(e, [a, b]);
    let off = error_of(e, a) + error_of(e, b);
    let bound = largest_difference(e, [a, b]) + 0.5 + off;
    let mut sides = Vec::with_capacity(2);
    for shift in [half.clone(), -half.clone()] {
        let shifted = e.offset(&difference, &shift);
        let sign = sign(e, function.name(), &shifted, bound, 0.5 - off, error)?;
        let halved = Value { factor: sign.factor * &shift, ..sign };
        sides.push(e.offset(&halved, &half));
    }
    let equal = e.mul(&sides[0], &sides[1]);
    if function.binary() == Some(BinaryFunction::Equal) {
        return Ok(equal);
    }
    let negated = Value { factor: -equal.factor, ..equal };
    Ok(e.offset(&negated, &BigRational::one()))
}

/// The sign of a − b, shifted where the gap says so.
pub(super) fn sign_of_difference(
    e: &mut Expander<'_, Real<'_>>,
    id: NodeId,
    function: &Function,
    gap: &Gap,
    [a, b]: [Operand; 2],
) -> Result<Value, ExpandError> {
    let error = number::times_power_of_two(0.5, fit_bits(e, id, function.name())?.into()).min(0.25);
    let difference = difference(e, [a, b]);
    let off = error_of(e, a) + error_of(e, b);
    let bound = largest_difference(e, [a, b]) + off;
    let apart = gap.apart - off;
    if !gap.shift.is_zero() {
        let shifted = e.offset(&difference, &gap.shift);
        return sign(e, function.name(), &shifted, bound + number::to_f64(&gap.shift.abs()), apart, error);
    }
    // 0 < x and x < 0 are of one sign.
    for (of, turned) in [([a, b], false), ([b, a], true)] {
        match e.target.signs.get(&(of[0], of[1])) {
            Some((found, near, sign)) if *found <= apart && *near <= error => {
                let factor = if turned { -&sign.factor } else { sign.factor.clone() };
                return Ok(Value { factor, ..sign.clone() });
            }
            _ => {}
        }
    }
    let sign = sign(e, function.name(), &difference, bound, apart, error)?;
    e.target.signs.insert((a, b), (apart, error, sign.clone()));
    Ok(sign)
}

/// |a − b| for `id`, which may be off by 2^fit_bits, its polynomials by half of that at most: within the gap of the sign, it's
/// off by less than twice the gap.
pub(super) fn distance(
    e: &mut Expander<'_, Real<'_>>,
    id: NodeId,
    function: &Function,
    [a, b]: [Operand; 2],
) -> Result<Value, ExpandError> {
    // Extremes have half of a distance in them.
    let share = if function.kind() == Kind::Absolute { 0.25 } else { 0.5 };
    let error = number::times_power_of_two(share, fit_bits(e, id, function.name())?.into());
    let difference = difference(e, [a, b]);
    let bound = largest_difference(e, [a, b]) + error_of(e, a) + error_of(e, b);
    if bound == 0.0 {
        return Ok(difference);
    }
    let gap = error.min(bound / 4.0);
    let sign = sign(e, function.name(), &difference, bound, gap, gap / bound)?;
    Ok(e.mul(&difference, &sign))
}

fn largest_difference(e: &Expander<'_, Real<'_>>, [a, b]: [Operand; 2]) -> f64 {
    operand_range(a, e.analysed.ranges()).sub(&operand_range(b, e.analysed.ranges())).max_abs_f64()
}

/// How far approximations put an operand off.
fn error_of(e: &Expander<'_, Real<'_>>, operand: Operand) -> f64 {
    operand.node().map_or(0.0, |id| e.target.errors[id.0])
}
