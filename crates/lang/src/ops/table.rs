//! `table(x, [..])`: the entry at a place.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::entry::{Call, CallError, Entry, Lowered, line};
use crate::{
    builder::apply::apply,
    domain::denominators::common,
    error::BuildError,
    function::{Function, Given, Kind, Meaning},
    ids::Operand,
};

pub(super) static ENTRY: Entry =
    Entry::new("table", (2, 2), &[line(&["table(x, [t0, t1, …])"], "x from 0 on", "entry x")], lower);

/// The table of some entries: the entry at a place counted from 0, and 0 outside.
pub fn table(entries: Vec<i64>) -> Function {
    Function::new(&Table, Given::Entries(entries))
}

struct Table;

/// A place in a table.
pub(super) fn place(x: &BigRational) -> Option<usize> {
    x.is_integer().then(|| x.to_integer().to_usize())?
}

/// An entry, or 0 outside.
pub(super) fn entry(found: Option<&i64>) -> BigRational {
    BigRational::from_integer(found.copied().unwrap_or(0).into())
}

/// The ranges of entries and of 0, which places outside have.
pub(super) fn hull<'a>(entries: impl Iterator<Item = &'a i64> + Clone) -> Option<Range> {
    let all = entries.chain([&0]);
    Range::whole(*all.clone().min()?, *all.max()?)
}

/// Whether an argument is a place outside of so many.
pub(super) fn is_outside(place_of: &BigRational, length: usize) -> bool {
    place(place_of).is_none_or(|place| place >= length)
}

fn entries(given: &Given) -> &[i64] {
    if let Given::Entries(entries) = given { entries } else { &[] }
}

impl Meaning for Table {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn kind(&self) -> Kind {
        Kind::Lookup
    }

    fn value(&self, given: &Given, of: &[BigRational]) -> Option<BigRational> {
        Some(entry(place(&of[0]).and_then(|x| entries(given).get(x))))
    }

    fn word(&self, given: &Given, of: &[i64]) -> Option<i64> {
        let place = usize::try_from(of[0]).ok();
        Some(place.and_then(|x| entries(given).get(x)).copied().unwrap_or(0))
    }

    fn range(&self, given: &Given, _: &[Range]) -> Option<Range> {
        hull(entries(given).iter())
    }

    fn denominator(&self, _: &Given, of: &[Option<BigInt>]) -> Option<BigInt> {
        common(of.iter().cloned())
    }

    fn is_partial(&self, _: &[Operand]) -> bool {
        true
    }

    fn undefined_at(&self, given: &Given, of: &[BigRational]) -> Option<usize> {
        is_outside(&of[0], entries(given).len()).then_some(0)
    }
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let x = call.value(0)?;
    let entries = call.entries(&call.arguments[1])?;
    let entries = entries.ok_or(BuildError::BadTable { function: ENTRY.name, wanted: "entries" })?;
    Ok(apply(call.terms, table(entries), &[x])?.into())
}
