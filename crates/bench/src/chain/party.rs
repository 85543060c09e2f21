//! One party that squares encrypted numbers.

use std::time::Instant;

use asanoha_bfv::BfvLiteral;
use asanoha_bgv::BgvLiteral;
use asanoha_kernels::Backend;
use asanoha_lattice::{PublicKey, SecretKey};
use asanoha_ring::{Sampler, Seed};
use asanoha_scheme::{Ciphertext, Decryptor, Encoder, Encryptor, EvaluationKeysBuilder, Evaluator, Exact};
use num_bigint::BigUint;

use super::{Chain, ExactScheme};

const SEED: Seed = Seed([11; 32]);
/// The number that is squared; what comes out is compared with its power.
const BASE: u32 = 3;

/// A multiplication that takes longer is measured once.
const LONG_MS: f64 = 1e3;

/// What a chain took.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_field_names)] // The unit belongs to each name.
pub(crate) struct Timings {
    /// One multiplication at the top: relinearised, and in BGV switched.
    pub(crate) first_ms: f64,
    /// All of them.
    pub(crate) chain_ms: f64,
    pub(crate) rotate_ms: f64,
    pub(crate) encrypt_ms: f64,
    pub(crate) decrypt_ms: f64,
}

/// A party with its keys.
pub(crate) struct ChainParty {
    chain: Chain,
    backend: Backend,
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e3)
}

impl ChainParty {
    pub(crate) fn new(chain: &Chain, backend: Backend) -> Self {
        Self { chain: chain.clone(), backend }
    }

    /// Squares a number, `repeats` times over, or once if a multiplication takes a second; the shortest times. A rotation
    /// too if it's asked for.
    ///
    /// # Panics
    /// If a result is wrong, or the noise that the parameters were made for doesn't fit: bugs.
    pub(crate) fn run(&self, repeats: usize, rotation: bool) -> Timings {
        let Chain { rlwe, plaintext_modulus: t, .. } = &self.chain;
        let valid = "the search gives valid parameters";
        match self.chain.scheme {
            ExactScheme::Bgv => {
                let params = BgvLiteral::new(rlwe.clone(), t.clone()).check(self.backend).expect(valid);
                self.run_with(&params, repeats, rotation)
            }
            ExactScheme::Bfv => {
                let params = BfvLiteral::new(rlwe.clone(), t.clone()).check(self.backend).expect(valid);
                self.run_with(&params, repeats, rotation)
            }
        }
    }

    fn run_with<S: Exact>(&self, params: &S, repeats: usize, rotation: bool) -> Timings {
        let mut sampler = Sampler::new(&SEED);
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
        let keys = EvaluationKeysBuilder::new(params, &secret).relinearise();
        let keys = if rotation { keys.rotate([1]) } else { keys };
        let keys = keys.build_with(&mut sampler).expect("rotations are asked where there are slots");
        let (encoder, encryptor) = (Encoder::new(params), Encryptor::new(params));
        let (evaluator, decryptor) = (Evaluator::new(params, keys), Decryptor::new(params));
        let square = |at: usize, a: &Ciphertext<S>| {
            let plain = || evaluator.square(a).expect("the modulus was made for it");
            let Some(&next) = self.chain.levels.get(at + 1).filter(|&&next| next < a.level()) else {
                // The chains of BFV have one level, and nothing is switched there.
                return plain();
            };
            // In one step where the noise settles at the next level, as it mostly does.
            let product = match evaluator.multiply_settled(a, a) {
                Ok(product) if product.level() >= next => product,
                _ => plain(),
            };
            evaluator.switch_to(&product, next).expect("as above")
        };
        self.timings(
            repeats,
            rotation,
            || {
                let plain = encoder.encode_constant(BASE, params.max_level()).expect("a small number");
                encryptor.encrypt(&public, &plain, &mut sampler).expect("the top has room")
            },
            square,
            |a| evaluator.rotate(a, 1).is_ok(),
            |a| decryptor.decrypt_unsigned(&secret, a).expect("noise fits"),
        )
    }

    fn timings<C>(
        &self,
        repeats: usize,
        rotation: bool,
        mut encrypt: impl FnMut() -> C,
        square: impl Fn(usize, &C) -> C,
        rotate: impl Fn(&C) -> bool,
        decrypt: impl Fn(&C) -> Vec<BigUint>,
    ) -> Timings {
        let depth = self.chain.levels.len();
        let t = &self.chain.plaintext_modulus;
        let expected = BigUint::from(BASE).modpow(&(BigUint::from(1u32) << depth), t);
        let infinite = f64::INFINITY;
        let mut best = Timings {
            first_ms: infinite,
            chain_ms: infinite,
            rotate_ms: infinite,
            encrypt_ms: infinite,
            decrypt_ms: infinite,
        };
        // Tables are made at the first use.
        drop(square(0, &encrypt()));
        for _ in 0..repeats {
            let (fresh, encrypt_ms) = timed(&mut encrypt);
            let (mut value, first_ms) = timed(|| square(0, &fresh));
            let mut chain_ms = first_ms;
            for at in 1..depth {
                let (next, ms) = timed(|| square(at, &value));
                (value, chain_ms) = (next, chain_ms + ms);
            }
            let (found, decrypt_ms) = timed(|| decrypt(&value));
            assert_eq!(found[0], expected, "{:?}", self.chain.rlwe);
            let rotate_ms = if rotation {
                let (done, ms) = timed(|| rotate(&fresh));
                assert!(done, "the key is there");
                ms
            } else {
                0.0
            };
            best = Timings {
                first_ms: best.first_ms.min(first_ms),
                chain_ms: best.chain_ms.min(chain_ms),
                rotate_ms: best.rotate_ms.min(rotate_ms),
                encrypt_ms: best.encrypt_ms.min(encrypt_ms),
                decrypt_ms: best.decrypt_ms.min(decrypt_ms),
            };
            if chain_ms > LONG_MS * depth as f64 {
                break;
            }
        }
        best
    }
}
