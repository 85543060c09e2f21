//! Columns by their names, and what is said of names that aren't there.

use std::collections::HashMap;

/// A column that the data do not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the program reads a column `{name}`, which the data don't have; {}", instead(name, present))]
pub struct UnknownColumn {
    /// The column.
    pub name: String,
    /// Those there are.
    pub present: Vec<String>,
}

/// The columns of some data by their names.
pub struct Columns<'a, C> {
    names: Vec<&'a str>,
    by_name: HashMap<&'a str, &'a C>,
}

impl<'a, C> Columns<'a, C> {
    /// Those of some data.
    pub fn new(columns: &'a [C], name: impl Fn(&'a C) -> &'a String) -> Self {
        let names: Vec<&str> = columns.iter().map(|column| name(column).as_str()).collect();
        Self { by_name: names.iter().copied().zip(columns).collect(), names }
    }

    /// The column of a name.
    ///
    /// # Errors
    /// If the data have none of that name.
    pub fn find(&self, name: &str) -> Result<&'a C, UnknownColumn> {
        self.by_name.get(name).copied().ok_or_else(|| UnknownColumn {
            name: name.to_owned(),
            present: self.names.iter().map(|&name| name.to_owned()).collect(),
        })
    }
}

/// The three of some names that are nearest to a text, the nearest first.
pub fn nearest<'a>(text: &str, names: &'a [String]) -> Vec<&'a str> {
    let mut nearest: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest.sort_by_cached_key(|name| edit_distance(&text.to_lowercase(), &name.to_lowercase()));
    nearest.truncate(3);
    nearest
}

/// The name that is so near to a text that it may have been meant, if there's one.
pub fn meant<'a>(text: &str, names: &'a [String]) -> Option<&'a str> {
    let folded = |name: &str| name.to_lowercase().replace([' ', '-', '.'], "_");
    let text = folded(text);
    let distance = |name: &&String| edit_distance(&text, &folded(name));
    let near = names.iter().min_by_key(distance)?;
    (distance(&near) < text.chars().count().min(3)).then_some(near)
}

/// Names as messages list them: the first twenty, and how many more there are.
pub fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(SHOWN);
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// What is said of a name that isn't among others: which may have been meant, and which there are.
pub fn instead(text: &str, names: &[String]) -> String {
    let listed = listed(names);
    match meant(text, names) {
        Some(meant) => format!("did you mean {meant:?}? There are {listed}"),
        None => format!("there are {listed}"),
    }
}

/// The smallest number of insertions, deletions and replacements that turns `a` into `b`.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, d) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
