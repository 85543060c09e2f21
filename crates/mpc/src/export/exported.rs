//! What an export wrote.

use std::path::PathBuf;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The folder.
    pub folder: PathBuf,
    /// The files in it and their bytes.
    pub files: Vec<(String, u64)>,
}
