//! What ranges alone tell: comparisons of ranges that don't overlap, and choices by them.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Analysed, Kind, Node, NodeId, Operand, Range};
use num_rational::BigRational;
use num_traits::Zero;

/// An operation that isn't computed.
pub(super) enum Known {
    /// A constant.
    Constant(BigRational),
    /// Its operand.
    Operand,
    /// Its operand, negated.
    Negated,
}

fn is_point(range: &Range) -> bool {
    range.lo() == range.hi()
}

/// The one operand that an operation needs, if ranges tell the rest of it, and what it makes of that.
pub(super) fn known(analysed: &Analysed<'_>, id: NodeId) -> Option<(NodeId, Known)> {
    let (program, ranges) = (analysed.program(), analysed.ranges());
    let node = program.node(id);
    let Node::Function(function, operands) = node else { return None };
    if function.is_approximate() {
        return None;
    }
    let first = node.operands().next()?;
    if is_point(&ranges[id.0]) {
        // A constant has the shape of what it stands on.
        let like = node.operands().find(|&operand| program.shape(operand) == program.shape(id));
        return Some((like?, Known::Constant(ranges[id.0].lo().clone())));
    }
    let range = |operand: &Operand| match operand {
        Operand::Value(id) => Some(ranges[id.0].clone()),
        Operand::Constant(constant) => Range::whole(*constant, *constant),
    };
    let chosen = |operand: Operand| {
        let operand = operand.node()?;
        (program.shape(operand) == program.shape(id)).then_some((operand, Known::Operand))
    };
    match (function.kind(), &operands[..]) {
        (Kind::Choice, &[condition, a, b]) => match range(&condition)? {
            truth if !truth.contains(&BigRational::zero()) => chosen(a),
            truth if is_point(&truth) => chosen(b),
            _ => None,
        },
        (Kind::Binary(extreme @ (BinaryFunction::Minimum | BinaryFunction::Maximum)), &[a, b]) => {
            let (of_a, of_b) = (range(&a)?, range(&b)?);
            let (least, most) = if of_a.hi() <= of_b.lo() {
                (a, b)
            } else if of_b.hi() <= of_a.lo() {
                (b, a)
            } else {
                return None;
            };
            chosen(if extreme == BinaryFunction::Minimum { least } else { most })
        }
        (Kind::Absolute, [_]) => {
            let range = &ranges[first.0];
            if *range.lo() >= BigRational::zero() {
                Some((first, Known::Operand))
            } else if *range.hi() <= BigRational::zero() {
                Some((first, Known::Negated))
            } else {
                None
            }
        }
        _ => None,
    }
}
