//! Server keys that stay in their file.

use std::{io, path::Path, sync::Arc};

use asanoha_lattice::{
    FileError, KeyId, LweCiphertext, SeededLweSwitchKey, StoredBootstrapKey, StoredFile, blind_rotate_many,
};
use asanoha_ring::Seed;

use crate::{
    Bootstrapper, Ciphertext, Table, TfheError, TfheParams,
    batch::{Rotation, bootstrap, check},
    seeded_server_key::{BOOTSTRAP, BOOTSTRAP_SEED, KIND, SWITCH, SWITCH_SEED},
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
    /// The digest of the file that it was read from.
    digest: String,
    bootstrap: StoredBootstrapKey,
    switch: SeededLweSwitchKey,
}

impl StoredServerKey {
    /// The digest of its file, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Opens a file that [`crate::SeededServerKey::write`] wrote. It's read once here, to check it.
    ///
    /// # Errors
    /// If the file isn't a server key of these parameters, or was altered.
    pub fn open(params: &TfheParams, path: &Path) -> Result<Self, FileError> {
        let file = Arc::new(StoredFile::open(path, KIND, params.digest())?);
        let (_, switch) = params.body_shapes();
        let seed = |name| Ok::<_, FileError>(Seed::from_words(&file.words(name, &[Seed::WORDS])?));
        Ok(Self {
            params: params.clone(),
            id: file.header().key,
            digest: file.digest().to_owned(),
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
}

/// With the same results as a [`crate::ServerKey`]. One pass over the key, which takes about as long as a few tables, serves up
/// to 128 pairs.
impl Bootstrapper for StoredServerKey {
    fn params(&self) -> &TfheParams {
        &self.params
    }

    fn id(&self) -> KeyId {
        self.id
    }

    fn apply_many(&self, jobs: &[(&Table, &Ciphertext)]) -> Result<Vec<Ciphertext>, TfheError> {
        check(&self.params, self.id, jobs)?;
        let mut results = Vec::with_capacity(jobs.len());
        for jobs in jobs.chunks(BATCH) {
            let switch = |numbers: &[&LweCiphertext]| self.switch.switch_many(numbers);
            let rotate = |rotations: &[Rotation<'_>]| blind_rotate_many(&self.bootstrap, rotations);
            let values = bootstrap::<io::Error>(&self.params, jobs, switch, rotate);
            results.extend(values.map_err(|error| TfheError::Unreadable(error.kind()))?);
        }
        Ok(results)
    }
}
