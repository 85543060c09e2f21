//! `table(x, [..])`: the entry at a place, and `table(x, {..})`: the entry of a text.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::{
    entry::{Call, CallError, Entry, Line, Lowered, Passed, line},
    reciprocal::div,
    table_entries::{hull, whole_entries},
    text_table,
};
use crate::{
    builder::apply::apply,
    domain::denominators::common,
    error::BuildError,
    function::{Function, Given, Kind, Meaning},
    ids::Operand,
};

pub(super) static ENTRY: Entry =
    Entry::new("table", (2, 2), &LINES, lower).help("a table is written `table(x, [3, 1, 4])`");

static LINES: [Line; 2] = [
    line(&["table(x, [t0, t1, …])"], "x from 0 on", "entry x"),
    line(
        &["table(x, {'a': t0, 'b': t1, …})"],
        "x a text column",
        "the number beside the text, one for each category",
    ),
];

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
    if let Passed::Entries(items) = &call.arguments[1] {
        return text_table::lower(call, &items.clone());
    }
    let bad = || BuildError::BadTable { function: ENTRY.name, wanted: "entries" };
    let items = call.list(1).ok_or_else(bad)?.to_vec();
    let mut numbers = Vec::with_capacity(items.len());
    for item in &items {
        let Passed::Value(term) = item else { return Err(bad().into()) };
        numbers.push(call.terms.constant_value(*term)?.ok_or_else(bad)?);
    }
    let (entries, unit) = whole_entries(numbers).ok_or_else(bad)?;
    let looked_up = apply(call.terms, table(entries), &[x])?;
    let unit = call.terms.constant(unit)?;
    Ok(div(call.terms, looked_up, unit)?.into())
}
