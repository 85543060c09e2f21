//! `asanoha genome`: private search of haplotypes.

mod answers;
mod index;
mod mine;
mod query;
mod records;
#[cfg(feature = "http")]
mod remote;
#[cfg(feature = "http")]
mod serve;
#[cfg(feature = "http")]
mod sites;

use crate::{args::GenomeCommand, error::Failure, report::Report, session::Session};

pub(crate) fn genome(session: &Session, command: &GenomeCommand) -> Result<Report, Failure> {
    match command {
        GenomeCommand::Index(args) => index::index(session, args),
        GenomeCommand::Query(args) => query::query(session, args),
        #[cfg(feature = "http")]
        GenomeCommand::Serve(args) => serve::serve(session, args),
    }
}
