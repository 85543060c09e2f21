//! One party that holds everything that an operation needs.

use std::sync::Arc;

use asanoha_bfv::{BfvCiphertext, BfvPlaintext};
use asanoha_bgv::{BgvCiphertext, BgvPlaintext};
use asanoha_ckks::{CkksCiphertext, CkksPlaintext};
use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::{Backend, Sampler, Seed};

use crate::{bfv_literal, bgv_literal, ckks_literal};

/// The rotation, in slots to the left, that there is a key for.
pub const ROTATION: i64 = 1;

/// The parties' randomness is fixed, so that runs can be compared.
const SEED: Seed = Seed([7; 32]);

/// BGV at [`bgv_literal`]: keys, a full plaintext and two fresh ciphertexts of it.
#[derive(Debug)]
pub struct BgvParty {
    /// Encodes.
    pub encoder: asanoha_bgv::Encoder,
    /// Encrypts under `public`.
    pub encryptor: asanoha_bgv::Encryptor,
    /// Holds the relinearisation key and that of [`ROTATION`].
    pub evaluator: asanoha_bgv::Evaluator,
    /// Decrypts.
    pub decryptor: asanoha_bgv::Decryptor,
    /// The secret key.
    pub secret: SecretKey,
    /// Its public key.
    pub public: PublicKey,
    /// A value for every slot.
    pub values: Vec<i64>,
    /// Their encoding at the highest level.
    pub plaintext: BgvPlaintext,
    /// Two encryptions of it.
    pub ciphertexts: [BgvCiphertext; 2],
}

impl BgvParty {
    /// Generates keys and ciphertexts on the kernels of a back-end, which this processor must have.
    ///
    /// # Panics
    /// If the back-end isn't available.
    pub fn new(backend: Backend) -> Self {
        let params = bgv_literal().check(backend).expect("the set is valid");
        let mut sampler = Sampler::new(&SEED);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys =
            asanoha_bgv::generate_evaluation_keys(&params, &secret, &[ROTATION], false, true, &mut sampler);
        let encoder = asanoha_bgv::Encoder::new(&params);
        let encryptor = asanoha_bgv::Encryptor::new(&params);
        let half = params.slots() as i64 / 2;
        let values: Vec<i64> = (-half..half).collect();
        let plaintext = encoder.encode(&values, params.max_level()).expect("the values fit");
        let ciphertexts = [(); 2].map(|()| {
            encryptor.encrypt(&public, &plaintext, &mut sampler).expect("the highest level has room")
        });
        Self {
            evaluator: asanoha_bgv::Evaluator::new(&params, Arc::new(keys)),
            decryptor: asanoha_bgv::Decryptor::new(&params),
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

/// BFV at [`bfv_literal`]: keys, a full plaintext and two fresh ciphertexts of it.
#[derive(Debug)]
pub struct BfvParty {
    /// Encodes.
    pub encoder: asanoha_bfv::Encoder,
    /// Encrypts under `public`.
    pub encryptor: asanoha_bfv::Encryptor,
    /// Holds the relinearisation key and that of [`ROTATION`].
    pub evaluator: asanoha_bfv::Evaluator,
    /// Decrypts.
    pub decryptor: asanoha_bfv::Decryptor,
    /// The secret key.
    pub secret: SecretKey,
    /// Its public key.
    pub public: PublicKey,
    /// A value for every slot.
    pub values: Vec<i64>,
    /// Their encoding at the highest level.
    pub plaintext: BfvPlaintext,
    /// Two encryptions of it.
    pub ciphertexts: [BfvCiphertext; 2],
}

impl BfvParty {
    /// Generates keys and ciphertexts on the kernels of a back-end, for a depth, which this processor must have.
    ///
    /// # Panics
    /// If the back-end isn't available or the depth isn't one of [`crate::BFV_DEPTHS`].
    pub fn new(depth: usize, backend: Backend) -> Self {
        let params = bfv_literal(depth).check(backend).expect("the set is valid");
        let mut sampler = Sampler::new(&SEED);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys =
            asanoha_bfv::generate_evaluation_keys(&params, &secret, &[ROTATION], false, true, &mut sampler);
        let encoder = asanoha_bfv::Encoder::new(&params);
        let encryptor = asanoha_bfv::Encryptor::new(&params);
        let half = params.values() as i64 / 2;
        let values: Vec<i64> = (-half..half).collect();
        let plaintext = encoder.encode(&values, params.max_level()).expect("the values fit");
        let ciphertexts = [(); 2].map(|()| {
            encryptor.encrypt(&public, &plaintext, &mut sampler).expect("the highest level has room")
        });
        Self {
            evaluator: asanoha_bfv::Evaluator::new(&params, Arc::new(keys)),
            decryptor: asanoha_bfv::Decryptor::new(&params),
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

/// CKKS at [`ckks_literal`]: keys, a full plaintext and two fresh ciphertexts of it.
#[derive(Debug)]
pub struct CkksParty {
    /// Encodes.
    pub encoder: asanoha_ckks::Encoder,
    /// Encrypts under `public`.
    pub encryptor: asanoha_ckks::Encryptor,
    /// Holds the relinearisation key and that of [`ROTATION`].
    pub evaluator: asanoha_ckks::Evaluator,
    /// Decrypts.
    pub decryptor: asanoha_ckks::Decryptor,
    /// The secret key.
    pub secret: SecretKey,
    /// Its public key.
    pub public: PublicKey,
    /// A value of at most 1 for every slot.
    pub values: Vec<f64>,
    /// Their encoding at the highest level and its scale.
    pub plaintext: CkksPlaintext,
    /// Two encryptions of it.
    pub ciphertexts: [CkksCiphertext; 2],
}

impl CkksParty {
    /// Generates keys and ciphertexts on the kernels of a back-end, which this processor must have.
    ///
    /// # Panics
    /// If the back-end isn't available.
    pub fn new(backend: Backend) -> Self {
        let params = ckks_literal().check(backend).expect("the set is valid");
        let mut sampler = Sampler::new(&SEED);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys =
            asanoha_ckks::generate_evaluation_keys(&params, &secret, &[ROTATION], false, true, &mut sampler);
        let encoder = asanoha_ckks::Encoder::new(&params);
        let encryptor = asanoha_ckks::Encryptor::new(&params);
        let values: Vec<f64> = (0..params.slots()).map(|slot| (slot as f64).sin()).collect();
        let level = params.max_level();
        let plaintext = encoder
            .encode_real(&values, level, params.scale_at(level))
            .and_then(|plaintext| plaintext.with_bound(1.0))
            .expect("the values fit");
        let ciphertexts = [(); 2].map(|()| {
            encryptor.encrypt(&public, &plaintext, &mut sampler).expect("the highest level has room")
        });
        Self {
            evaluator: asanoha_ckks::Evaluator::new(&params, Arc::new(keys)),
            decryptor: asanoha_ckks::Decryptor::new(&params),
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
