//! Re-encryption: from the secret of one key generation to that of another, without either of them.

use std::collections::BTreeMap;

use asanoha_ring::Sampler;
use serde::{Deserialize, Serialize};

use crate::{
    Destination, FileError, FileHeader, FileReader, KeyId, KeyName, KeySwitchKey, Level, MissingKey,
    RlweCiphertext, RlweParams, SecretKey, Source,
    file::write,
    key_file::{get, put, shapes, tensor},
    key_switch::switched,
};

const REENCRYPTION: &str = "re-encryption key";

/// A key-switching key that turns ciphertexts under one secret into ciphertexts of the same messages under another, at every
/// level.
///
/// It's public: it encrypts the old secret under the new one. Whoever has the new secret can so decrypt with the old one too, and
/// whoever has the old one learns nothing of the new.
///
/// Source: Polyakov, Rohloff, Sahu, Vaikuntanathan, "Fast proxy re-encryption for publish/subscribe systems" (ACM TOPS 2017),
/// for the key, with the hybrid key switching of [`KeySwitchKey`].
#[derive(Clone, Debug)]
pub struct ReencryptionKey {
    ids: [KeyId; 2],
    /// One for each tier of levels, by tier.
    keys: BTreeMap<usize, KeySwitchKey>,
}

/// What a file states beside the key generation that ciphertexts get.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    /// The key generation of the ciphertexts that it takes.
    from: String,
}

impl ReencryptionKey {
    /// The key from one secret to another.
    ///
    /// # Panics
    /// If the parameters are without key switching (0 digits).
    pub fn generate(params: &RlweParams, from: &SecretKey, to: &SecretKey, sampler: &mut Sampler) -> Self {
        assert!(params.literal().digits > 0, "the parameters have no key switching");
        let key = |level| KeySwitchKey::reencryption(params, level, [from, to], sampler);
        let keys: Vec<KeySwitchKey> = params.tier_levels().map(key).collect();
        Self::of_keys(params, [from.id(), to.id()], keys)
    }

    fn of_keys(params: &RlweParams, ids: [KeyId; 2], keys: Vec<KeySwitchKey>) -> Self {
        Self { ids, keys: keys.into_iter().map(|key| (params.tier(key.level()), key)).collect() }
    }

    /// The key generation of the ciphertexts that it takes.
    pub fn from(&self) -> KeyId {
        self.ids[0]
    }

    /// The key generation of the ciphertexts that it gives.
    pub fn to(&self) -> KeyId {
        self.ids[1]
    }

    /// Whether one of the secrets was made from a given seed.
    pub fn is_seeded(&self) -> bool {
        self.ids.iter().any(|id| id.is_seeded())
    }

    /// Bytes of the keys in memory.
    pub fn bytes(&self) -> usize {
        self.keys.values().map(KeySwitchKey::bytes).sum()
    }

    /// The key for ciphertexts of a level.
    fn at(&self, params: &RlweParams, level: Level) -> Result<&KeySwitchKey, MissingKey> {
        let name = KeyName::Reencryption;
        self.keys.get(&params.tier(level)).ok_or(MissingKey::OtherParameters { key: name })
    }

    /// Writes the key to a file and returns its length in bytes. `digest` is that of the scheme's parameters.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn write_for<'d>(
        &self,
        params: &RlweParams,
        digest: &str,
        to: impl Into<Destination<'d>>,
    ) -> Result<u64, FileError> {
        let fields = Fields { from: self.from().to_string() };
        let fields = serde_json::to_value(fields).expect("plain data");
        let header = params.file_header(digest, self.to(), REENCRYPTION, fields);
        let header = FileHeader { seeded: self.is_seeded(), ..header };
        let named = self.keys.values().map(|key| (tensor(params, key.name(), key.level()), key));
        let named: BTreeMap<String, &KeySwitchKey> = named.collect();
        let shapes = named.values().flat_map(|key| shapes(params, key.name(), key.level())).collect();
        write(to.into(), false, (&header, &shapes), |stream| {
            named.values().try_for_each(|key| put(stream, key))
        })
    }

    /// Reads a key.
    ///
    /// # Errors
    /// What is damaged, of other parameters, or has other keys than one for each tier of levels.
    pub fn read_for<'s>(
        params: &RlweParams,
        digest: &str,
        from: impl Into<Source<'s>>,
    ) -> Result<Self, FileError> {
        let file = FileReader::read(from, REENCRYPTION, digest)?;
        let FileHeader { key: to, seeded, ref fields, .. } = *file.header();
        let fields = Fields::deserialize(fields).map_err(|error| {
            file.error(format!("its header doesn't describe a re-encryption key: {error}"))
        })?;
        let from = KeyId::parse(&fields.from)
            .ok_or_else(|| file.error("its header names no key generation to re-encrypt from"))?;
        if from == to {
            return Err(file.error("it re-encrypts from a key generation to the same one"));
        }
        if from.is_seeded() && !seeded {
            return Err(file.error("its header hides that its keys were made from a given seed"));
        }
        if params.literal().digits == 0 {
            return Err(file.error("these parameters have no key switching"));
        }
        let key = |level| get(params, &file, KeyName::Reencryption, level);
        let keys = params.tier_levels().map(key).collect::<Result<Vec<_>, _>>()?;
        if file.names().count() != 2 * keys.len() {
            return Err(file.error("it has other tensors than those of a re-encryption key"));
        }
        Ok(Self::of_keys(params, [from, to], keys))
    }

    /// The ciphertext of the same message under the secret that the key switches to: (c₀ + u₀, u₁), where u₀ + u₁·s' ≈ c₁·s.
    /// It adds the noise of one key switch. A ciphertext under another secret than the key's gives garbage.
    ///
    /// # Errors
    /// [`MissingKey::OtherParameters`].
    ///
    /// # Panics
    /// Unless the ciphertext has two parts.
    pub fn reencrypt(
        &self,
        params: &RlweParams,
        ciphertext: &RlweCiphertext,
    ) -> Result<RlweCiphertext, MissingKey> {
        assert!(ciphertext.parts.len() == 2, "re-encryption takes ciphertexts of two parts");
        switched(params, ciphertext, self.at(params, ciphertext.level())?)
    }
}
