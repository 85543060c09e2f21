//! Sites of a chromosome.

use serde::{Deserialize, Serialize};

/// What tells a site from the others of its chromosome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// The base pair, counted from 1.
    pub position: u64,
    /// A digest of its reference and alternate alleles; 0 where nothing names them.
    pub variant: u64,
}

impl Site {
    /// The site of a base pair whose alleles 0 and 1 are these bases, in upper or lower case.
    pub fn new(position: u64, reference: &str, alternate: &str) -> Self {
        let names = format!("{reference}\t{alternate}").to_ascii_uppercase();
        let digest = blake3::hash(names.as_bytes());
        let word = digest.as_bytes()[..8].try_into().expect("eight bytes");
        Self { position, variant: u64::from_le_bytes(word) }
    }
}
