//! `formula('p1 / sqrt(p2)', [x, y])`: what the holder of the secret key computes of decrypted values.

use super::entry::{Call, CallError, Entry, Lowered, Passed, line};
use crate::{
    builder::terms::Terms,
    error::BuildError,
    finished::{Finish, Unfinished},
    formula::Formula,
    ids::Term,
};

pub(super) static ENTRY: Entry = Entry::new(
    "formula",
    (2, 2),
    &[line(
        &["formula('p1 / sqrt(p2)', [x, y])"],
        "values; `+`, `-`, `*`, `/`, `sqrt` and `floor` of these and constants; finished after decryption",
        "the formula's value, where p1 is x and p2 is y",
    )],
    lower,
);

/// `formula(text, parts)`: sums, products, quotients, roots and roundings of encrypted values, which the holder of the secret key
/// computes of the decrypted ones. Parts that are the same number for all data become constants of it.
///
/// # Errors
/// Texts that aren't such a formula, and foreign terms.
pub(crate) fn formula(terms: &mut Terms, text: &str, parts: &[Term]) -> Result<Unfinished, BuildError> {
    let wanted = "a formula of `p1`, `p2`, …, each of which is an entry of the list, by `+`, `-`, `*`, `/`, `sqrt` and `floor`";
    let bad = || BuildError::BadConstants { function: ENTRY.name, wanted };
    parts.iter().try_for_each(|part| terms.check(*part))?;
    let mut formula = Formula::parse(text, parts.len()).ok_or_else(bad)?;
    let fixed = |part: &Term| terms.fixed_value(*part).filter(|_| !terms.is_column(*part));
    let constants: Vec<_> = parts.iter().map(fixed).collect();
    let left: Vec<Term> = parts
        .iter()
        .zip(&constants)
        .filter(|(_, constant)| constant.is_none())
        .map(|(part, _)| *part)
        .collect();
    if !left.is_empty() && left.len() < parts.len() {
        formula = Formula::parse(&formula.with_constants(&constants), left.len()).ok_or_else(bad)?;
    }
    let parts = if left.is_empty() { parts.to_vec() } else { left };
    let parts =
        parts.into_iter().enumerate().map(|(at, part)| (crate::formula::part_name(at + 1), part)).collect();
    Ok(Unfinished { function: Finish::Formula(Box::new(formula)), results: vec![String::new()], parts })
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let Passed::Text(text) = call.arguments[0].clone() else {
        let wanted = "a formula in quotes and a list of values";
        return Err(BuildError::BadConstants { function: ENTRY.name, wanted }.into());
    };
    let parts = call.list(1).unwrap_or_default().iter().map(Passed::value).collect::<Result<Vec<_>, _>>()?;
    Ok(Lowered::Finished(formula(call.terms, &text, &parts)?, None))
}
