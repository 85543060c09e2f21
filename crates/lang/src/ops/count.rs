//! `count(c)`: the number of rows in which a condition isn't 0.

use asanoha_numeric::BinaryFunction;

use super::{
    binary::binary,
    entry::{Call, CallError, Entry, Lowered, line},
    logic::{both, truth},
    text::category,
};
use crate::{
    builder::{
        apply::apply,
        terms::{Counted, Terms},
    },
    error::BuildError,
    ids::Term,
};

pub(super) static ENTRY: Entry = Entry::new(
    "count",
    (0, 8),
    &[
        line(
            &["count(c)"],
            "conditions: comparisons, columns of 0 and 1",
            "the number of rows where c holds",
        ),
        line(&["count(c, d, …)"], "as `count(c and d and …)`", "the same"),
        line(&["count()", "counta(x)"], "beside another column; any column of numbers", "the number of rows"),
    ],
    lower,
);

/// The number of rows in which a condition isn't 0.
///
/// # Errors
/// What isn't a column.
pub fn count(terms: &mut Terms, condition: Term) -> Result<Term, BuildError> {
    terms.check_column(condition, ENTRY.name)?;
    let truth = truth(terms, condition)?;
    terms.sum(truth)
}

/// The number of rows: those in which the square of a column isn't negative, `of` or the program's first one of numbers; or else
/// those in which a text is another, and those in which it isn't.
pub(super) fn rows(terms: &mut Terms, of: Option<Term>) -> Result<Term, BuildError> {
    let column = match (of, terms.counted().cloned()) {
        (Some(column), _) => column,
        (None, Some(Counted::Numbers(name))) => terms.input(&name)?,
        (None, Some(Counted::Text(name, text))) => {
            let column = terms.input(&name)?;
            let [is, is_not] = [true, false].map(|equal| category(terms, column, &text, equal));
            let [is, is_not] = [terms.sum(is?)?, terms.sum(is_not?)?];
            return terms.add(is, is_not);
        }
        (None, None) => {
            let wanted =
                "a condition where the program reads no column: how many rows there are is no secret";
            return Err(BuildError::BadConstants { function: ENTRY.name, wanted });
        }
    };
    let square = terms.power_whole(column, 2)?;
    let zero = terms.integer(0)?;
    let always = apply(terms, binary(BinaryFunction::GreaterOrEqual), &[square, zero])?;
    terms.sum(always)
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    if call.arguments.is_empty() {
        return Ok(rows(call.terms, None)?.into());
    }
    let mut all = call.value(0)?;
    for at in 1..call.arguments.len() {
        let next = call.value(at)?;
        let before = truth(call.terms, all)?;
        all = both(call.terms, before, next)?;
    }
    Ok(count(call.terms, all)?.into())
}
