//! Quotients and remainders by a constant as steps.

use asanoha_lang::{Function, NodeId, Operand, Range, ops::QUOTIENT};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::operand_range::operand_range;

/// The most steps, each of which is a comparison.
const MOST_STEPS: u32 = 16;

/// The places where a quotient by a constant rises, or where a remainder falls by the divisor: at |c|·k for the least k to the
/// largest.
pub(super) struct Steps {
    pub(super) dividend: NodeId,
    pub(super) divisor: i64,
    pub(super) least: BigInt,
    pub(super) count: u32,
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
