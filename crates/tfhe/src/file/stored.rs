//! Server keys that stay in their file.

use std::{io, path::Path, sync::Arc};

use asanoha_lattice::{
    FileError, KeyId, LweCiphertext, SeededLweSwitchKey, StoredBootstrapKey, StoredFile, blind_rotate_many,
};
use thiserror::Error;

use super::{
    SEED_WORDS, SERVER, seed_from,
    seeded::{BOOTSTRAP, BOOTSTRAP_SEED, SWITCH, SWITCH_SEED},
};
use crate::{
    Ciphertext, Table, TfheError, TfheParams,
    batch::{Rotation, bootstrap, check},
};

/// Tables that are applied in one pass over the key. Each takes about 130 KB at the standard parameters.
const BATCH: usize = 128;

/// The keys of programmable bootstrapping in a file. A table reads the bootstrapping key from there, one encrypted bit after
/// another, and expands the masks then: so it never stands in memory as a whole. What is read is held against the
/// digests of the opening.
#[derive(Debug)]
pub struct StoredServerKey {
    params: TfheParams,
    id: KeyId,
    bootstrap: StoredBootstrapKey,
    switch: SeededLweSwitchKey,
}

/// Why a table can't be applied.
#[derive(Debug, Error)]
pub enum StoredKeyError {
    /// The operation is refused.
    #[error(transparent)]
    Tfhe(#[from] TfheError),
    /// The file can't be read any more, or was changed since it was opened.
    #[error("the server key can't be used any more: {0}")]
    Read(#[from] io::Error),
}

impl StoredServerKey {
    /// Opens a file that [`super::SeededServerKey::write`] wrote. It's read once here, to check it.
    ///
    /// # Errors
    /// If the file isn't a server key of these parameters, or was altered.
    pub fn open(params: &TfheParams, path: &Path) -> Result<Self, FileError> {
        let file = Arc::new(StoredFile::open(path, SERVER, params.digest())?);
        let (_, switch) = params.body_shapes();
        let seed = |name| Ok::<_, FileError>(seed_from(&file.words(name, &[SEED_WORDS])?));
        Ok(Self {
            params: params.clone(),
            id: file.header().key,
            bootstrap: StoredBootstrapKey::new(
                params.0.bootstrap.clone(),
                seed(BOOTSTRAP_SEED)?,
                params.literal().lwe_dimension,
                &file,
                BOOTSTRAP,
            )?,
            switch: SeededLweSwitchKey::from_parts(
                params.0.key_switch,
                seed(SWITCH_SEED)?,
                bytemuck::cast_slice(&file.words(SWITCH, &switch)?).to_vec(),
            ),
        })
    }

    /// The identifier of the key generation that it belongs to.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// [`crate::ServerKey::apply_many`], with the same results. One pass over the key, which takes about as long as a few
    /// tables, serves up to 128 pairs.
    ///
    /// # Errors
    /// Of a pair that is refused, or of the file.
    pub fn apply_many(&self, jobs: &[(&Table, &Ciphertext)]) -> Result<Vec<Ciphertext>, StoredKeyError> {
        check(&self.params, self.id, jobs)?;
        let mut results = Vec::with_capacity(jobs.len());
        for jobs in jobs.chunks(BATCH) {
            let switch = |numbers: &[&LweCiphertext]| self.switch.switch_many(numbers);
            let rotate = |rotations: &[Rotation<'_>]| blind_rotate_many(&self.bootstrap, rotations);
            results.extend(bootstrap::<io::Error>(&self.params, jobs, switch, rotate)?);
        }
        Ok(results)
    }
}
