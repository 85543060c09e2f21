//! `least_squares(y, [x1, x2, …])`: the intercept and the coefficients of columns that come nearest to another.

use super::entry::{Call, CallError, Entry, Lowered, Passed, line};
use crate::{
    builder::terms::Terms,
    error::BuildError,
    finished::{Finish, Unfinished},
    ids::Term,
    limits::MAX_LEAST_SQUARES,
    names,
    node::Node,
};

pub(super) static ENTRY: Entry = Entry::new(
    "least_squares",
    (2, 2),
    &[line(
        &["least_squares(y, [x1, x2, …])"],
        "columns; finished after decryption",
        "intercept and coefficients",
    )],
    lower,
);

/// `least_squares(y, [x1, x2, …])`: the intercept and coefficients of 1 to 8 columns that come nearest to y; all missing where
/// they aren't determined. The outputs are `name_intercept` and, for every column, `name_COLUMN`, or `name_k` with its place
/// from 1 for what isn't a column of the data with an identifier for a name, or stands there twice.
///
/// # Errors
/// What isn't a column, and other numbers of columns.
pub fn least_squares(terms: &mut Terms, y: Term, columns: &[Term]) -> Result<Unfinished, BuildError> {
    if columns.is_empty() || columns.len() > MAX_LEAST_SQUARES {
        return Err(BuildError::BadConstants {
            function: ENTRY.name,
            wanted: "a column and a list of 1 to 8 columns, such as least_squares(y, [a, b])",
        });
    }
    let mut results = vec!["intercept".to_owned()];
    let mut parts = vec![("sum_y".to_owned(), terms.sum(y)?)];
    for (column, place) in columns.iter().zip(1..) {
        let name = column_name(terms, *column).filter(|name| !results.contains(name));
        results.push(name.unwrap_or_else(|| place.to_string()));
        parts.push((format!("sum_{place}"), terms.sum(*column)?));
    }
    for (column, place) in columns.iter().zip(1..) {
        parts.push((format!("sum_{place}_y"), terms.dot(*column, y)?));
    }
    for (at, (a, place)) in columns.iter().zip(1..).enumerate() {
        for (b, other) in columns.iter().zip(1..).skip(at) {
            parts.push((format!("sum_{place}_{other}"), terms.dot(*a, *b)?));
        }
    }
    let results = results.into_iter().map(|result| format!("_{result}")).collect();
    Ok(Unfinished { function: Finish::LeastSquares, results, parts })
}

/// The name of a column of the data that can be part of another name.
fn column_name(terms: &Terms, a: Term) -> Option<String> {
    match terms.node(a) {
        Some(Node::Input(name)) if names::is_identifier(&format!("_{name}")) => Some(name.clone()),
        _ => None,
    }
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let y = call.value(0)?;
    let columns = call.list(1).unwrap_or_default();
    let columns = columns.iter().map(Passed::value).collect::<Result<Vec<_>, _>>()?;
    Ok(Lowered::Finished(least_squares(call.terms, y, &columns)?, None))
}
