//! `linear(@w)`: columns times weights that are named after them. The parser writes it as a sum of products.

use super::entry::{Call, CallError, Entry, Lowered, line};
use crate::error::BuildError;

pub(super) static ENTRY: Entry = Entry::new(
    "linear",
    (1, 1),
    &[line(
        &["linear(@w)"],
        "a file of weights with column names",
        "the sum of products, plus the weight `intercept` or `bias`",
    )],
    lower,
);

fn lower(_: &mut Call<'_>) -> Result<Lowered, CallError> {
    let wanted = "the weights of a file, such as linear(@weights)";
    Err(BuildError::BadConstants { function: ENTRY.name, wanted }.into())
}
