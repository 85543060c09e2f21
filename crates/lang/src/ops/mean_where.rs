//! `mean_where(y, c)`: the mean of a column over the rows where a condition isn't 0.

use super::{
    count::count,
    entry::{Call, CallError, Entry, Lowered, line},
    logic::truth,
    ratio::ratio,
    reciprocal::div,
};
use crate::{builder::terms::Terms, error::BuildError, finished::Unfinished, ids::Term};

pub(super) static ENTRY: Entry = Entry::new(
    "mean_where",
    (2, 2),
    &[line(
        &["mean_where(y, c)", "mean(y, c)"],
        "columns, c a condition; finished after decryption",
        "the mean of y over the rows where c holds",
    )],
    lower,
);

/// `mean_where(y, c)`: the mean of a column over the rows where a condition isn't 0; missing where there are none.
///
/// # Errors
/// What isn't a column.
pub fn mean_where(terms: &mut Terms, y: Term, condition: Term) -> Result<Unfinished, BuildError> {
    let [sum, count] = sum_and_count(terms, y, condition)?;
    ratio(terms, sum, count)
}

fn sum_and_count(terms: &mut Terms, y: Term, condition: Term) -> Result<[Term; 2], BuildError> {
    let count = count(terms, condition)?;
    let condition = truth(terms, condition)?;
    Ok([terms.dot(condition, y)?, count])
}

/// A mean as an output, or where it's computed with: then numbers over all rows are divided after decryption again, if they're outputs.
pub(super) fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [y, condition] = [call.value(0)?, call.value(1)?];
    let [sum, count] = sum_and_count(call.terms, y, condition)?;
    let value = div(call.terms, sum, count)?;
    Ok(Lowered::Finished(ratio(call.terms, sum, count)?, Some(value)))
}
