//! Filling a folder with triples.

use std::path::Path;

use asanoha_ring::Seed;

use super::{Filling, Request, Run, StoreError};
use crate::{GeneratorSettings, MpcError, TripleSource};

/// What was done.
#[derive(Debug)]
pub struct Generated {
    /// The folder.
    pub run: Run,
    /// The blocks that were there before.
    pub blocks_found: u64,
    /// The blocks that were made.
    pub blocks_made: u64,
    /// The triples that were made.
    pub triples_made: u64,
}

/// Fills a folder with triples, or goes on where an earlier call was stopped: the blocks that aren't there are made. `source`
/// is called if there are any. `progress` is told how many blocks are done, of how many.
///
/// # Errors
/// Those of [`Filling::begin`] and [`Filling::make`]. Finished blocks stay.
pub fn generate<S: TripleSource>(
    folder: &Path,
    request: &Request,
    source: impl FnOnce(&GeneratorSettings, Seed) -> Result<S, MpcError>,
    progress: &dyn Fn(usize, usize),
) -> Result<Generated, StoreError> {
    let mut filling = Filling::begin(folder, request, source)?;
    let (blocks, missing) = (filling.run().manifest().blocks(), filling.missing().to_vec());
    let blocks_found = blocks - missing.len() as u64;
    let mut triples_made = 0;
    if !missing.is_empty() {
        progress(blocks_found as usize, blocks as usize);
    }
    for (done, &block) in (1..).zip(&missing) {
        filling.make(block)?;
        triples_made += filling.run().triples_in(block) as u64;
        progress(blocks_found as usize + done, blocks as usize);
    }
    Ok(Generated { run: filling.into_run(), blocks_found, blocks_made: missing.len() as u64, triples_made })
}
