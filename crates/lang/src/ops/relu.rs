//! `relu(x)`: the larger of a number and 0.

use super::{
    entry::{Call, CallError, Entry, Lowered, line},
    extremes::MAXIMUM,
};
use crate::builder::apply::apply;

pub(super) static ENTRY: Entry =
    Entry::new("relu", (1, 1), &[line(&["relu(a)"], "any numbers", "max(a, 0)")], lower);

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let x = call.value(0)?;
    let zero = call.terms.integer(0)?;
    Ok(apply(call.terms, MAXIMUM, &[x, zero])?.into())
}
