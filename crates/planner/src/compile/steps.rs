//! Quotients of many whole numbers by a constant where arithmetic is real: a sum of steps, each the sign of a difference.

use asanoha_circuits::BinaryFunction;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

use super::{
    expand::{ExpandError, Expander, Value},
    graph::Operation,
    sign::operand_range,
};
use crate::program::{Function, NodeId, Operand, Range, number, ops::QUOTIENT};

/// The most steps, each of which is a comparison.
const MOST_STEPS: u32 = 16;

/// The places where a quotient by a constant rises, or where a remainder falls by the divisor: at |c|·k for the least k to the
/// largest.
pub(super) struct Steps {
    dividend: NodeId,
    divisor: i64,
    least: BigInt,
    count: u32,
}

impl Steps {
    /// Those of a function, if it's a quotient or a remainder by a constant, and they are few.
    pub(super) fn of(function: &Function, operands: &[Operand], ranges: &[Range]) -> Option<Self> {
        let &[Operand::Value(dividend), Operand::Constant(divisor)] = operands else { return None };
        if !function.is_division() || divisor == 0 {
            return None;
        }
        let quotients = QUOTIENT.range(&[ranges[dividend.0].clone(), operand_range(operands[1], ranges)])?;
        let (least, most) = (quotients.lo().ceil().to_integer(), quotients.hi().floor().to_integer());
        let count = (most - &least).to_u32().filter(|&count| count <= MOST_STEPS)?;
        Some(Self { dividend, divisor, least, count })
    }
}

impl Expander<'_> {
    /// The function of `id` by its steps: ⌊a/c⌋ is the least quotient and one more for every step that a isn't below, and a % c
    /// is a − c·⌊a/c⌋.
    pub(super) fn by_steps(
        &mut self,
        id: NodeId,
        function: &Function,
        steps: &Steps,
        dividend: &Value,
    ) -> Result<Value, ExpandError> {
        let name = function.name();
        let is_quotient = function.binary() == Some(BinaryFunction::Quotient);
        let height = if is_quotient { 1.0 } else { steps.divisor.unsigned_abs() as f64 };
        // Halves of signs add up.
        let error = number::times_power_of_two(1.0, self.fit_bits(id, name)?.into());
        let error = (error / (height * f64::from(steps.count.max(1)))).min(0.25);
        let off = self.approximations[steps.dividend.0];
        let range = &self.ranges[steps.dividend.0];
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
            let shifted = self.offset(&a, &-at);
            let sign = self.sign(name, &shifted, bound, 0.5 - off, error)?;
            let step = Value { factor: sign.factor * &half, ..sign };
            constant += &half;
            sum = Some(match sum {
                Some(sum) => self.sum_of_two(&sum, &step, Operation::Add),
                None => step,
            });
        }
        let quotient = match sum {
            Some(sum) => self.offset(&sum, &constant),
            None => self.constant_like(&a, &constant),
        };
        if is_quotient {
            return Ok(quotient);
        }
        let multiple = Value { factor: &quotient.factor * divisor, ..quotient };
        Ok(self.sum_of_two(dividend, &multiple, Operation::Sub))
    }
}
