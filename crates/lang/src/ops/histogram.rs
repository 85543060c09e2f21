//! `histogram(x, lo, hi)`: how many rows have each whole part.

use asanoha_numeric::BinaryFunction;

use super::{
    binary::with_constant,
    count::count,
    entry::{Call, CallError, Entry, Lowered, line},
    floor::FLOOR,
};
use crate::{builder::apply::apply, error::BuildError, ids::Term, limits::MAX_BINS};

pub(super) static ENTRY: Entry = Entry::new(
    "histogram",
    (3, 3),
    &[line(
        &["histogram(x, lo, hi)"],
        "columns of whole numbers and decimals",
        "one output for every whole part",
    )],
    lower,
)
.elsewhere(&["hist"]);

/// How many rows of a column have each of the whole parts between two constant whole numbers; of whole columns, the values.
fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let bad = BuildError::BadConstants {
        function: ENTRY.name,
        wanted: "a column and two constant whole numbers, the lower one first, with at most 256 from one to the other",
    };
    let [column, lo, hi] = call.values()?;
    let values = match [call.terms.whole_constant(lo)?, call.terms.whole_constant(hi)?] {
        [Some(lo), Some(hi)] if lo <= hi && hi.abs_diff(lo) < MAX_BINS => lo..=hi,
        _ => return Err(bad.into()),
    };
    let counted = |value: i64| -> Result<(String, Term), CallError> {
        let part = apply(call.terms, FLOOR, &[column])?;
        let equal = with_constant(call.terms, BinaryFunction::Equal, part, value)?;
        let sign = if value < 0 { "minus_" } else { "" };
        Ok((format!("_{sign}{}", value.unsigned_abs()), count(call.terms, equal)?))
    };
    Ok(Lowered::Several(values.map(counted).collect::<Result<_, _>>()?))
}
