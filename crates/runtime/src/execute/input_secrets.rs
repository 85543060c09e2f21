//! The client's secrets of inputs that it encrypted.

use super::{Centres, canaries::Canaries};

/// The client's secrets of some inputs: the constants that it took away from columns, the canaries among the rows, and how often it
/// replaced its keys since. No plan and no file of ciphertexts has them, and decryption needs them.
/// [`encrypt`](super::encrypt) makes them; [`ClientRecord::secrets`](crate::client::ClientRecord::secrets) has them for later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputSecrets {
    pub(crate) centres: Centres,
    pub(crate) canaries: Option<Canaries>,
    pub(crate) rotations: u32,
}

impl InputSecrets {
    pub(super) fn new(centres: Centres) -> Self {
        Self { centres, canaries: None, rotations: 0 }
    }

    /// Nothing, by the caller's word: that all rows are rows of the data, and columns are less no constant. Decryption refuses results
    /// of a plan whose columns are. Canaries, if there were any, would stand among the results.
    pub fn none() -> Self {
        Self::new(Centres::default())
    }

    /// The same of inputs since whose encryption the client replaced its keys so many times. Decryption refuses results that state
    /// another number of re-encryptions.
    #[must_use]
    pub fn after_rotations(self, rotations: u32) -> Self {
        Self { rotations, ..self }
    }

    /// The canaries among the rows.
    pub fn canaries(&self) -> Option<&Canaries> {
        self.canaries.as_ref()
    }

    /// Returns true if columns are less a constant that is known here alone.
    pub fn has_constants(&self) -> bool {
        !self.centres.is_empty()
    }
}
