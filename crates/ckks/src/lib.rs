//! The CKKS scheme (Cheon, Kim, Kim, Song 2017), in RNS form: approximate arithmetic on encrypted vectors of real
//! and complex numbers.
//!
//! A plaintext is a vector of N/2 complex numbers, the slots, times a scale, rounded to an integer polynomial.
//! Operations act on all slots at once. Products multiply the scales; rescaling by a prime of about the scale's size
//! brings it back and costs one level. Every ciphertext carries its level, its scale, a bound on its values and a
//! bound on its noise; an operation whose result wouldn't be decryptable is an error with the figures in it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use asanoha_ckks::{
//!     CkksLiteral, Decryptor, Encoder, Encryptor, Evaluator, PublicKey, SecretKey, generate_evaluation_keys,
//! };
//! use asanoha_kernels::primes_congruent_to_one;
//! use asanoha_lattice::RlweLiteral;
//! use asanoha_ring::{Backend, Sampler};
//!
//! let ring_degree = 1 << 6;
//! let step = 2 * ring_degree as u64;
//! let first = primes_congruent_to_one(50, step, 1, &[])?;
//! let q_primes = [first, primes_congruent_to_one(40, step, 1, &[])?].concat();
//! let p_primes = primes_congruent_to_one(55, step, 1, &[])?;
//! // An example must be quick; real parameters have N of at least 2^12.
//! let rlwe = RlweLiteral::new(ring_degree, q_primes, p_primes, 2).insecure();
//! let params = CkksLiteral { rlwe, log2_scale: 40.0 }.check(Backend::detect()?)?;
//!
//! let mut sampler = Sampler::from_os();
//! let secret = SecretKey::generate(params.rlwe(), &mut sampler);
//! let public = PublicKey::generate(params.rlwe(), &secret, &mut sampler);
//! let keys = generate_evaluation_keys(&params, &secret, &[1], false, true, &mut sampler);
//!
//! let level = params.max_level();
//! // The bound is public: it's that of the kind of data.
//! let bound = 4.0;
//! let plain = Encoder::new(&params).encode_real(&[1.5, -2.0, 0.25], bound, level, params.scale_at(level))?;
//! let a = Encryptor::new(&params).encrypt(&public, &plain, &mut sampler)?;
//!
//! let evaluator = Evaluator::new(&params, Arc::new(keys));
//! let square = evaluator.rescale(evaluator.square(&a)?)?;
//! let rotated = evaluator.rotate(&square, 1)?;
//!
//! let values = Decryptor::new(&params).decrypt_real(&secret, &rotated)?;
//! for (value, expected) in values.iter().zip([4.0, 0.0625]) {
//!     assert!((value - expected).abs() <= rotated.error_bound());
//! }
//! assert!(rotated.error_bound() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ciphertext;
mod complex;
mod decryptor;
mod encoder;
mod encryptor;
mod error;
mod evaluator;
mod fft;
mod keys;
mod noise;
mod params;
mod publication;
mod transform;

pub use ciphertext::{CkksCiphertext, CkksPlaintext};
pub use complex::Complex64;
pub use decryptor::Decryptor;
pub use encoder::Encoder;
pub use encryptor::Encryptor;
pub use error::CkksError;
pub use evaluator::Evaluator;
pub use keys::{EvaluationKeys, PublicKey, SecretKey, generate_evaluation_keys};
pub use noise::{CkksNoise, NoiseState, PlainState, measure};
pub use params::{CkksLiteral, CkksParams, CkksParamsError};
pub use publication::{LEAST_STATISTICAL_BITS, PublicationId, Published, publication_tau};
pub use transform::{CkksTransform, TransformState};
