//! `mean(x)`: the mean over the rows of a column.

use super::entry::{Call, CallError, Entry, Lowered, line};

pub(super) static ENTRY: Entry =
    Entry::new("mean", (1, 1), &[line(&["mean(a)"], "columns", "the mean of all rows")], lower)
        .elsewhere(&["average", "avg"]);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let column = call.value(0)?;
    Ok(call.terms.mean(column)?.into())
}
