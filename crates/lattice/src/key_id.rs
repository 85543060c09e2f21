//! Identifiers of key generations.

use asanoha_ring::Sampler;

/// Identifies one key generation: all keys of it carry the same identifier, and so do ciphertexts in files. It's
/// random, public and independent of the secret. Its last bit is set if the keys were made from a given seed, so that
/// everything that carries the identifier is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyId([u8; 16]);

impl std::fmt::Display for KeyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl KeyId {
    /// A fresh identifier: 127 bits from a sampler, and whether it's seeded.
    pub fn draw(sampler: &mut Sampler) -> Self {
        let mut id = Self(Default::default());
        id.0.copy_from_slice(&sampler.seed().0[..16]);
        id.0[15] = id.0[15] & !1 | u8::from(sampler.is_seeded());
        id
    }

    /// The bytes that `Display` writes in hexadecimal digits.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the keys were made from a given seed: whoever knows the seed knows the secret.
    pub fn is_seeded(self) -> bool {
        self.0[15] & 1 == 1
    }

    /// Parses the text that `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let value = (text.len() == 32).then(|| u128::from_str_radix(text, 16).ok()).flatten()?;
        Some(Self(value.to_be_bytes()))
    }
}
