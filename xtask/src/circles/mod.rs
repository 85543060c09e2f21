//! Refuses circles inside a crate: between files, and between what is in a folder.
//!
//! An arrow leads from a file to the one that defines an item it names. Names are followed through re-exports, so a module that
//! only hands on is in no circle. An inherent `impl` in another file than its type needs the type's file and is needed by it.

mod arrows;
mod attributes;
mod folders;
mod graph;
mod known;
mod names;
mod resolve;
mod survey;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;

use std::path::{Path, PathBuf};

use known::{EXCEPTIONS, Exception, KNOWN};
use survey::{Found, Survey};

/// What was checked.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) files: usize,
    pub(crate) arrows: usize,
    pub(crate) circles: usize,
}

/// Adds a line to `complaints` for each circle that isn't known, and for each that is known or excepted in vain.
pub(crate) fn check(top: &Path, crates: &[PathBuf], complaints: &mut Vec<String>) -> Result<Counts, String> {
    let mut counts = Counts::default();
    let mut found = Vec::new();
    for folder in crates {
        let survey = read(top, folder)?;
        counts.files += survey.files();
        counts.arrows += survey.arrows();
        found.extend(circles(&survey, EXCEPTIONS, complaints));
    }
    counts.circles = found.len();
    complaints.extend(known::compare(&found, KNOWN));
    Ok(counts)
}

/// Lists all circles, the known ones too.
pub(crate) fn list(top: &Path, crates: &[PathBuf]) -> Result<String, String> {
    let mut texts = Vec::new();
    for folder in crates {
        let found = circles(&read(top, folder)?, EXCEPTIONS, &mut Vec::new());
        texts.extend(found.into_iter().map(|circle| circle.text));
    }
    Ok(texts.join("\n"))
}

fn read(top: &Path, folder: &Path) -> Result<Survey, String> {
    Survey::read(&folder.strip_prefix(top).unwrap_or(folder).display().to_string(), folder)
}

/// The circles of a crate that remain without the exceptions. Adds a line to `complaints` for each exception that isn't needed.
fn circles(survey: &Survey, exceptions: &[Exception], complaints: &mut Vec<String>) -> Vec<Found> {
    let own: Vec<(&str, &str)> = exceptions
        .iter()
        .filter(|(name, ..)| *name == survey.name)
        .map(|(_, from, to, _)| (*from, *to))
        .collect();
    let found = survey.circles(&own);
    for (index, (from, to)) in own.iter().enumerate() {
        let mut others = own.clone();
        others.remove(index);
        if survey.circles(&others) == found {
            complaints.push(format!("{}: {from} -> {to} needs no exception: remove it", survey.name));
        }
    }
    found
}
