//! Quotients of many whole numbers by a constant where arithmetic is real: a sum of steps, each the sign of a difference.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Function, NodeId};
use asanoha_numeric::number;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

use super::{Real, polynomial::fit_bits, sign::sign, steps::Steps};
use crate::{
    error::ExpandError,
    expander::{Expander, Value},
    ir::Op,
};

/// The function of `id` by its steps: ⌊a/c⌋ is the least quotient and one more for every step that a isn't below, and a % c
/// is a − c·⌊a/c⌋.
pub(super) fn by_steps(
    e: &mut Expander<'_, Real<'_>>,
    id: NodeId,
    function: &Function,
    steps: &Steps,
    dividend: &Value,
) -> Result<Value, ExpandError> {
    let name = function.name();
    let is_quotient = function.binary() == Some(BinaryFunction::Quotient);
    let height = if is_quotient { 1.0 } else { steps.divisor.unsigned_abs() as f64 };
    // Halves of signs add up.
    let error = number::times_power_of_two(1.0, fit_bits(e, id, name)?.into());
    let error = (error / (height * f64::from(steps.count.max(1)))).min(0.25);
    let off = e.target.errors[steps.dividend.0];
    let range = &e.analysed.ranges()[steps.dividend.0];
    let largest = range.max_abs_f64();
    let divisor = BigRational::from_integer(steps.divisor.into());
    // ⌊a/c⌋ = ⌊−a/−c⌋.
    let a = if divisor.is_negative() {
        Value { factor: -&dividend.factor, ..dividend.clone() }
    } else {
        dividend.clone()
    };
    let half = BigRational::new(BigInt::one(), 2.into());
    let mut constant = BigRational::from_integer(steps.least.clone());
    let mut sum: Option<Value> = None;
    for k in 1..=steps.count {
        let at = divisor.abs() * BigRational::from_integer(&steps.least + BigInt::from(k)) - &half;
        let bound = largest + number::to_f64(&at.abs()) + off;
        let shifted = e.offset(&a, &-at);
        let sign = sign(e, name, &shifted, bound, 0.5 - off, error)?;
        let step = Value { factor: sign.factor * &half, ..sign };
        constant += &half;
        sum = Some(match sum {
            Some(sum) => e.sum_of_two(&sum, &step, Op::Add),
            None => step,
        });
    }
    let quotient = match sum {
        Some(sum) => e.offset(&sum, &constant),
        None => e.constant_like(&a, &constant),
    };
    if is_quotient {
        return Ok(quotient);
    }
    let multiple = Value { factor: &quotient.factor * divisor, ..quotient };
    Ok(e.sum_of_two(dividend, &multiple, Op::Sub))
}
