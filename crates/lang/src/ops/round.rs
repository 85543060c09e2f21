//! `round(x)` and `round(x, n)`: the nearest whole number, or decimal of n places, the upper one of two.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Pow;

use super::{
    entry::{Call, CallError, Entry, Lowered, line},
    floor::FLOOR,
    reciprocal::div,
};
use crate::{builder::apply::apply, error::BuildError};

pub(super) static ENTRY: Entry = Entry::new(
    "round",
    (1, 2),
    &[line(
        &["round(x)", "round(x, n)"],
        "as `floor(x)`; n a constant from −18 to 18",
        "the nearest whole number, or decimal of n places; halves are rounded up",
    )],
    lower,
);

/// The most places that are rounded to.
const MOST_PLACES: i64 = 18;

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let x = call.value(0)?;
    call.terms.check(x)?;
    let places = if call.arguments.len() == 1 {
        0
    } else {
        let places = call.value(1)?;
        let places = call.terms.whole_constant(places)?.filter(|n| n.abs() <= MOST_PLACES);
        let wanted = "a value and a constant number of places from -18 to 18";
        places.ok_or(BuildError::BadConstants { function: ENTRY.name, wanted })?
    };
    let power = Pow::pow(BigInt::from(10), places.unsigned_abs());
    let unit = BigRational::from_integer(power);
    let unit = call.terms.constant(if places < 0 { unit.recip() } else { unit })?;
    let scaled = call.terms.mul(x, unit)?;
    let raised = call.terms.offset(scaled, &BigRational::new(1.into(), 2.into()))?;
    let rounded = apply(call.terms, FLOOR, &[raised])?;
    Ok(div(call.terms, rounded, unit)?.into())
}
