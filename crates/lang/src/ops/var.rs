//! `var(x)`: the population variance over the rows of a column.

use super::{
    entry::{Call, CallError, Entry, Lowered, line},
    sample,
};

pub(super) static ENTRY: Entry = Entry::new(
    "var",
    (1, 2),
    &[
        line(&["var(a)"], "columns", "the mean squared distance from the mean"),
        line(
            &["var(a, c)", "std(a, c)"],
            "columns, c a condition; finished after decryption",
            "the same and its root, of the rows where c holds",
        ),
    ],
    lower,
)
.elsewhere(&["variance"]);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    if call.arguments.len() == 2 {
        return sample::lower_of_rows(call, false);
    }
    let column = call.value(0)?;
    Ok(call.terms.var(column)?.into())
}
