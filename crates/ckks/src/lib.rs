//! The CKKS scheme (Cheon, Kim, Kim, Song 2017), in RNS form: approximate arithmetic on encrypted vectors of real
//! and complex numbers.
//!
//! A plaintext is a vector of N/2 complex numbers, the slots, times a scale, rounded to an integer polynomial. Operations act
//! on all slots at once. Products multiply the scales. Rescaling divides by a prime of about the scale's size, restores the
//! scale and costs one level. Every ciphertext carries its level, its scale, a bound on its values and a bound on its noise. An
//! operation fails with the figures if its result wouldn't be decryptable.
//!
//! ```
//! use asanoha_ckks::Ckks;
//! use asanoha_scheme::GenerateKeys;
//!
//! let params = Ckks::parameters().depth(1).precision_bits(20).slots(1024).build()?;
//! let (secret, public) = params.generate_keys();
//! let keys = secret.evaluation_keys().relinearise().rotate([1]).build()?;
//! let evaluator = params.evaluator(keys);
//!
//! // The bound is public: it's that of the kind of data.
//! let a = public.with_bound(4.0).encrypt([1.5, -2.0, 0.25])?;
//! let square = evaluator.square(&a)?;
//! let rotated = evaluator.rotate(&square, 1)?;
//! for (value, expected) in secret.decrypt(&rotated)?.iter().zip([4.0, 0.0625]) {
//!     assert!((value - expected).abs() <= rotated.error_bound());
//! }
//! assert!(rotated.error_bound() < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bootstrap;
mod complex;
mod decryptor;
mod embedding;
mod encoder;
mod numbers;
mod params;
mod plaintext;
mod publication;
mod scaled;
mod scheme;
mod search;
mod stored;
mod transform;

pub use asanoha_lattice::{EvaluationKeys, PublicKey, SecretKey};
pub use asanoha_scheme::{Approximate, EvaluationKeysBuilder, Scheme, SchemeError};
pub use bootstrap::{BootstrapSet, FEW_SLOTS};
pub use complex::Complex64;
pub use decryptor::Decryptor;
pub use encoder::Encoder;
pub use params::{CkksLiteral, CkksParams, CkksParamsError};
pub use plaintext::CkksPlaintext;
pub use publication::{Flooding, LEAST_STATISTICAL_BITS, PublicationId, Published, publication_tau};
pub use scaled::{Scaled, ScaledConstant};
pub use scheme::measure;
pub use search::rescaling_primes;
pub use transform::TransformState;

/// The CKKS scheme with its checked parameters.
pub type Ckks = CkksParams;
/// An encrypted vector of N/2 complex numbers.
pub type CkksCiphertext = asanoha_scheme::Ciphertext<Ckks>;
/// The encoded diagonals of a linear transform.
pub type CkksTransform = asanoha_scheme::Transform<Ckks>;
/// The state of a ciphertext, without its polynomials.
pub type CkksState = asanoha_scheme::State<Ckks>;
/// The noise model of CKKS.
pub type CkksModel = asanoha_scheme::Model<Ckks>;
/// Predicts the states of results without ciphertexts.
pub type CkksPredictor = asanoha_scheme::Predictor<Ckks>;
/// An encryptor of plaintexts.
pub type Encryptor = asanoha_scheme::Encryptor<Ckks>;
/// An evaluator: computes on ciphertexts.
pub type Evaluator = asanoha_scheme::Evaluator<Ckks>;
