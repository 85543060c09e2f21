//! The book of `docs/`, built by mdBook.

use std::{path::Path, process::Command};

use crate::{
    command,
    tools::{MDBOOK, Missing},
};

/// Builds the book into `target/book`, or tells why mdBook is missing.
///
/// mdBook warns of what it can't read; links are tested by the tests of the program.
pub(crate) fn build(top: &Path) -> Result<Result<(), Missing>, String> {
    let program = match MDBOOK.find(top) {
        Ok(program) => program,
        Err(missing) => return Ok(Err(missing)),
    };
    let mut command = Command::new(program);
    command::run_one(command.arg("build"), top).map(Ok)
}

/// As [`build`], by itself: a missing mdBook is an error.
pub(crate) fn alone(top: &Path) -> Result<String, String> {
    build(top)?.map_err(Missing::into_reason)?;
    Ok("target/book/index.html".to_owned())
}
