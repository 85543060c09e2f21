//! Server keys as they're stored and sent: bodies, and seeds for the masks.

use asanoha_lattice::{
    Destination, FileError, FileReader, FileWriter, KeyId, SeededBootstrapKey, SeededLweSwitchKey, Source,
};
use asanoha_ring::{Sampler, Seed};
use serde_json::Value;

use super::SERVER;
use crate::{ClientKey, ServerKey, TfheParams};

/// The names of the tensors.
pub(super) const BOOTSTRAP: &str = "bootstrap.bodies";
pub(super) const BOOTSTRAP_SEED: &str = "bootstrap.seed";
pub(super) const SWITCH: &str = "switch.bodies";
pub(super) const SWITCH_SEED: &str = "switch.seed";

/// The keys of programmable bootstrapping without their masks, which seeds stand for: about half as many bytes as the
/// bootstrapping key has in memory, and a thousandth of the key-switching key's.
#[derive(Debug)]
pub struct SeededServerKey {
    params: TfheParams,
    id: KeyId,
    /// The digest of the file that it was read from.
    digest: Option<String>,
    bootstrap: SeededBootstrapKey,
    switch: SeededLweSwitchKey,
}

impl ClientKey {
    /// The keys that a server computes with, in the form that is stored and sent. They're public.
    pub fn seeded_server_key(&self, sampler: &mut Sampler) -> SeededServerKey {
        let inner = &self.params.0;
        let literal = self.params.literal();
        let sampler = &mut sampler.branch("TFHE server key", &[&self.params.to_bytes(), self.id.as_bytes()]);
        let bootstrap = SeededBootstrapKey::generate(
            &self.lwe,
            &self.glwe,
            &inner.bootstrap,
            literal.glwe_standard_deviation,
            sampler,
        );
        let switch = SeededLweSwitchKey::generate(
            &self.extracted,
            &self.lwe,
            inner.key_switch,
            literal.lwe_standard_deviation,
            sampler,
        );
        SeededServerKey { params: self.params.clone(), id: self.id, digest: None, bootstrap, switch }
    }
}

impl SeededServerKey {
    /// The parameters.
    pub fn params(&self) -> &TfheParams {
        &self.params
    }

    /// The identifier of the key generation that it belongs to.
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The digest of the file that it was read from, in hexadecimal digits.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// The key with its masks, ready for use.
    pub fn expand(&self) -> ServerKey {
        ServerKey {
            params: self.params.clone(),
            id: self.id,
            bootstrap: self.bootstrap.expand(),
            switch: self.switch.expand(),
        }
    }

    /// Writes the key to a file and returns the file's length in bytes.
    pub fn write<'d>(&self, to: impl Into<Destination<'d>>) -> Result<u64, FileError> {
        let mut file = FileWriter::new(self.params.file_header(self.id, SERVER, Value::Null));
        let (bootstrap, switch) = self.params.body_shapes();
        let seeds = [self.bootstrap.seed(), self.switch.seed()].map(Seed::to_words);
        let mut switch_words = vec![0u64; switch[0]];
        bytemuck::cast_slice_mut(&mut switch_words).copy_from_slice(self.switch.bodies());
        file.tensor(BOOTSTRAP, &bootstrap, vec![self.bootstrap.bodies()]);
        file.tensor(BOOTSTRAP_SEED, &[Seed::WORDS], vec![&seeds[0]]);
        file.tensor(SWITCH, &switch, vec![&switch_words]);
        file.tensor(SWITCH_SEED, &[Seed::WORDS], vec![&seeds[1]]);
        file.write(to)
    }

    /// Reads a key into memory.
    ///
    /// # Errors
    /// If the file isn't a server key of these parameters, or was altered.
    pub fn read<'s>(params: &TfheParams, from: impl Into<Source<'s>>) -> Result<Self, FileError> {
        let file = FileReader::read(from, SERVER, params.digest())?;
        let (bootstrap, switch) = params.body_shapes();
        let seed = |name| Ok::<_, FileError>(Seed::from_words(file.words(name, &[Seed::WORDS])?));
        Ok(Self {
            params: params.clone(),
            id: file.header().key,
            digest: Some(file.digest().to_owned()),
            bootstrap: SeededBootstrapKey::from_parts(
                params.0.bootstrap.clone(),
                seed(BOOTSTRAP_SEED)?,
                file.words(BOOTSTRAP, &bootstrap)?,
            ),
            switch: SeededLweSwitchKey::from_parts(
                params.0.key_switch,
                seed(SWITCH_SEED)?,
                bytemuck::cast_slice(file.words(SWITCH, &switch)?).to_vec(),
            ),
        })
    }
}
