//! `sum(x)`: the sum over the rows of a column.

use super::entry::{Call, CallError, Entry, Lowered, line};

pub(super) static ENTRY: Entry =
    Entry::new("sum", (1, 1), &[line(&["sum(a)"], "columns", "the sum of all rows")], lower)
        .elsewhere(&["total"]);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let column = call.value(0)?;
    Ok(call.terms.sum(column)?.into())
}
