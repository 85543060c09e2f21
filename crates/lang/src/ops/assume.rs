//! `assume(x, lo, hi)`: a number that lies between two others by the author's word.

use super::entry::{Call, CallError, Entry, Lowered, line};

pub(super) static ENTRY: Entry = Entry::new(
    "assume",
    (3, 3),
    &[line(&["assume(x, lo, hi)"], "any numbers; lo and hi constants", "x, assumed to be in \\[lo, hi\\]")],
    lower,
);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [x, lo, hi] = call.values()?;
    Ok(call.terms.assume(x, lo, hi)?.into())
}
