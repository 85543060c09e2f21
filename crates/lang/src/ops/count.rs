//! `count(c)`: the number of rows in which a condition isn't 0.

use asanoha_numeric::BinaryFunction;

use super::{
    binary::binary,
    entry::{Call, CallError, Entry, Lowered, line},
    logic::{both, truth},
};
use crate::{
    builder::{apply::apply, terms::Terms},
    error::BuildError,
    ids::Term,
};

pub(super) static ENTRY: Entry = Entry::new(
    "count",
    (0, 8),
    &[
        line(
            &["count(c)"],
            "conditions: comparisons, columns of 0 and 1",
            "the number of rows where c holds",
        ),
        line(&["count(c, d, …)"], "as `count(c and d and …)`", "the same"),
        line(&["count()"], "beside a column of numbers", "the number of rows"),
    ],
    lower,
);

/// The number of rows in which a condition isn't 0.
///
/// # Errors
/// What isn't a column.
pub fn count(terms: &mut Terms, condition: Term) -> Result<Term, BuildError> {
    terms.check_column(condition, ENTRY.name)?;
    let truth = truth(terms, condition)?;
    terms.sum(truth)
}

/// The number of rows: those in which the square of a column isn't negative.
fn rows(terms: &mut Terms) -> Result<Term, BuildError> {
    let column = terms.counted_column().ok_or(BuildError::BadConstants {
        function: ENTRY.name,
        wanted: "a condition where the program reads no column of numbers",
    })?;
    let square = terms.power_whole(column, 2)?;
    let zero = terms.integer(0)?;
    let always = apply(terms, binary(BinaryFunction::GreaterOrEqual), &[square, zero])?;
    terms.sum(always)
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    if call.arguments.is_empty() {
        return Ok(rows(call.terms)?.into());
    }
    let mut all = call.value(0)?;
    for at in 1..call.arguments.len() {
        let next = call.value(at)?;
        let before = truth(call.terms, all)?;
        all = both(call.terms, before, next)?;
    }
    Ok(count(call.terms, all)?.into())
}
