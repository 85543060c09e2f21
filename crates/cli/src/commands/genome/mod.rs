//! `asanoha genome`: private search of haplotypes.

mod index;
mod query;
#[cfg(feature = "http")]
mod remote;
#[cfg(feature = "http")]
mod serve;
#[cfg(feature = "http")]
mod sites;

use std::path::Path;

use asanoha::genome::{
    Panel,
    panel::{Policy, Variants},
};

use crate::{
    args::{GenomeCommand, RecordsArgs},
    error::Failure,
    report::Report,
    session::Session,
};

pub(crate) fn genome(session: &Session, command: &GenomeCommand) -> Result<Report, Failure> {
    match command {
        GenomeCommand::Index(args) => index::index(session, args),
        GenomeCommand::Query(args) => query::query(session, args),
        #[cfg(feature = "http")]
        GenomeCommand::Serve(args) => serve::serve(session, args),
        #[cfg(not(feature = "http"))]
        GenomeCommand::Serve(_) => Err(no_http()),
    }
}

#[cfg(not(feature = "http"))]
fn no_http() -> Failure {
    Failure::bad_input("this build of asanoha speaks no HTTP: build it with --features http")
}

impl RecordsArgs {
    fn policy(&self) -> Policy {
        if self.skip_unusable { Policy::Skip } else { Policy::Refuse }
    }
}

/// A panel out of its index or of a file of variants.
fn read_panel(path: &Path, records: &RecordsArgs) -> Result<Panel, Failure> {
    if Panel::is_index(path)? {
        return Ok(Panel::read(path)?);
    }
    Ok(Variants::read(path, records.policy())?.panel)
}
