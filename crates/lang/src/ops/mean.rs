//! `mean(x)`: the mean over the rows of a column, or over those where a condition holds.

use super::{
    entry::{Call, CallError, Entry, Lowered, line},
    mean_where,
};

pub(super) static ENTRY: Entry =
    Entry::new("mean", (1, 2), &[line(&["mean(a)"], "columns", "the mean of all rows")], lower)
        .elsewhere(&["average", "avg"]);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    if call.arguments.len() == 2 {
        return mean_where::lower(call);
    }
    let column = call.value(0)?;
    Ok(call.terms.mean(column)?.into())
}
