//! The values of what functions are of.

use asanoha_lang::{Operand, Range};

/// The values of an operand.
pub(super) fn operand_range(operand: Operand, ranges: &[Range]) -> Range {
    match operand {
        Operand::Value(id) => ranges[id.0].clone(),
        Operand::Constant(constant) => Range::whole(constant, constant).expect("one number"),
    }
}
