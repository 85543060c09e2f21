//! Derivation of symmetric keys from a secret key.

use zeroize::{Zeroize, Zeroizing};

use crate::SecretKey;

impl SecretKey {
    /// Derives 32 bytes from the secret's coefficients and a context. Without the secret they can't be told from random
    /// bytes. A context names one use; it's a constant of the program, never computed.
    ///
    /// Source: the key derivation mode of BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, "BLAKE3: one function,
    /// fast everywhere", 2020).
    pub fn derive_key(&self, context: &str) -> Zeroizing<[u8; 32]> {
        let bytes: Zeroizing<Vec<u8>> =
            Zeroizing::new(self.coefficients().iter().flat_map(|c| c.to_le_bytes()).collect());
        let mut hasher = blake3::Hasher::new_derive_key(context);
        hasher.update(&bytes);
        let mut key = Zeroizing::new([0; 32]);
        hasher.finalize_xof().fill(&mut *key);
        hasher.zeroize();
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RlweLiteral, RlweParams};
    use asanoha_kernels::primes_congruent_to_one;
    use asanoha_ring::{Backend, Sampler, Seed};

    #[test]
    fn derived_keys_depend_on_the_secret_and_the_context() {
        let primes = primes_congruent_to_one(40, 128, 2, &[]).unwrap();
        let params: RlweParams =
            RlweLiteral::new(64, primes[..1].to_vec(), primes_congruent_to_one(45, 128, 1, &[]).unwrap(), 1)
                .insecure()
                .check(Backend::Scalar)
                .unwrap();
        let [a, b] = [1, 2].map(|seed| SecretKey::generate(&params, &mut Sampler::new(&Seed([seed; 32]))));
        assert_eq!(a.derive_key("one"), a.derive_key("one"));
        assert_ne!(a.derive_key("one"), a.derive_key("two"));
        assert_ne!(a.derive_key("one"), b.derive_key("one"));
    }
}
