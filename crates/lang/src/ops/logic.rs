//! `and`, `or` and `not` of conditions.

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::choice::CHOICE;
use crate::{
    builder::{
        apply::apply,
        terms::{Entry, Terms},
    },
    error::BuildError,
    ids::Term,
    node::Node,
};

/// `a and b`: 1 where neither is 0, else 0.
///
/// # Errors
/// Those of a choice.
pub fn both(terms: &mut Terms, a: Term, b: Term) -> Result<Term, BuildError> {
    let (b, zero) = (truth(terms, b)?, terms.integer(0)?);
    apply(terms, CHOICE, &[a, b, zero])
}

/// `a or b`: 1 where one of the two isn't 0, else 0.
///
/// # Errors
/// Those of a choice.
pub fn either(terms: &mut Terms, a: Term, b: Term) -> Result<Term, BuildError> {
    let (b, one) = (truth(terms, b)?, terms.integer(1)?);
    apply(terms, CHOICE, &[a, one, b])
}

/// `not a`: 1 where a is 0, else 0.
///
/// # Errors
/// Those of a choice.
pub fn neither(terms: &mut Terms, a: Term) -> Result<Term, BuildError> {
    let (zero, one) = (terms.integer(0)?, terms.integer(1)?);
    apply(terms, CHOICE, &[a, zero, one])
}

/// 1 where a isn't 0, else 0: a itself where it can be nothing else.
pub(super) fn truth(terms: &mut Terms, a: Term) -> Result<Term, BuildError> {
    terms.check(a)?;
    if is_condition(terms, a) {
        return Ok(a);
    }
    let (one, zero) = (terms.integer(1)?, terms.integer(0)?);
    apply(terms, CHOICE, &[a, one, zero])
}

/// Whether a term is 0 or 1 by the way it's made: a comparison, or a choice of such.
pub(super) fn is_condition(terms: &Terms, a: Term) -> bool {
    let is_bit = |value: &BigRational| value.is_zero() || value.is_one();
    match &terms.entries[a.index()] {
        Entry::Constant(value) => is_bit(value),
        Entry::Node(Node::Function(function, operands)) => {
            function.is_truth(operands, |id| is_comparison(terms, id.0))
        }
        Entry::Node(_) => false,
    }
}

fn is_comparison(terms: &Terms, at: usize) -> bool {
    matches!(&terms.entries[at], Entry::Node(Node::Function(function, _)) if function.is_comparison())
}
