//! `floor(x)`: the number rounded down.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::entry::{Call, CallError, Entry, Lowered, line};
use crate::{
    builder::apply::apply,
    function::{Function, Given, Kind, Meaning},
};

pub(super) static ENTRY: Entry = Entry::new(
    "floor",
    (1, 1),
    &[line(
        &["floor(x)"],
        "decimals and fractions of whole numbers; real ones in narrow ranges",
        "the largest whole number that is not above x",
    )],
    lower,
)
.elsewhere(&["ceil", "int", "trunc"]);

/// The number rounded down. [`specialised`](crate::specialised) makes other operations of it.
pub const FLOOR: Function = Function::of(&Floor);

struct Floor;

impl Meaning for Floor {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn kind(&self) -> Kind {
        Kind::Floor
    }

    fn value(&self, _: &Given, of: &[BigRational]) -> Option<BigRational> {
        Some(of[0].floor())
    }

    fn word(&self, _: &Given, of: &[i64]) -> Option<i64> {
        Some(of[0])
    }

    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        Range::new(of[0].lo().floor(), of[0].hi().floor())
    }

    fn denominator(&self, _: &Given, _: &[Option<BigInt>]) -> Option<BigInt> {
        Some(BigInt::one())
    }
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let x = call.value(0)?;
    Ok(apply(call.terms, FLOOR, &[x])?.into())
}
