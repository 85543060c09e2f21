//! Files of keys and ciphertexts, in the format of the other schemes' files: a header with a version, the digest of the
//! parameters, the kind and the key generation, a digest of everything, and 64-bit words. Masks of keys are stored as seeds.

mod ciphertexts;
mod client;
mod seeded;
mod stored;

use asanoha_lattice::{FileHeader, KeyId};
use asanoha_ring::Seed;

pub use seeded::SeededServerKey;
pub use stored::StoredServerKey;

use crate::TfheParams;

const CLIENT: &str = "TFHE client key";
const SERVER: &str = "TFHE server key";
const CIPHERTEXTS: &str = "TFHE ciphertexts";

impl TfheParams {
    /// The header of a file that belongs to these parameters.
    pub fn file_header(&self, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader {
        FileHeader {
            kind: kind.into(),
            params: self.digest().into(),
            key,
            security_bits: self.security_bits(),
            security_extrapolated: false,
            insecure: self.literal().insecure,
            seeded: key.is_seeded(),
            fields,
        }
    }

    /// The dimensions of the bodies of a server key: of the bootstrapping key, a row for each bit, and of the key-switching
    /// key, which has 32 bits for each bit that is switched from and each level.
    fn body_shapes(&self) -> ([usize; 2], [usize; 1]) {
        let literal = self.literal();
        let switch = self.dimension() * literal.key_switch.levels as usize;
        ([literal.lwe_dimension, self.0.bootstrap.body_words()], [switch / 2])
    }

    /// The words of a ciphertext: k·N of its mask, and its body.
    pub fn ciphertext_words(&self) -> usize {
        self.dimension() + 1
    }

    /// The dimension k·N of ciphertexts.
    fn dimension(&self) -> usize {
        self.literal().rank * self.literal().ring_degree
    }

    /// The bytes of a server key as it's stored: the bodies of both keys' ciphertexts, and two seeds for the masks.
    pub fn server_key_bytes(&self) -> usize {
        let ([bits, bodies], [switch]) = self.body_shapes();
        (bits * bodies + switch) * size_of::<u64>() + 2 * size_of::<Seed>()
    }

    /// The bytes of a server key in memory with its masks: doubles of the bootstrapping key's Fourier form, and whole rows
    /// of the key-switching key.
    pub fn expanded_key_bytes(&self) -> usize {
        let ([bits, bodies], [switch]) = self.body_shapes();
        (bits * bodies * (self.literal().rank + 1) + switch * (bits + 1)) * size_of::<u64>()
    }
}
