//! The BFV scheme (Brakerski 2012; Fan, Vercauteren 2012): exact arithmetic on encrypted numbers modulo t, which stand
//! at the top of the ciphertext modulus.
//!
//! t is an integer of any size, or a polynomial X^k − b for few numbers of thousands of bits. Every ciphertext carries a level
//! and a noise bound. An operation fails with the figures if its result wouldn't be decryptable. Products multiply the noise by
//! about t·N at every level. Switching to a lower level makes operations faster, and loses nothing while the noise is far above
//! the divisor.
//!
//! ```
//! use asanoha_bfv::Bfv;
//! use asanoha_scheme::GenerateKeys;
//!
//! let params = Bfv::parameters().depth(1).plaintext_modulus(65537).slots(1024).build()?;
//! let (secret, public) = params.generate_keys();
//! let keys = secret.evaluation_keys().relinearise().rotate([1]).build()?;
//! let evaluator = params.evaluator(keys);
//!
//! let a = public.encrypt([1i64, -2, 3])?;
//! let square = evaluator.multiply(&a, &a)?;
//! let rotated = evaluator.rotate(&square, 1)?;
//! assert_eq!(secret.decrypt(&rotated)?[..3], [4, 9, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod modulus;
mod params;
mod rounding;
mod scheme;
mod search;
mod stored;

pub use asanoha_lattice::{EvaluationKeys, PublicKey, SecretKey};
pub use asanoha_scheme::{EvaluationKeysBuilder, Exact, Scheme, SchemeError};
pub use modulus::BfvModulus;
pub use params::{BfvLiteral, BfvParams, BfvParamsError};
pub use scheme::measure;

/// The BFV scheme with its checked parameters.
pub type Bfv = BfvParams;
/// An encrypted plaintext.
pub type BfvCiphertext = asanoha_scheme::Ciphertext<Bfv>;
/// Numbers as a polynomial modulo t.
pub type BfvPlaintext = asanoha_scheme::ExactPlaintext<Bfv>;
/// The encoded diagonals of a linear transform.
pub type BfvTransform = asanoha_scheme::Transform<Bfv>;
/// The state of a ciphertext, without its polynomials.
pub type BfvState = asanoha_scheme::State<Bfv>;
/// The noise model of BFV.
pub type BfvModel = asanoha_scheme::Model<Bfv>;
/// Predicts the states of results without ciphertexts.
pub type BfvPredictor = asanoha_scheme::Predictor<Bfv>;
/// An encoder of integer vectors.
pub type Encoder = asanoha_scheme::Encoder<Bfv>;
/// An encryptor of plaintexts.
pub type Encryptor = asanoha_scheme::Encryptor<Bfv>;
/// An evaluator: computes on ciphertexts.
pub type Evaluator = asanoha_scheme::Evaluator<Bfv>;
/// A decryptor of ciphertexts.
pub type Decryptor = asanoha_scheme::Decryptor<Bfv>;
