//! One party that holds everything that an operation needs.

use std::sync::Arc;

use asanoha_bfv::{BfvCiphertext, BfvParams, BfvPlaintext};
use asanoha_bgv::{BgvCiphertext, BgvParams, BgvPlaintext};
use asanoha_ckks::{CkksCiphertext, CkksParams, CkksPlaintext};
use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::{Backend, Sampler, Seed};

use crate::{bfv_literal, bgv_literal, ckks_literal};

/// The rotation, in slots to the left, that there is a key for.
pub const ROTATION: i64 = 1;

/// The parties' randomness is fixed, so that runs can be compared.
const SEED: Seed = Seed([7; 32]);

/// `party!(doc, its name, of the scheme's crate: its types, the values' type; arguments, literal; values, plaintext)`.
macro_rules! party {
    (
        $about:literal, $party:ident, $scheme:ident: $params:ident, $plaintext:ident, $ciphertext:ident, $value:ty;
        ($($argument:ident: $of:ty)?) $literal:expr; $values:expr, $encode:expr
    ) => {
        #[doc = concat!($about, ": keys, a full plaintext and two fresh ciphertexts of it.")]
        #[derive(Debug)]
        pub struct $party {
            /// Encodes.
            pub encoder: $scheme::Encoder,
            /// Encrypts under `public`.
            pub encryptor: $scheme::Encryptor,
            /// Holds the relinearisation key and that of [`ROTATION`].
            pub evaluator: $scheme::Evaluator,
            /// Decrypts.
            pub decryptor: $scheme::Decryptor,
            /// The secret key.
            pub secret: SecretKey,
            /// Its public key.
            pub public: PublicKey,
            /// A value for every slot.
            pub values: Vec<$value>,
            /// Their encoding at the highest level.
            pub plaintext: $plaintext,
            /// Two encryptions of it.
            pub ciphertexts: [$ciphertext; 2],
        }

        impl $party {
            /// Generates keys and ciphertexts on the kernels of a back-end, which this processor must have.
            ///
            /// # Panics
            /// If the back-end isn't available, or there is no such set.
            pub fn new($($argument: $of,)? backend: Backend) -> Self {
                let params = $literal.check(backend).expect("the set is valid");
                let mut sampler = Sampler::new(&SEED);
                let secret = SecretKey::generate(params.rlwe(), &mut sampler);
                let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
                let keys = $scheme::generate_evaluation_keys(
                    &params,
                    &secret,
                    &[ROTATION],
                    false,
                    true,
                    &mut sampler,
                );
                let encoder = $scheme::Encoder::new(&params);
                let encryptor = $scheme::Encryptor::new(&params);
                let (of, encode): (fn(&$params) -> Vec<$value>, fn(&_, &_, &[$value]) -> _) = ($values, $encode);
                let values = of(&params);
                let plaintext: $plaintext = encode(&params, &encoder, &values).expect("the values fit");
                let ciphertexts = [(); 2].map(|()| {
                    encryptor.encrypt(&public, &plaintext, &mut sampler).expect("the highest level has room")
                });
                Self {
                    evaluator: $scheme::Evaluator::new(&params, Arc::new(keys)),
                    decryptor: $scheme::Decryptor::new(&params),
                    encoder,
                    encryptor,
                    secret,
                    public,
                    values,
                    plaintext,
                    ciphertexts,
                }
            }
        }
    };
}

/// As many whole numbers, around zero.
fn whole_values(count: usize) -> Vec<i64> {
    let half = count as i64 / 2;
    (-half..half).collect()
}

party!(
    "BGV at [`bgv_literal`]", BgvParty, asanoha_bgv: BgvParams, BgvPlaintext, BgvCiphertext, i64;
    () bgv_literal();
    |params| whole_values(params.slots()),
    |params: &BgvParams, encoder: &asanoha_bgv::Encoder, values| encoder.encode(values, params.max_level())
);

party!(
    "BFV at [`bfv_literal`] for one of [`crate::BFV_DEPTHS`]",
    BfvParty, asanoha_bfv: BfvParams, BfvPlaintext, BfvCiphertext, i64;
    (depth: usize) bfv_literal(depth);
    |params| whole_values(params.values()),
    |params: &BfvParams, encoder: &asanoha_bfv::Encoder, values| encoder.encode(values, params.max_level())
);

party!(
    "CKKS at [`ckks_literal`]", CkksParty, asanoha_ckks: CkksParams, CkksPlaintext, CkksCiphertext, f64;
    () ckks_literal();
    |params| (0..params.slots()).map(|slot| (slot as f64).sin()).collect(),
    |params: &CkksParams, encoder: &asanoha_ckks::Encoder, values| {
        let level = params.max_level();
        encoder.encode_real(values, 1.0, level, params.scale_at(level))
    }
);

#[cfg(test)]
mod tests {
    use asanoha_lattice::Level;

    use super::*;
    use crate::{BFV_DEPTHS, CIPHERTEXT_PRIMES};

    fn best() -> Backend {
        *Backend::available().last().unwrap()
    }

    #[test]
    fn bgv_set_reaches_depth_ten_with_the_right_values() {
        let party = BgvParty::new(best());
        let [mut product, _] = party.ciphertexts.clone();
        let mut expected = party.values.clone();
        let t = crate::PLAINTEXT_MODULUS as i64;
        for level in (0..CIPHERTEXT_PRIMES - 1).rev() {
            let square = party.evaluator.square(&product).unwrap();
            product = party.evaluator.switch_to(square, Level(level)).unwrap();
            for value in &mut expected {
                let residue = (*value * *value).rem_euclid(t);
                *value = if residue > t / 2 { residue - t } else { residue };
            }
        }
        assert_eq!(party.decryptor.decrypt(&party.secret, &product).unwrap(), expected);
    }

    #[test]
    fn bfv_sets_reach_their_depths_and_no_more() {
        for depth in BFV_DEPTHS {
            let party = BfvParty::new(depth, best());
            let [mut product, _] = party.ciphertexts.clone();
            let mut expected = party.values.clone();
            let t = crate::PLAINTEXT_MODULUS as i64;
            for _ in 0..depth {
                product = party.evaluator.square(&product).unwrap();
                for value in &mut expected {
                    let residue = (*value * *value).rem_euclid(t);
                    *value = if residue > t / 2 { residue - t } else { residue };
                }
            }
            assert_eq!(party.decryptor.decrypt(&party.secret, &product).unwrap(), expected);
            assert!(party.evaluator.square(&product).is_err());
        }
    }

    #[test]
    fn ckks_set_reaches_depth_ten_within_its_bound() {
        let party = CkksParty::new(best());
        let [mut product, _] = party.ciphertexts.clone();
        let mut expected = party.values.clone();
        for _ in 1..CIPHERTEXT_PRIMES {
            product = party.evaluator.rescale(party.evaluator.square(&product).unwrap()).unwrap();
            expected.iter_mut().for_each(|value| *value *= *value);
        }
        assert_eq!(product.level(), Level(0));
        let found = party.decryptor.decrypt_real(&party.secret, &product).unwrap();
        let error = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error <= product.error_bound(), "{error} > {}", product.error_bound());
    }
}
