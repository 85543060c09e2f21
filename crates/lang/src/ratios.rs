//! Comparisons of quotients, multiplied out.

use asanoha_numeric::Range;
use num_rational::BigRational;
use num_traits::{One, Signed};

use crate::{
    builder::{apply::apply, terms::Terms},
    domain::ranges::RangeError,
    function::{Function, Kind},
    ids::{NodeId, Operand, Term},
    node::Node,
    ops::RECIPROCAL,
    program::Program,
};

/// The most divisors that a comparison is multiplied by: each makes its numbers larger.
const MOST_DIVISORS: usize = 4;
/// The most addends of a comparison that is multiplied out, and the most factors of each.
const MOST_PARTS: usize = 32;

/// A difference that is compared with 0, as a sum of products and quotients.
pub(crate) struct Ratios {
    addends: Vec<Addend>,
    /// The common denominator: divisors, each as often as in the addend that has it most often.
    divisors: Vec<NodeId>,
    /// True if the common denominator is negative.
    is_negative: bool,
}

/// Constants times some operations, divided by others. The product of constants is left to the builder, which knows the rounded ones.
#[derive(Default)]
struct Addend {
    constants: Vec<BigRational>,
    factors: Vec<NodeId>,
    divisors: Vec<NodeId>,
}

impl Ratios {
    /// The quotients that an operation compares; `None` unless it's a comparison of quotients, each of whose divisors is positive or
    /// negative throughout.
    pub(crate) fn compared(program: &Program, ranges: &[Range], node: &Node) -> Option<Self> {
        let (function, operands) = node.function()?;
        let is_plain = matches!(function.kind(), Kind::Binary(_)) && function.is_comparison();
        let &[left, right] = operands else { return None };
        let mut ratios = Self { addends: Vec::new(), divisors: Vec::new(), is_negative: false };
        if !is_plain || !ratios.add_difference(program, left, right) {
            return None;
        }
        for addend in &ratios.addends {
            for divisor in &addend.divisors {
                let times = |of: &[NodeId]| of.iter().filter(|id| *id == divisor).count();
                if times(&ratios.divisors) < times(&addend.divisors) {
                    ratios.divisors.push(*divisor);
                }
            }
        }
        let range = |divisor: &NodeId| &ranges[divisor.0];
        let has_sign =
            |divisor: &NodeId| range(divisor).lo().is_positive() || range(divisor).hi().is_negative();
        let negative = ratios.divisors.iter().filter(|divisor| range(divisor).hi().is_negative());
        ratios.is_negative = negative.count() % 2 == 1;
        let is_fit = (1..=MOST_DIVISORS).contains(&ratios.divisors.len());
        (is_fit && ratios.divisors.iter().all(has_sign)).then_some(ratios)
    }

    /// Adds the parts of left − right; false where they're many.
    fn add_difference(&mut self, program: &Program, left: Operand, right: Operand) -> bool {
        let times = |mut constants: Vec<BigRational>, constant: BigRational| {
            constants.push(constant);
            constants
        };
        let minus = |constants| times(constants, -BigRational::one());
        let mut pending = vec![(left, Vec::new()), (right, minus(Vec::new()))];
        while let Some((operand, constants)) = pending.pop() {
            let id = match operand {
                Operand::Constant(constant) => {
                    let constants = times(constants, BigRational::from_integer(constant.into()));
                    self.addends.push(Addend { constants, ..Addend::default() });
                    continue;
                }
                Operand::Value(id) => id,
            };
            match program.node(id) {
                Node::Add(a, b) => {
                    pending
                        .extend([(Operand::Value(*a), constants.clone()), (Operand::Value(*b), constants)]);
                }
                Node::Sub(a, b) => {
                    let negative = minus(constants.clone());
                    pending.extend([(Operand::Value(*a), constants), (Operand::Value(*b), negative)]);
                }
                Node::Neg(a) => pending.push((Operand::Value(*a), minus(constants))),
                Node::Scale(a, k) => pending.push((Operand::Value(*a), times(constants, k.clone()))),
                Node::Offset(a, c) => {
                    let constant = times(constants.clone(), c.clone());
                    self.addends.push(Addend { constants: constant, ..Addend::default() });
                    pending.push((Operand::Value(*a), constants));
                }
                _ => match Addend::of(program, id, constants) {
                    Some(addend) => self.addends.push(addend),
                    None => return false,
                },
            }
            if self.addends.len() + pending.len() > MOST_PARTS {
                return false;
            }
        }
        true
    }

    /// The same comparison of the difference times its common denominator with 0; `term` gives what operations became.
    pub(crate) fn multiplied_out(
        &self,
        terms: &mut Terms,
        function: &Function,
        term: impl Fn(NodeId) -> Term,
    ) -> Result<Term, RangeError> {
        let zero = terms.integer(0)?;
        let mut difference = zero;
        for addend in &self.addends {
            let mut product = terms.integer(1)?;
            for constant in &addend.constants {
                let constant = terms.constant(constant.clone())?;
                product = terms.mul(product, constant)?;
            }
            for factor in addend.factors.iter().chain(&self.others(addend)) {
                product = terms.mul(product, term(*factor))?;
            }
            difference = terms.add(difference, product)?;
        }
        let operands = if self.is_negative { [zero, difference] } else { [difference, zero] };
        Ok(apply(terms, function.clone(), &operands)?)
    }

    /// The divisors of the common denominator that an addend doesn't have.
    fn others(&self, addend: &Addend) -> Vec<NodeId> {
        let mut others = self.divisors.clone();
        for divisor in &addend.divisors {
            if let Some(at) = others.iter().position(|other| other == divisor) {
                others.swap_remove(at);
            }
        }
        others
    }
}

impl Addend {
    /// An operation as a product and quotient of others; `None` where they're many.
    fn of(program: &Program, id: NodeId, constants: Vec<BigRational>) -> Option<Self> {
        let mut addend = Self { constants, factors: Vec::new(), divisors: Vec::new() };
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match program.node(id) {
                Node::Mul(a, b) => pending.extend([*a, *b]),
                Node::Power(a, exponent) if has_quotient(program, *a) => {
                    let times = usize::try_from(*exponent).ok().filter(|times| *times <= MOST_DIVISORS)?;
                    pending.extend(std::iter::repeat_n(*a, times));
                }
                Node::Neg(a) => {
                    addend.constants.push(-BigRational::one());
                    pending.push(*a);
                }
                Node::Scale(a, k) => {
                    addend.constants.push(k.clone());
                    pending.push(*a);
                }
                Node::Function(function, of) if *function == RECIPROCAL => {
                    addend.divisors.push(of[0].node()?);
                }
                _ => addend.factors.push(id),
            }
            if addend.factors.len() + addend.divisors.len() + pending.len() > MOST_PARTS {
                return None;
            }
        }
        Some(addend)
    }
}

/// Returns true for a quotient, and for a product with one.
fn has_quotient(program: &Program, id: NodeId) -> bool {
    match program.node(id) {
        Node::Function(function, _) => *function == RECIPROCAL,
        Node::Mul(a, b) => has_quotient(program, *a) || has_quotient(program, *b),
        Node::Scale(a, _) | Node::Neg(a) => has_quotient(program, *a),
        _ => false,
    }
}
