//! Keys that are derived from a secret.

use zeroize::{Zeroize, Zeroizing};

/// Derives 32 bytes from the words of a secret and a context. Without the secret they can't be told from random bytes. A context
/// names one use; it's a constant of the program, never computed.
///
/// Source: the key derivation mode of BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, "BLAKE3: one function,
/// fast everywhere", 2020).
pub fn derive_from_secret(words: &[u64], context: &str) -> Zeroizing<[u8; 32]> {
    let bytes: Zeroizing<Vec<u8>> =
        Zeroizing::new(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let mut hasher = blake3::Hasher::new_derive_key(context);
    hasher.update(&bytes);
    let mut key = Zeroizing::new([0; 32]);
    hasher.finalize_xof().fill(&mut *key);
    hasher.zeroize();
    key
}
