//! `count(c)`: the number of rows in which a condition isn't 0.

use super::{
    entry::{Call, CallError, Entry, Lowered, line},
    logic::truth,
};
use crate::{builder::terms::Terms, error::BuildError, ids::Term};

pub(super) static ENTRY: Entry = Entry::new(
    "count",
    (1, 1),
    &[line(&["count(c)"], "columns", "the number of rows where c is not 0")],
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

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let condition = call.value(0)?;
    Ok(count(call.terms, condition)?.into())
}
