//! The book of `docs/`, built by mdBook.

use std::{path::Path, process::Command};

use crate::{
    command,
    tools::{Failure, MDBOOK},
};

/// Builds the book and returns where it begins.
///
/// mdBook warns of what it can't read; links are tested by the tests of the program.
pub(crate) fn build(top: &Path) -> Result<String, Failure> {
    let mut command = Command::new(MDBOOK.find(top)?);
    command::run_one(command.arg("build"), top)?;
    Ok("target/book/index.html".to_owned())
}
