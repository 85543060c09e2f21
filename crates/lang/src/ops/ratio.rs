//! `ratio(a, b)`: the quotient of two numbers over all rows.

use super::{
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
    "ratio",
    (2, 2),
    &[line(&["ratio(a, b)"], "two numbers over all rows; finished after decryption", "a/b")],
    lower,
);

pub(super) static ENTRY_ROOT: Entry = Entry::new(
    "ratio_root",
    (2, 2),
    &[line(&["ratio_root(a, b)"], "as `ratio(a, b)`", "the root of a/b")],
    |call| {
        let [a, b] = call.values()?;
        lower_root(call, a, b)
    },
);

/// The root of a quotient, which may be computed with.
pub(super) fn lower_root(call: &mut Call<'_>, a: Term, b: Term) -> Result<Lowered, CallError> {
    let quotient = div(call.terms, a, b)?;
    let root = apply(call.terms, SQRT, &[quotient])?;
    Ok(Lowered::Finished(ratio_root(call.terms, a, b)?, Some(root)))
}

/// `ratio(a, b)`: a/b of two numbers over all rows, divided by the holder of the secret key. It's missing where b is 0.
///
/// ```
/// use asanoha_lang::{BuildError, ProgramBuilder, ops::ratio};
///
/// let mut builder = ProgramBuilder::new();
/// let (price, pieces) = (builder.input("price")?, builder.input("pieces")?);
/// let (paid, sold) = (builder.dot(price, pieces)?, builder.sum(pieces)?);
/// let mean_price = ratio(&mut builder, paid, sold)?;
/// builder.finish_output("mean_price", mean_price)?;
/// let program = builder.finish()?;
/// assert_eq!(program.finished()[0].parts, ["mean_price.dividend", "mean_price.divisor"]);
/// assert!(program.shown_outputs().is_empty());
/// # Ok::<(), BuildError>(())
/// ```
///
/// # Errors
/// Columns and constants.
pub fn ratio(terms: &mut Terms, a: Term, b: Term) -> Result<Unfinished, BuildError> {
    parts(terms, ENTRY.name, a, b)?;
    Ok(Unfinished::one(Finish::Ratio, [("dividend", a), ("divisor", b)]))
}

/// `ratio_root(a, b)`: the root of a/b, as [`ratio`].
pub(crate) fn ratio_root(terms: &mut Terms, a: Term, b: Term) -> Result<Unfinished, BuildError> {
    parts(terms, ENTRY_ROOT.name, a, b)?;
    Ok(Unfinished::one(Finish::RatioRoot, [("dividend", a), ("divisor", b)]))
}

fn parts(terms: &Terms, function: &'static str, a: Term, b: Term) -> Result<(), BuildError> {
    if !is_number(terms, a)? || !is_number(terms, b)? {
        let wanted = "two numbers over all rows, such as sum(x) and count(x > 0)";
        return Err(BuildError::BadConstants { function, wanted });
    }
    Ok(())
}

/// Whether a term is a number that depends on the data.
fn is_number(terms: &Terms, a: Term) -> Result<bool, BuildError> {
    Ok(terms.constant_value(a)?.is_none() && !terms.is_column(a))
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [a, b] = call.values()?;
    let finished = ratio(call.terms, a, b)?;
    Ok(Lowered::Finished(finished, Some(div(call.terms, a, b)?)))
}
