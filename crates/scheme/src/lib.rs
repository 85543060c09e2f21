//! Defines homomorphic-encryption schemes, and implements everything that they share.
//!
//! A scheme, with its checked parameters, implements [`Scheme`]; exact ones [`Exact`] too, approximate ones
//! [`Approximate`]. On top of that are:
//! * keys: [`GenerateKeys::generate_keys`], [`SecretKey`], [`PublicKey`], and evaluation keys by purpose
//!   ([`SecretKey::evaluation_keys`]);
//! * encryption and decryption: [`PublicKey::encrypt`], [`SecretKey::decrypt`], or [`Encryptor`] where randomness and
//!   levels are given;
//! * [`Ciphertext`], which knows its parameters, its level and its noise bound;
//! * [`Evaluator`]: [`add`](Evaluator::add), [`multiply`](Evaluator::multiply), [`relinearise`](Evaluator::relinearise),
//!   [`rescale`](Evaluator::rescale), [`switch_to`](Evaluator::switch_to), [`rotate`](Evaluator::rotate),
//!   [`sum`](Evaluator::sum), [`transform`](Evaluator::transform) and the rest;
//! * [`Predictor`], which has the same operations on predicted states ([`Operations`]), and [`Model`], which bounds the noise of
//!   each;
//! * [`capability`]: the traits that circuits are written over.

mod bootstrap;
pub mod capability;
mod checks;
mod ciphertext;
mod encryptor;
mod error;
mod exact;
mod keys;
mod model;
mod numbers;
mod operand;
mod operation;
mod operations;
mod operators;
mod parameters;
mod plaintext;
mod scheme;
mod stored;
mod transform;

pub use bootstrap::{
    BootstrapShape, BootstrapShapeError, BootstrapValues, Bootstrappable, LARGEST_RAISED_INTEGER,
};
pub use checks::{not_above, same_parameters, scale_difference};
pub use ciphertext::Ciphertext;
pub use encryptor::Encryptor;
pub use error::SchemeError;
pub use exact::{Decryptor, Encoder, Exact, ExactPlaintext, Mask, MaskEncoder};
pub use keys::{
    EvaluationKeysBuilder, GenerateKeys, PublicKey, SecretKey, SwitchWork, Work, sum_factors, sum_trace,
};
pub use model::Model;
pub use numbers::{EncodeFor, Encodes, Holds, Numbers};
pub use operand::Operand;
pub use operation::{Coefficients, MaskedRotation};
pub use operations::{Evaluator, Operations, Predictor};
pub use parameters::{
    FAST_PRIME_BITS, NoPrimes, ParameterRequirements, ParametersBuilder, ParametersError, Parametrised,
    Primes, SwitchLevels, candidates, choose_digits, log2_product, narrowest_prime_bits, segment, segment_of,
    squarings_suffice, with_digits,
};
pub use plaintext::{
    Binomial, Encoding, JsonInteger, MAX_PLAINTEXT_BITS, NegatedInverse, Plain, PlainPoly, PlaintextError,
    PlaintextSpace, Space, batching_primes, is_prime_integer, nearest_batching_primes, next_batching_prime,
};
pub use scheme::{Approximate, Plaintext, ProductLevel, Scheme, State};
pub use stored::{Stored, StoredKeys};
pub use transform::{EncodeTransform, Transform};
