//! `sum(x)`: the sum over the rows of a column.

use super::{
    entry::{Call, CallError, Entry, Line, Lowered, line},
    logic::truth,
};

pub(super) static ENTRY: Entry = Entry::new("sum", (1, 2), &LINES, lower)
    .elsewhere(&["total"])
    .help("the sum of several columns is `sum(a) + sum(b)`");

static LINES: [Line; 2] = [
    line(&["sum(a)"], "columns", "the sum of all rows"),
    line(&["sum(a, c)"], "columns, c a condition", "the sum of the rows where c holds"),
];

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let column = call.value(0)?;
    if call.arguments.len() == 2 {
        let condition = call.value(1)?;
        let condition = truth(call.terms, condition)?;
        return Ok(call.terms.dot(condition, column)?.into());
    }
    Ok(call.terms.sum(column)?.into())
}
