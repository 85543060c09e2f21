//! `sign(x)` and `sign(x, gap)`.

use asanoha_numeric::BinaryFunction;

use super::{
    binary::binary,
    entry::{Call, CallError, Entry, Lowered, line},
    less_than::less_than,
};
use crate::{
    builder::{apply::apply, terms::Terms},
    error::BuildError,
    ids::Term,
};

pub(super) static ENTRY: Entry = Entry::new(
    "sign",
    (1, 2),
    &[line(&["sign(x)", "sign(x, gap)"], "any numbers; real ones up to a gap", "−1, 0 or 1")],
    lower,
);

/// The sign of a number, as 0 < x less x < 0; see [`less_than`] for the gap.
///
/// # Errors
/// [`BuildError::BadGap`].
pub fn sign(terms: &mut Terms, x: Term, gap: Option<Term>) -> Result<Term, BuildError> {
    let zero = terms.integer(0)?;
    let mut less = |a, b| match gap {
        Some(gap) => less_than(terms, a, b, gap),
        None => apply(terms, binary(BinaryFunction::Less), &[a, b]),
    };
    let (positive, negative) = (less(zero, x)?, less(x, zero)?);
    terms.sub(positive, negative)
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let x = call.value(0)?;
    let gap = if call.arguments.len() > 1 { Some(call.value(1)?) } else { None };
    Ok(sign(call.terms, x, gap)?.into())
}
