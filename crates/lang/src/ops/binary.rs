//! The functions of two numbers, by what they are.

use asanoha_numeric::BinaryFunction;

use super::{
    comparison::comparison,
    extremes::{MAXIMUM, MINIMUM},
    floor_div::QUOTIENT,
    remainder::REMAINDER,
};
use crate::{
    builder::{apply::apply, terms::Terms},
    error::BuildError,
    function::Function,
    ids::Term,
};

/// A function of two numbers.
pub fn binary(function: BinaryFunction) -> Function {
    match function {
        BinaryFunction::Quotient => QUOTIENT,
        BinaryFunction::Remainder => REMAINDER,
        BinaryFunction::Minimum => MINIMUM,
        BinaryFunction::Maximum => MAXIMUM,
        other => comparison(other).expect("all others are comparisons"),
    }
}

/// A function of a term and a whole constant.
///
/// # Errors
/// Those of [`apply`].
pub fn with_constant(
    terms: &mut Terms,
    function: BinaryFunction,
    a: Term,
    constant: i64,
) -> Result<Term, BuildError> {
    let constant = terms.integer(constant)?;
    apply(terms, binary(function), &[a, constant])
}
