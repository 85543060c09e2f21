//! `table2(x, y, [[..], ..])`: the entry of a row and a column.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;

use super::{
    entry::{Call, CallError, Entry, Lowered, line},
    table::{entry, is_outside, place},
    table_entries::hull,
};
use crate::{
    builder::apply::apply,
    domain::denominators::common,
    error::BuildError,
    function::{Function, Given, Kind, Meaning},
    ids::Operand,
};

pub(super) static ENTRY: Entry = Entry::new(
    "table2",
    (3, 3),
    &[line(&["table2(x, y, [[…], …])"], "x, y from 0 on", "the entry in row x, column y")],
    lower,
);

struct Table2;

fn rows(given: &Given) -> &[Vec<i64>] {
    if let Given::Rows(rows) = given { rows } else { &[] }
}

impl Meaning for Table2 {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn kind(&self) -> Kind {
        Kind::Lookup
    }

    fn value(&self, given: &Given, of: &[BigRational]) -> Option<BigRational> {
        let row = place(&of[0]).and_then(|x| rows(given).get(x));
        Some(entry(row.and_then(|row| row.get(place(&of[1])?))))
    }

    fn word(&self, given: &Given, of: &[i64]) -> Option<i64> {
        let place = |x: i64| usize::try_from(x).ok();
        let row = place(of[0]).and_then(|x| rows(given).get(x));
        Some(row.and_then(|row| row.get(place(of[1])?)).copied().unwrap_or(0))
    }

    fn range(&self, given: &Given, _: &[Range]) -> Option<Range> {
        hull(rows(given).iter().flatten())
    }

    fn denominator(&self, _: &Given, of: &[Option<BigInt>]) -> Option<BigInt> {
        common(of.iter().cloned())
    }

    fn is_partial(&self, _: &[Operand]) -> bool {
        true
    }

    fn undefined_at(&self, given: &Given, of: &[BigRational]) -> Option<usize> {
        let rows = rows(given);
        (0..2).find(|&at| is_outside(&of[at], [rows.len(), rows[0].len()][at]))
    }
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [x, y] = call.values()?;
    let rows = call.list(2).unwrap_or_default().iter().map(|row| call.entries(row));
    let rows = rows.collect::<Result<Option<Vec<_>>, _>>()?.filter(|_| call.list(2).is_some());
    let rows = rows.ok_or(BuildError::BadTable { function: ENTRY.name, wanted: "rows" })?;
    Ok(apply(call.terms, Function::new(&Table2, Given::Rows(rows)), &[x, y])?.into())
}
