//! Server keys as they're stored and sent: bodies, and seeds for the masks.

use asanoha_lattice::{
    Destination, FileError, FileReader, FileWriter, GlweSecretKey, KeyId, LweSecretKey, SeededBootstrapKey,
    SeededLweSwitchKey, Source,
};
use asanoha_ring::{Sampler, Seed};
use serde_json::Value;

use crate::{ServerKey, TfheParams};

/// What a file of a server key says that it holds.
pub(crate) const KIND: &str = "TFHE server key";

/// The names of the tensors.
pub(crate) const BOOTSTRAP: &str = "bootstrap.bodies";
pub(crate) const BOOTSTRAP_SEED: &str = "bootstrap.seed";
pub(crate) const SWITCH: &str = "switch.bodies";
pub(crate) const SWITCH_SEED: &str = "switch.seed";

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

impl SeededServerKey {
    /// The keys that lead from the bits of a GLWE secret to an LWE secret, and back.
    pub(crate) fn generate(
        params: &TfheParams,
        id: KeyId,
        (glwe, extracted): (&GlweSecretKey, &LweSecretKey),
        lwe: &LweSecretKey,
        sampler: &mut Sampler,
    ) -> Self {
        let (inner, literal) = (&params.0, params.literal());
        let sampler = &mut sampler.branch("TFHE server key", &[&params.to_bytes(), id.as_bytes()]);
        let deviation = literal.glwe_standard_deviation;
        let bootstrap = SeededBootstrapKey::generate(lwe, glwe, &inner.bootstrap, deviation, sampler);
        let deviation = literal.lwe_standard_deviation;
        let switch = SeededLweSwitchKey::generate(extracted, lwe, inner.key_switch, deviation, sampler);
        Self { params: params.clone(), id, digest: None, bootstrap, switch }
    }

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
        let mut file = FileWriter::new(self.params.file_header(self.id, KIND, Value::Null));
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
        let file = FileReader::read(from, KIND, params.digest())?;
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
