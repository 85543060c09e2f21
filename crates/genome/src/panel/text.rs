//! Panels as text: a line of 0 and 1 for each haplotype.

use super::{
    PanelError,
    limits::{MAX_HAPLOTYPES, MAX_SITES},
};

/// The name of the chromosome of a panel that comes from text.
pub(super) const CHROMOSOME: &str = ".";

/// The letters of each haplotype, all of as many sites: at least one haplotype, of at least one site.
///
/// # Errors
/// [`PanelError::Malformed`], [`PanelError::Empty`], [`PanelError::Haplotypes`], [`PanelError::Sites`].
pub(super) fn rows(text: &str) -> Result<Vec<Vec<bool>>, PanelError> {
    let mut rows: Vec<Vec<bool>> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let malformed = |what| PanelError::Malformed { place: format!("line {}", number + 1), what };
        let letters = line.chars().filter(|letter| !matches!(letter, ' ' | '\t'));
        let row = letters.map(|letter| match letter {
            '0' => Ok(false),
            '1' => Ok(true),
            other => Err(malformed(format!("{other:?} is neither 0 nor 1"))),
        });
        let row = row.collect::<Result<Vec<_>, _>>()?;
        if row.is_empty() {
            continue;
        }
        if let Some(first) = rows.first().filter(|first| first.len() != row.len()) {
            let what = format!("it has {} letters, and the first haplotype {}", row.len(), first.len());
            return Err(malformed(what));
        }
        if rows.len() == MAX_HAPLOTYPES {
            return Err(PanelError::Haplotypes(rows.len() + 1));
        }
        rows.push(row);
    }
    let is_open = || text.rsplit('\n').next().is_some_and(|last| last.contains(['0', '1']));
    if rows.len() == 1 && is_open() {
        let what = "it has no end: the text is cut short, or a line end is missing; if it's whole, add one";
        return Err(PanelError::Malformed { place: "the only line".to_owned(), what: what.to_owned() });
    }
    let sites = rows.first().ok_or_else(|| PanelError::Empty("the text".to_owned()))?.len();
    if sites > MAX_SITES {
        return Err(PanelError::Sites);
    }
    Ok(rows)
}
