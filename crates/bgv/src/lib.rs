//! The BGV scheme (Brakerski, Gentry, Vaikuntanathan 2012): exact arithmetic on encrypted vectors of integers
//! modulo t.
//!
//! A plaintext is a polynomial modulo t, an integer from 2 to thousands of bits. If t is a prime ≡ 1 modulo 2N, it holds N
//! integers modulo t in two rows of N/2 slots, and operations act on all slots at once. Other primes have fewer slots, and
//! every t has the N coefficients (see [`asanoha_scheme::PlaintextSpace`]).
//!
//! Every ciphertext carries a level, a correction factor and a noise bound. An operation fails with the figures if its result
//! wouldn't be decryptable. Products multiply noises, and switching to a lower level divides the noise.
//!
//! ```
//! use asanoha_bgv::Bgv;
//! use asanoha_scheme::GenerateKeys;
//!
//! let params = Bgv::parameters().depth(1).plaintext_modulus(65537).slots(1024).build()?;
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

mod factor;
mod params;
mod scheme;
mod search;
mod stored;

pub use asanoha_lattice::{EvaluationKeys, PublicKey, SecretKey};
pub use asanoha_scheme::{EvaluationKeysBuilder, Exact, Scheme, SchemeError};
pub use params::{BgvLiteral, BgvParams, BgvParamsError};
pub use scheme::measure;

/// The BGV scheme with its checked parameters.
pub type Bgv = BgvParams;
/// An encrypted vector of integers modulo t.
pub type BgvCiphertext = asanoha_scheme::Ciphertext<Bgv>;
/// A vector of integers modulo t as a polynomial.
pub type BgvPlaintext = asanoha_scheme::ExactPlaintext<Bgv>;
/// The encoded diagonals of a linear transform.
pub type BgvTransform = asanoha_scheme::Transform<Bgv>;
/// The state of a ciphertext, without its polynomials.
pub type BgvState = asanoha_scheme::State<Bgv>;
/// The noise model of BGV.
pub type BgvModel = asanoha_scheme::Model<Bgv>;
/// Predicts the states of results without ciphertexts.
pub type BgvPredictor = asanoha_scheme::Predictor<Bgv>;
/// An encoder of integer vectors.
pub type Encoder = asanoha_scheme::Encoder<Bgv>;
/// An encryptor of plaintexts.
pub type Encryptor = asanoha_scheme::Encryptor<Bgv>;
/// An evaluator: computes on ciphertexts.
pub type Evaluator = asanoha_scheme::Evaluator<Bgv>;
/// A decryptor of ciphertexts.
pub type Decryptor = asanoha_scheme::Decryptor<Bgv>;
