//! `cov(x, y)`: the population covariance over the rows of two columns.

use super::entry::{Call, CallError, Entry, Lowered, line};

pub(super) static ENTRY: Entry =
    Entry::new("cov", (2, 2), &[line(&["cov(x, y)"], "columns", "the population covariance")], lower)
        .elsewhere(&["covariance"]);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [a, b] = call.values()?;
    Ok(call.terms.cov(a, b)?.into())
}
