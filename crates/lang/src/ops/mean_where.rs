//! `mean_where(y, c)`: the mean of a column over the rows where a condition isn't 0.

use super::{
    count::count,
    entry::{Call, CallError, Entry, Lowered, line},
    logic::truth,
    ratio::ratio,
};
use crate::{builder::terms::Terms, error::BuildError, finished::Unfinished, ids::Term};

pub(super) static ENTRY: Entry = Entry::new(
    "mean_where",
    (2, 2),
    &[line(
        &["mean_where(y, c)"],
        "columns; finished after decryption",
        "the mean of y over the rows where c is not 0",
    )],
    lower,
);

/// `mean_where(y, c)`: the mean of a column over the rows where a condition isn't 0; missing where there are none.
///
/// # Errors
/// What isn't a column.
pub fn mean_where(terms: &mut Terms, y: Term, condition: Term) -> Result<Unfinished, BuildError> {
    let count = count(terms, condition)?;
    let condition = truth(terms, condition)?;
    let sum = terms.dot(condition, y)?;
    ratio(terms, sum, count)
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [y, condition] = call.values()?;
    Ok(Lowered::Finished(mean_where(call.terms, y, condition)?, None))
}
