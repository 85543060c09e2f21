//! What bootstraps: a server's key, or what stands in its place.

use std::fmt::Debug;

use asanoha_lattice::{KeyId, LweCiphertext};

use crate::{Ciphertext, ServerKey, Table, TfheError, TfheParams};

/// What circuits of tables are computed with. All that they decide depends on what is public of ciphertexts: on their largest
/// numbers and their noise.
pub trait Bootstrapper: Debug + Sync {
    /// The parameters.
    fn params(&self) -> &TfheParams;

    /// The key generation of all that is computed.
    fn id(&self) -> KeyId;

    /// A public number as a ciphertext without noise, which hides nothing.
    ///
    /// # Errors
    /// If it's too large.
    fn trivial(&self, number: u64) -> Result<Ciphertext, TfheError> {
        let params = self.params();
        params.check_number(number)?;
        let dimension = params.literal().ring_degree * params.literal().rank;
        Ok(Ciphertext {
            params: params.clone(),
            id: self.id(),
            lwe: LweCiphertext::trivial(dimension, number * params.unit()),
            largest: number,
            variance: 0.0,
        })
    }

    /// The values of all tables at their numbers, as of [`ServerKey::apply_many`].
    ///
    /// # Errors
    /// Those of [`ServerKey::apply_many`], and of the file of a key that stays there.
    fn apply_many(&self, jobs: &[(&Table, &Ciphertext)]) -> Result<Vec<Ciphertext>, TfheError>;
}

impl Bootstrapper for ServerKey {
    fn params(&self) -> &TfheParams {
        &self.params
    }

    fn id(&self) -> KeyId {
        self.id
    }

    fn apply_many(&self, jobs: &[(&Table, &Ciphertext)]) -> Result<Vec<Ciphertext>, TfheError> {
        self.apply_many(jobs)
    }
}
