//! The BFV scheme (Brakerski 2012; Fan, Vercauteren 2012): exact arithmetic on encrypted numbers modulo t, which stand
//! at the top of the ciphertext modulus.
//!
//! t is an integer of any size, or a polynomial X^k − b for few numbers of thousands of bits. Every ciphertext carries a
//! level and a noise bound; an operation whose result wouldn't be decryptable is an error with the figures in it.
//! Products multiply the noise by about t·N, whatever it was; switching to a lower level makes operations faster and
//! loses nothing while the noise is far above the divisor.
//!
//! ```
//! use std::sync::Arc;
//!
//! use asanoha_bfv::{
//!     BfvLiteral, Decryptor, Encoder, Encryptor, Evaluator, PublicKey, SecretKey, generate_evaluation_keys,
//! };
//! use asanoha_kernels::primes_congruent_to_one;
//! use asanoha_lattice::{Level, RlweLiteral};
//! use asanoha_ring::{Backend, Sampler};
//!
//! let ring_degree = 1 << 6;
//! let primes = primes_congruent_to_one(46, 2 * ring_degree as u64, 4, &[])?;
//! // An example must be quick; real parameters have N of at least 2^12.
//! let rlwe = RlweLiteral::new(ring_degree, primes[..2].to_vec(), primes[2..].to_vec(), 2).insecure();
//! let params = BfvLiteral::new(rlwe, 65537).check(Backend::detect()?)?;
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

mod binomial;
mod ciphertext;
mod decryptor;
mod encoder;
mod encryptor;
mod error;
mod evaluator;
mod form_noise;
mod keys;
mod modulus;
mod noise;
mod params;
mod rounding;
mod space;

pub use ciphertext::BfvCiphertext;
pub use decryptor::Decryptor;
pub use encoder::{BfvPlaintext, Encoder};
pub use encryptor::Encryptor;
pub use error::BfvError;
pub use evaluator::Evaluator;
pub use keys::{EvaluationKeys, PublicKey, SecretKey, generate_evaluation_keys};
pub use modulus::BfvModulus;
pub use noise::{BfvNoise, NoiseState, budget_bits, measure};
pub use params::{BfvLiteral, BfvParams, BfvParamsError};
