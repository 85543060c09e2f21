//! The BGV scheme (Brakerski, Gentry, Vaikuntanathan 2012): exact arithmetic on encrypted vectors of integers
//! modulo t.
//!
//! A plaintext is a polynomial modulo t, a number of any kind from 2 to thousands of bits. Where t is a prime ≡ 1 modulo
//! 2N it holds N integers modulo t in two rows of N/2 slots, and operations act on all slots at once; other primes have
//! fewer slots, and every t has the N coefficients (see [`asanoha_lattice::PlaintextSpace`]). Every ciphertext carries a level, a correction factor and a noise bound; an operation whose result
//! wouldn't be decryptable is an error with the figures in it. Multiplications multiply noises, and switching to a
//! lower level divides the noise again.
//!
//! ```
//! use std::sync::Arc;
//!
//! use asanoha_bgv::{
//!     BgvLiteral, Decryptor, Encoder, Encryptor, Evaluator, PublicKey, SecretKey, generate_evaluation_keys,
//! };
//! use asanoha_kernels::primes_congruent_to_one;
//! use asanoha_lattice::{Level, RlweLiteral};
//! use asanoha_ring::{Backend, Sampler};
//!
//! let ring_degree = 1 << 6;
//! let primes = primes_congruent_to_one(46, 2 * ring_degree as u64, 4, &[])?;
//! // An example must be quick; real parameters have N of at least 2^12.
//! let rlwe = RlweLiteral::new(ring_degree, primes[..2].to_vec(), primes[2..].to_vec(), 2).insecure();
//! let params = BgvLiteral::new(rlwe, 65537u32).check(Backend::detect()?)?;
//!
//! let mut sampler = Sampler::from_os();
//! let secret = SecretKey::generate(params.rlwe(), &mut sampler);
//! let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
//! let keys = generate_evaluation_keys(&params, &secret, &[1], false, true, &mut sampler);
//!
//! let plain = Encoder::new(&params).encode(&[1, -2, 3], params.max_level())?;
//! let a = Encryptor::new(&params).encrypt(&public, &plain, &mut sampler)?;
//!
//! let evaluator = Evaluator::new(&params, Arc::new(keys));
//! let square = evaluator.switch_to(evaluator.square(&a)?, Level(0))?;
//! let rotated = evaluator.rotate(&square, 1)?;
//!
//! assert_eq!(Decryptor::new(&params).decrypt(&secret, &rotated)?[..3], [4, 9, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ciphertext;
mod decryptor;
mod encoder;
mod encryptor;
mod error;
mod evaluator;
mod factor;
mod form_noise;
mod keys;
mod noise;
mod params;
mod settle;
mod transform;

pub use ciphertext::BgvCiphertext;
pub use decryptor::Decryptor;
pub use encoder::{BgvPlaintext, Encoder};
pub use encryptor::Encryptor;
pub use error::BgvError;
pub use evaluator::Evaluator;
pub use keys::{EvaluationKeys, PublicKey, SecretKey, generate_evaluation_keys};
pub use noise::{BgvNoise, NoiseState, budget_bits, measure};
pub use params::{BgvLiteral, BgvParams, BgvParamsError};
pub use transform::BgvTransform;
