//! How often ciphertexts were re-encrypted.

use serde::{Deserialize, Serialize};

use crate::contents::Contents;

/// How often ciphertexts were re-encrypted. Their noise follows from it and from the plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reencryptions {
    /// The inputs, before the evaluation.
    pub inputs: u32,
    /// The results.
    pub results: u32,
}

impl Reencryptions {
    /// Whether nothing was re-encrypted.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the number of all re-encryptions.
    pub fn count(&self) -> u32 {
        self.inputs.saturating_add(self.results)
    }

    /// With one more.
    #[must_use]
    pub fn once_more(self, contents: Contents) -> Self {
        match contents {
            Contents::Inputs => Self { inputs: self.inputs + 1, ..self },
            Contents::Outputs => Self { results: self.results + 1, ..self },
        }
    }
}
