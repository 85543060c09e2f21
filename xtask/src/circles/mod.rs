//! Refuses circles inside a crate: between files, and between what is in a folder.
//!
//! An arrow leads from a file to the one that defines an item it names. Names are followed through re-exports, so a module that
//! only hands on is in no circle. An inherent `impl` in another file than its type needs the type's file and is needed by it.

mod arrows;
mod attributes;
mod exceptions;
mod folders;
mod graph;
mod names;
mod resolve;
mod survey;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;

use std::path::{Path, PathBuf};

use exceptions::{EXCEPTIONS, Exception};
use survey::Survey;

/// What was checked.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) files: usize,
    pub(crate) arrows: usize,
}

/// Adds a line to `complaints` for each circle, and for each exception that isn't needed.
pub(crate) fn check(top: &Path, crates: &[PathBuf], complaints: &mut Vec<String>) -> Result<Counts, String> {
    let mut counts = Counts::default();
    for folder in crates {
        let survey = read(top, folder)?;
        counts.files += survey.files();
        counts.arrows += survey.arrows();
        complaints.extend(circles(&survey, EXCEPTIONS));
    }
    Ok(counts)
}

fn read(top: &Path, folder: &Path) -> Result<Survey, String> {
    Survey::read(&folder.strip_prefix(top).unwrap_or(folder).display().to_string(), folder)
}

/// A line for each circle of a crate that remains without the exceptions, and for each exception that isn't needed.
fn circles(survey: &Survey, exceptions: &[Exception]) -> Vec<String> {
    let types = exceptions.iter().filter(|(name, ..)| *name == survey.name).map(|(_, of, _)| *of);
    let types: Vec<&str> = types.collect();
    let mut lines = survey.circles(&types);
    let needless = types.iter().enumerate().filter(|&(index, _)| {
        let mut others = types.clone();
        others.remove(index);
        survey.circles(&others) == survey.circles(&types)
    });
    lines.extend(needless.map(|(_, of)| format!("{}: {of} needs no exception: remove it", survey.name)));
    lines
}
