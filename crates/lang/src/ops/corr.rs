//! `corr(x, y)` and `corr(x, y, lo, hi)`: Pearson's correlation.

use super::{
    deviation::{both_ends, spread},
    entry::{Call, CallError, Entry, Lowered, line},
    reciprocal::div,
    sqrt::SQRT,
};
use crate::{
    builder::{apply::apply, terms::Terms},
    error::BuildError,
    finished::{Finish, Unfinished},
    ids::Term,
};

pub(super) static ENTRY: Entry = Entry::new(
    "corr",
    (2, 4),
    &[line(
        &["corr(x, y)", "corr(x, y, lo, hi)"],
        "columns; with bounds, real arithmetic",
        "of the population; see below",
    )],
    lower,
)
.elsewhere(&["correlation"])
.remedy(
    "where it's computed with, give bounds of both deviations, as in `corr(x, y, 0.5, 20)`; or make it a result of its own, `r = corr(x, y)`",
);

/// `corr(a, b)`: Pearson's correlation, cov(a, b)/(std(a)·std(b)), which lies between −1 and 1; see [`std`](super::std()) for the
/// ends of both deviations.
///
/// # Errors
/// What isn't a column.
pub fn corr(terms: &mut Terms, a: Term, b: Term, ends: Option<[Term; 2]>) -> Result<Term, BuildError> {
    let covariance = terms.cov(a, b)?;
    let (of_a, of_b) = (spread(terms, a, ends)?, spread(terms, b, ends)?);
    let product = terms.mul(of_a, of_b)?;
    let root = apply(terms, SQRT, &[product])?;
    let correlation = div(terms, covariance, root)?;
    let one = terms.integer(1)?;
    let minus_one = terms.neg(one)?;
    terms.assume(correlation, minus_one, one)
}

/// `corr(a, b)` as the holder of the secret key finishes it, from an encrypted covariance and variances.
pub(crate) fn finished_corr(terms: &mut Terms, a: Term, b: Term) -> Result<Unfinished, BuildError> {
    let (covariance, of_a, of_b) = (terms.cov(a, b)?, terms.var(a)?, terms.var(b)?);
    let parts = [("covariance", covariance), ("variance_a", of_a), ("variance_b", of_b)];
    Ok(Unfinished::one(Finish::Corr, parts))
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    match call.arguments.len() {
        2 => {
            let [a, b] = call.values()?;
            let unfinished = finished_corr(call.terms, a, b)?;
            Ok(Lowered::Finished(unfinished, Some(corr(call.terms, a, b, None)?)))
        }
        4 => {
            let ends = [call.value(2)?, call.value(3)?];
            let [a, b] = call.values()?;
            Ok(corr(call.terms, a, b, Some(ends))?.into())
        }
        _ => Err(both_ends(ENTRY.name).into()),
    }
}
