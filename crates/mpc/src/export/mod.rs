//! Triples for other programs: into files of a new folder, which gets into its place whole.

mod mp_spdz;
mod npz;

pub use mp_spdz::mp_spdz;
pub use npz::npz;

use std::path::PathBuf;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The folder.
    pub folder: PathBuf,
    /// The files in it and their bytes.
    pub files: Vec<(String, u64)>,
}
