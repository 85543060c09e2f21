//! Whole files: written beside their place and renamed, so that no half-written one is ever seen, and none is left behind by a
//! call that's interrupted.

use std::{io::Write, path::Path};

use asanoha_lattice::write_atomically;
pub use asanoha_lattice::{UNFINISHED_PREFIX, Unfinished, complete, remove_unfinished, sync_folder};
#[doc(hidden)]
pub use asanoha_lattice::{pause, pause_at_file};

/// Writes a file at once.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    write_atomically(path, false, |file| file.write_all(bytes))
}
