//! `quantile(x, q)`: the least value of a column that a part of the rows isn't above.

use super::entry::{Call, CallError, Entry, Lowered, line};
use crate::error::BuildError;

pub(super) static ENTRY: Entry = Entry::new(
    "quantile",
    (2, 2),
    &[line(&["quantile(x, q)"], "as `min(x)`; q a constant", "the value of rank ⌈q·rows⌉")],
    lower,
)
.elsewhere(&["median", "percentile"]);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [x, q] = call.values()?;
    let Some(q) = call.terms.constant_value(q)? else {
        return Err(
            BuildError::BadConstants { function: ENTRY.name, wanted: "a constant from 0 to 1" }.into()
        );
    };
    Ok(call.terms.quantile(x, &q)?.into())
}
