//! Outputs as formulas for the key holder, where only the last operations, on numbers over all rows, are costly under encryption.

use std::collections::HashMap;

use asanoha_numeric::number;

use crate::{
    builder::terms::Terms,
    error::BuildError,
    finished::Unfinished,
    formula::{MOST_PARTS, MOST_POWER, part_name},
    ids::{NodeId, Operand, Term},
    node::Node,
    ops::{FLOOR, RECIPROCAL, SQRT, formula},
    shape::Shape,
};

/// The most operations that are looked into.
const MOST_OPERATIONS: usize = 64;

/// The depth to which bounds are searched below a costly function.
const MOST_DEPTH: u32 = 4;

/// A formula for the key holder, of a value that divides by a number over all rows, takes its root or rounds it: a z-score is
/// `(p1 / sqrt(p2))` of the encrypted x − mean(x) and var(x). `None` for other values, for quotients of two numbers, which `ratio` has,
/// and where the author has given bounds of the number.
pub(crate) fn formula_output(terms: &mut Terms, value: Term) -> Result<Option<Unfinished>, BuildError> {
    let is_number = terms.shapes[value.index()] == Some(Shape::Number);
    let mut split = Split {
        terms,
        is_costly: HashMap::new(),
        parts: Vec::new(),
        left: MOST_OPERATIONS,
        is_quotient: true,
    };
    if !split.is_costly(value.id) || is_number && split.is_quotient {
        return Ok(None);
    }
    let text = split.text(value.id);
    let parts = split.parts;
    let has_fixed = parts.iter().any(|part| terms.fixed_value(*part).is_some());
    if split.left == 0 || parts.is_empty() || parts.len() > MOST_PARTS || has_fixed {
        return Ok(None);
    }
    formula(terms, &text, &parts).map(Some)
}

/// The operands of an operation that formulas have; `None` for other operations.
fn operands_of(node: &Node) -> Option<Vec<NodeId>> {
    Some(match node {
        Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => vec![*a, *b],
        Node::Neg(a) | Node::Scale(a, _) | Node::Offset(a, _) => vec![*a],
        Node::Power(a, exponent) if *exponent <= MOST_POWER => vec![*a],
        Node::Function(function, operands) if [RECIPROCAL, SQRT, FLOOR].contains(function) => {
            match operands[..] {
                [Operand::Value(a)] => vec![a],
                _ => return None,
            }
        }
        _ => return None,
    })
}

struct Split<'a> {
    terms: &'a Terms,
    is_costly: HashMap<NodeId, bool>,
    parts: Vec<Term>,
    /// The number of operations that may still be searched.
    left: usize,
    /// True if all costly functions are reciprocals.
    is_quotient: bool,
}

impl Split<'_> {
    fn node(&self, id: NodeId) -> Option<&Node> {
        self.terms.node(self.terms.term(id))
    }

    /// Returns true if a value depends on a costly function through operations of formulas.
    fn is_costly(&mut self, id: NodeId) -> bool {
        if let Some(&known) = self.is_costly.get(&id) {
            return known;
        }
        self.left = self.left.saturating_sub(1);
        let is_costly = match self.node(id).map(|node| (operands_of(node), node)) {
            Some((Some(operands), node)) if self.left > 0 => {
                let is_reciprocal = matches!(node, Node::Function(function, _) if *function == RECIPROCAL);
                let is_costly = matches!(node, Node::Function(..)) && self.is_of_all_rows(operands[0]);
                self.is_quotient &= !is_costly || is_reciprocal;
                operands
                    .into_iter()
                    .fold(is_costly, |is_costly, operand| self.is_costly(operand) || is_costly)
            }
            _ => false,
        };
        self.is_costly.insert(id, is_costly);
        is_costly
    }

    /// Returns true for a number over all rows that depends on the data and has no bounds by the author.
    fn is_of_all_rows(&self, id: NodeId) -> bool {
        let term = self.terms.term(id);
        let is_number = self.terms.shapes[id.0] == Some(Shape::Number);
        is_number && !self.is_bounded(id, MOST_DEPTH) && self.terms.fixed_value(term).is_none()
    }

    /// Returns true if a value depends on one with bounds by the author.
    fn is_bounded(&self, id: NodeId, depth: u32) -> bool {
        let Some(node) = self.node(id).filter(|_| depth > 0) else { return false };
        let of = || operands_of(node).unwrap_or_default();
        matches!(node, Node::Assume(..))
            || of().into_iter().any(|operand| self.is_bounded(operand, depth - 1))
    }

    /// A value as a formula has it.
    fn text(&mut self, id: NodeId) -> String {
        let term = self.terms.term(id);
        if let Some(value) = self.terms.fixed_value(term).filter(|_| !self.terms.is_column(term)) {
            return format!("({})", number::format(&value));
        }
        if !self.is_costly(id) {
            let place = self.parts.iter().position(|part| *part == term).unwrap_or_else(|| {
                self.parts.push(term);
                self.parts.len() - 1
            });
            return part_name(place + 1);
        }
        let node = self.node(id).expect("constants aren't costly").clone();
        match node {
            Node::Neg(a) => format!("(-{})", self.text(a)),
            Node::Scale(a, k) => format!("({} * ({}))", self.text(a), number::format(&k)),
            Node::Offset(a, c) => format!("({} + ({}))", self.text(a), number::format(&c)),
            Node::Power(a, exponent) => format!("({}**{exponent})", self.text(a)),
            Node::Add(a, b) => format!("({} + {})", self.text(a), self.text(b)),
            Node::Sub(a, b) => format!("({} - {})", self.text(a), self.text(b)),
            Node::Mul(a, b) => match (self.divisor(a), self.divisor(b)) {
                (_, Some(divisor)) => format!("({} / {})", self.text(a), self.text(divisor)),
                (Some(divisor), _) => format!("({} / {})", self.text(b), self.text(divisor)),
                _ => format!("({} * {})", self.text(a), self.text(b)),
            },
            Node::Function(function, operands) => {
                let Operand::Value(a) = operands[0] else { unreachable!("constants are no values") };
                let a = self.text(a);
                match function {
                    _ if function == SQRT => format!("sqrt({a})"),
                    _ if function == FLOOR => format!("floor({a})"),
                    _ => format!("(1 / {a})"),
                }
            }
            _ => unreachable!("formulas have no such operation"),
        }
    }

    /// The divisor of a costly reciprocal.
    fn divisor(&mut self, id: NodeId) -> Option<NodeId> {
        match self.node(id)? {
            Node::Function(function, operands) if *function == RECIPROCAL => operands[0].node(),
            _ => None,
        }
        .filter(|_| self.is_costly(id))
    }
}
