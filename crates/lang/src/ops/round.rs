//! `round(x)`: the nearest whole number, the upper one of two.

use num_rational::BigRational;

use super::{
    entry::{Call, CallError, Entry, Lowered, line},
    floor::FLOOR,
};
use crate::builder::apply::apply;

pub(super) static ENTRY: Entry = Entry::new(
    "round",
    (1, 1),
    &[line(&["round(x)"], "as `floor(x)`", "the nearest whole number; halves are rounded up")],
    lower,
)
.help("one decimal place is `round(10 * x) / 10`");

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let x = call.value(0)?;
    call.terms.check(x)?;
    let raised = call.terms.offset(x, &BigRational::new(1.into(), 2.into()))?;
    Ok(apply(call.terms, FLOOR, &[raised])?.into())
}
