//! `hypot(x, y)`: the root of x² + y².

use num_rational::BigRational;
use num_traits::Zero;

use super::{
    abs::ABSOLUTE,
    entry::{Call, CallError, Entry, Lowered, line},
    sqrt::SQRT,
};
use crate::builder::apply::apply;

pub(super) static ENTRY: Entry = Entry::new(
    "hypot",
    (2, 2),
    &[line(
        &["hypot(x, y)"],
        "real numbers; ranges that exclude x = y = 0",
        "the root of x² + y², approximate",
    )],
    lower,
)
.remedy("give one of the two a range without 0, or add what is little beside the results, as in `sqrt(x * x + y * y + 0.01)`");

/// The root of the sum of squares, or the magnitude of one number beside a constant 0, which is exact and defined at 0.
fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [x, y] = call.values()?;
    let terms = &mut *call.terms;
    let is_zero = |value: Option<BigRational>| value.is_some_and(|value| value.is_zero());
    if is_zero(terms.constant_value(x)?) || is_zero(terms.constant_value(y)?) {
        let other = terms.add(x, y)?;
        return Ok(apply(terms, ABSOLUTE, &[other])?.into());
    }
    let squares = [terms.mul(x, x)?, terms.mul(y, y)?];
    let sum = terms.add(squares[0], squares[1])?;
    Ok(apply(terms, SQRT, &[sum])?.into())
}
