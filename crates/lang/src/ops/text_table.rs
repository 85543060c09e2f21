//! `table(x, {'a': t0, 'b': t1})`: the number that stands beside a text.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::{
    entry::{Call, CallError, Lowered, Passed},
    reciprocal::div,
    table_entries::{hull, whole_entries},
};
use crate::{
    builder::apply::apply,
    function::{Function, Given, Kind, Meaning},
    names,
};

struct TextTable;

fn entries(given: &Given) -> &[(String, i64)] {
    if let Given::Texts(entries) = given { entries } else { &[] }
}

impl Meaning for TextTable {
    fn name(&self) -> &'static str {
        "table"
    }

    fn kind(&self) -> Kind {
        Kind::TextTable
    }

    /// It's of texts, not of numbers.
    fn value(&self, _: &Given, _: &[BigRational]) -> Option<BigRational> {
        None
    }

    fn range(&self, given: &Given, _: &[Range]) -> Option<Range> {
        hull(entries(given).iter().map(|(_, number)| number))
    }

    fn denominator(&self, _: &Given, _: &[Option<BigInt>]) -> Option<BigInt> {
        Some(BigInt::one())
    }

    fn written(&self, given: &Given, of: Vec<String>) -> String {
        let entries = entries(given).iter();
        let entries: Vec<String> =
            entries.map(|(text, number)| format!("{}: {number}", names::literal(text))).collect();
        format!("table({}, {{{}}})", of.join(""), entries.join(", "))
    }
}

/// A table of constants by texts: of fractions, one of their whole multiples, divided by their common denominator.
pub(super) fn lower(call: &mut Call<'_>, items: &[(Passed, Passed)]) -> Result<Lowered, CallError> {
    let bad = |wanted: &str| {
        let help = "it's written `table(region, {'east': 1.5, 'North': 2})`";
        CallError::new(format!("`table` in braces takes {wanted}"), Some(help))
    };
    let column = call.value(0)?;
    let mut numbers: Vec<(String, BigRational)> = Vec::with_capacity(items.len());
    for (text, number) in items {
        let Passed::Text(text) = text else { return Err(bad("entries that are named by texts")) };
        if numbers.iter().any(|(other, _)| other == text) {
            let message = format!("the table names {} twice", names::literal(text));
            return Err(CallError::new(message, Some("every text has one entry: leave one of them out")));
        }
        let Some(number) = call.terms.constant_value(number.value()?)? else {
            return Err(bad("a constant number beside each text"));
        };
        numbers.push((text.clone(), number));
    }
    if numbers.is_empty() {
        return Err(bad("an entry for each category"));
    }
    let (texts, numbers): (Vec<String>, Vec<BigRational>) = numbers.into_iter().unzip();
    let whole = whole_entries(numbers);
    let (entries, unit) =
        whole.ok_or_else(|| bad("entries of at most 63 bits over their common denominator"))?;
    let entries = texts.into_iter().zip(entries).collect();
    let looked_up = apply(call.terms, Function::new(&TextTable, Given::Texts(entries)), &[column])?;
    let unit = call.terms.constant(unit)?;
    Ok(div(call.terms, looked_up, unit)?.into())
}
