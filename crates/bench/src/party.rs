//! One party that holds all keys and ciphertexts that the measured operations need.

use asanoha_ckks::Ckks;
use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{
    Ciphertext, Encryptor, EvaluationKeysBuilder, Evaluator, Exact, GenerateKeys, Holds, Scheme, SchemeError,
};

use crate::{bfv_literal, bgv_literal, ckks_literal};

/// The rotation that there is a key for, in slots to the left.
pub const ROTATION: i64 = 1;

/// The seed of the parties' randomness, fixed so that runs can be compared.
const SEED: Seed = Seed([7; 32]);

/// Keys, a full plaintext and two fresh ciphertexts of it.
#[derive(Debug)]
pub struct Party<S: Scheme> {
    /// The parameters.
    pub params: S,
    /// The encryptor under `public`.
    pub encryptor: Encryptor<S>,
    /// The evaluator, with the relinearisation key and that of [`ROTATION`].
    pub evaluator: Evaluator<S>,
    /// The secret key.
    pub secret: SecretKey,
    /// The public key of `secret`.
    pub public: PublicKey,
    /// A value for every slot.
    pub values: Vec<S::Value>,
    /// The encoding of the values at the highest level.
    pub plaintext: S::Plaintext,
    /// Two encryptions of the plaintext.
    pub ciphertexts: [Ciphertext<S>; 2],
}

/// BGV at [`bgv_literal`], on the kernels of a back-end, which this processor must have.
///
/// # Panics
/// If the back-end isn't available.
pub fn bgv_party(backend: Backend) -> Party<asanoha_bgv::Bgv> {
    let params = bgv_literal().check(backend).expect("the set is valid");
    let values = whole_values(&params);
    Party::new(params, values)
}

/// BFV at [`bfv_literal`] for one of [`crate::BFV_DEPTHS`].
///
/// # Panics
/// If the back-end isn't available, or there is no such set.
pub fn bfv_party(depth: usize, backend: Backend) -> Party<asanoha_bfv::Bfv> {
    let params = bfv_literal(depth).check(backend).expect("the set is valid");
    let values = whole_values(&params);
    Party::new(params, values)
}

/// CKKS at [`ckks_literal`].
///
/// # Panics
/// If the back-end isn't available.
pub fn ckks_party(backend: Backend) -> Party<Ckks> {
    let params = ckks_literal().check(backend).expect("the set is valid");
    let values = (0..params.slots()).map(|slot| (slot as f64).sin()).collect();
    Party::new(params, values)
}

/// As many whole numbers as there are slots, around zero.
fn whole_values<S: Exact>(params: &S) -> Vec<i64> {
    let half = params.slots() as i64 / 2;
    (-half..half).collect()
}

impl<S: Holds<<S as Scheme>::Value>> Party<S> {
    fn new(params: S, values: Vec<S::Value>) -> Self {
        let mut sampler = Sampler::new(&SEED);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys = EvaluationKeysBuilder::new(&params, &secret).rotate([ROTATION]).relinearise();
        let keys = keys.build_with(&mut sampler).expect("all sets have slots");
        let encryptor = Encryptor::new(&params);
        let plaintext = params.encode(&values).expect("the values fit");
        let ciphertexts = [(); 2].map(|()| {
            encryptor.encrypt(&public, &plaintext, &mut sampler).expect("the highest level has room")
        });
        let evaluator = Evaluator::new(&params, keys);
        Self { params, encryptor, evaluator, secret, public, values, plaintext, ciphertexts }
    }

    /// Encodes the values at the highest level.
    pub fn encode(&self) -> Result<S::Plaintext, SchemeError> {
        self.params.encode(&self.values)
    }

    /// The decrypted numbers of a ciphertext.
    pub fn decrypt(&self, ciphertext: &Ciphertext<S>) -> Result<Vec<S::Value>, SchemeError> {
        self.params.decrypt(&self.secret, ciphertext)
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

    fn squared(values: &mut [i64]) {
        let t = crate::PLAINTEXT_MODULUS as i64;
        for value in values {
            let residue = (*value * *value).rem_euclid(t);
            *value = if residue > t / 2 { residue - t } else { residue };
        }
    }

    #[test]
    fn bgv_set_reaches_depth_ten_with_the_right_values() {
        let party = bgv_party(best());
        let [mut product, _] = party.ciphertexts.clone();
        let mut expected = party.values.clone();
        for level in (0..CIPHERTEXT_PRIMES - 1).rev() {
            let square = party.evaluator.square_exact(&product).unwrap();
            product = party.evaluator.switch_to(&square, Level(level)).unwrap();
            squared(&mut expected);
        }
        assert_eq!(party.decrypt(&product).unwrap(), expected);
    }

    #[test]
    fn bfv_sets_reach_their_depths_and_no_more() {
        for depth in BFV_DEPTHS {
            let party = bfv_party(depth, best());
            let [mut product, _] = party.ciphertexts.clone();
            let mut expected = party.values.clone();
            for _ in 0..depth {
                product = party.evaluator.square_exact(&product).unwrap();
                squared(&mut expected);
            }
            assert_eq!(party.decrypt(&product).unwrap(), expected);
            assert!(party.evaluator.square_exact(&product).is_err());
        }
    }

    #[test]
    fn ckks_set_reaches_depth_ten_within_its_bound() {
        let party = ckks_party(best());
        let [mut product, _] = party.ciphertexts.clone();
        let mut expected = party.values.clone();
        for _ in 1..CIPHERTEXT_PRIMES {
            product = party.evaluator.rescale(&party.evaluator.square_exact(&product).unwrap()).unwrap();
            expected.iter_mut().for_each(|value| *value *= *value);
        }
        assert_eq!(product.level(), Level(0));
        let found = party.decrypt(&product).unwrap();
        let error = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error <= product.error_bound(), "{error} > {}", product.error_bound());
    }
}
