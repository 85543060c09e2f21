//! Files of keys and ciphertexts.

use crate::TfheParams;

/// Bytes of a seed.
const SEED_BYTES: usize = 32;

impl TfheParams {
    /// The bytes of a server key as it's stored: the bodies of both keys' ciphertexts, 8 bytes a word, and two seeds for
    /// the masks.
    pub fn server_key_bytes(&self) -> usize {
        let literal = self.literal();
        let rows = literal.lwe_dimension * (literal.rank + 1) * literal.bootstrap.levels as usize;
        let switched = literal.rank * literal.ring_degree * literal.key_switch.levels as usize;
        (rows * literal.ring_degree + switched) * size_of::<u64>() + 2 * SEED_BYTES
    }
}
