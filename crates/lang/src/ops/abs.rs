//! `abs(x)`: the absolute value.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use super::entry::{Call, CallError, Entry, Lowered, line};
use crate::{
    builder::apply::apply,
    function::{Function, Given, Kind, Meaning},
};

pub(super) static ENTRY: Entry =
    Entry::new("abs", (1, 1), &[line(&["abs(a)"], "any numbers", "its magnitude")], lower)
        .elsewhere(&["absolute"]);

/// The absolute value of a number.
pub const ABSOLUTE: Function = Function::of(&Absolute);

struct Absolute;

impl Meaning for Absolute {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn kind(&self) -> Kind {
        Kind::Absolute
    }

    fn value(&self, _: &Given, of: &[BigRational]) -> Option<BigRational> {
        Some(of[0].abs())
    }

    fn word(&self, _: &Given, of: &[i64]) -> Option<i64> {
        of[0].checked_abs()
    }

    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        let a = &of[0];
        if a.contains(&BigRational::zero()) {
            Range::new(BigRational::zero(), a.max_abs())
        } else {
            Some(Range::between(a.lo().abs(), a.hi().abs()))
        }
    }

    fn denominator(&self, _: &Given, of: &[Option<BigInt>]) -> Option<BigInt> {
        of[0].clone()
    }
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let x = call.value(0)?;
    Ok(apply(call.terms, ABSOLUTE, &[x])?.into())
}
