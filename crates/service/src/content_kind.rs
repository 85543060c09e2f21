//! Kinds of uploads.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What an upload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContentKind {
    /// A file of evaluation keys.
    Keys,
    /// A file of encrypted inputs.
    Inputs,
}

impl fmt::Display for ContentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Keys => "keys",
            Self::Inputs => "inputs",
        })
    }
}
