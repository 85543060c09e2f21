//! `std(x)` and `std(x, lo, hi)`: the root of the population variance.

use super::{
    entry::{Call, CallError, Entry, Lowered, line},
    sample,
    sqrt::SQRT,
};
use crate::{
    builder::{apply::apply, terms::Terms},
    error::BuildError,
    finished::{Finish, Unfinished},
    ids::Term,
};

pub(super) static ENTRY: Entry = Entry::new(
    "std",
    (1, 3),
    &[line(
        &["std(x)", "std(x, lo, hi)"],
        "columns; with bounds, real arithmetic",
        "of the population; see below",
    )],
    lower,
)
.remedy(
    "where it's computed with, give bounds of the variance, as in `sqrt(assume(var(x), 0.25, 400))`; or make it a result of its own, `s = std(x)`",
);

/// `std(a)`: the root of the population variance, which must be above 0; `ends` are two constants above 0 between which it
/// lies by the author's word.
///
/// # Errors
/// What isn't a column.
pub fn std(terms: &mut Terms, a: Term, ends: Option<[Term; 2]>) -> Result<Term, BuildError> {
    terms.check_column(a, ENTRY.name)?;
    let variance = spread(terms, a, ends)?;
    apply(terms, SQRT, &[variance])
}

/// The variance, between the squares of two numbers.
pub(super) fn spread(terms: &mut Terms, a: Term, ends: Option<[Term; 2]>) -> Result<Term, BuildError> {
    let variance = terms.var(a)?;
    let Some(ends) = ends else { return Ok(variance) };
    let [lo, hi] = [terms.power_whole(ends[0], 2)?, terms.power_whole(ends[1], 2)?];
    terms.assume(variance, lo, hi)
}

/// `std(a)` as the holder of the secret key finishes it: the root of an encrypted variance.
pub(crate) fn finished_std(terms: &mut Terms, a: Term) -> Result<Unfinished, BuildError> {
    terms.check_column(a, ENTRY.name)?;
    let variance = terms.var(a)?;
    Ok(Unfinished::one(Finish::Std, [("variance", variance)]))
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    match call.arguments.len() {
        1 => {
            let a = call.value(0)?;
            let unfinished = finished_std(call.terms, a)?;
            Ok(Lowered::Finished(unfinished, Some(std(call.terms, a, None)?)))
        }
        2 if call.terms.constant_value(call.value(1)?)?.is_none() => sample::lower_of_rows(call, true),
        3 => {
            let ends = [call.value(1)?, call.value(2)?];
            let a = call.value(0)?;
            Ok(std(call.terms, a, Some(ends))?.into())
        }
        _ => Err(both_ends(ENTRY.name).into()),
    }
}

/// The error of one end of deviations.
pub(super) fn both_ends(function: &'static str) -> BuildError {
    BuildError::BadConstants { function, wanted: "both ends of the deviations, or neither" }
}
