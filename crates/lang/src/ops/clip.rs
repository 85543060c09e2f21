//! `clip(x, lo, hi)`: the number between two others that is nearest to x.

use super::{
    entry::{Call, CallError, Entry, Lowered, line},
    extremes::{MAXIMUM, MINIMUM},
};
use crate::builder::apply::apply;

pub(super) static ENTRY: Entry =
    Entry::new("clip", (3, 3), &[line(&["clip(x, lo, hi)"], "any numbers", "min(max(x, lo), hi)")], lower)
        .elsewhere(&["clamp"]);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [x, lo, hi] = call.values()?;
    let above = apply(call.terms, MAXIMUM, &[x, lo])?;
    Ok(apply(call.terms, MINIMUM, &[above, hi])?.into())
}
