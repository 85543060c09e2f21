//! Keys for symmetric cryptography that follow from a secret key.

use zeroize::{Zeroize, Zeroizing};

use crate::SecretKey;

impl SecretKey {
    /// 32 bytes that follow from the secret's coefficients and a context: whoever hasn't the secret can't tell them from
    /// random ones. A context names one use, and is written down in the program, never computed.
    ///
    /// Source: BLAKE3's key derivation mode.
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
