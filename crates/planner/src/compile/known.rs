//! What ranges alone tell: comparisons of ranges that don't overlap, and choices by them.

use num_rational::BigRational;
use num_traits::{One, Zero};

use asanoha_circuits::BinaryFunction;

use super::{
    Operation,
    expand::{Expander, Value, Values},
};
use crate::program::{Kind, Node, NodeId, Operand, Range};

/// An operation that isn't computed.
enum Known {
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

impl Expander<'_> {
    /// The one operand that an operation needs, if ranges tell the rest of it.
    pub(super) fn rests_on(&self, id: NodeId) -> Option<NodeId> {
        self.known(id).map(|(operand, _)| operand)
    }

    /// The value of an operation that ranges tell.
    pub(super) fn known_value(&mut self, id: NodeId, values: &Values) -> Option<Value> {
        let (operand, known) = self.known(id)?;
        let of = values[&operand].clone();
        Some(match known {
            Known::Operand => of,
            Known::Negated => Value { factor: -of.factor, ..of },
            Known::Constant(value) => {
                let node = if self.exact() {
                    self.graph.push(Operation::MulConstant(of.node, BigRational::zero()))
                } else {
                    self.multiplied(of.node, BigRational::zero())
                };
                let zeros = Value { node, factor: BigRational::one() };
                if value.is_zero() { zeros } else { self.offset(&zeros, &value) }
            }
        })
    }

    fn known(&self, id: NodeId) -> Option<(NodeId, Known)> {
        let node = self.program.node(id);
        let Node::Function(function, operands) = node else { return None };
        if function.is_approximate() {
            return None;
        }
        let first = node.operands().next()?;
        if is_point(&self.ranges[id.0]) {
            // A constant has the shape of what it stands on.
            let like = node.operands().find(|&operand| self.program.shape(operand) == self.program.shape(id));
            return Some((like?, Known::Constant(self.ranges[id.0].lo().clone())));
        }
        let range = |operand: &Operand| match operand {
            Operand::Value(id) => Some(self.ranges[id.0].clone()),
            Operand::Constant(constant) => Range::whole(*constant, *constant),
        };
        let chosen = |operand: Operand| {
            let operand = operand.node()?;
            (self.program.shape(operand) == self.program.shape(id)).then_some((operand, Known::Operand))
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
                let range = &self.ranges[first.0];
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
}
