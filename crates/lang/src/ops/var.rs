//! `var(x)`: the population variance over the rows of a column.

use super::entry::{Call, CallError, Entry, Lowered, line};

pub(super) static ENTRY: Entry = Entry::new(
    "var",
    (1, 1),
    &[line(&["var(a)"], "columns", "the mean squared distance from the mean")],
    lower,
)
.elsewhere(&["variance"]);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let column = call.value(0)?;
    Ok(call.terms.var(column)?.into())
}
