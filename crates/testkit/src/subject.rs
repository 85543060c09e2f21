//! A scheme as the suites see it.

use std::fmt::Debug;

use asanoha_lattice::{DiagonalSteps, Level, SecretKey};
use asanoha_ring::{Backend, Sampler, Seed};
use asanoha_scheme::{Ciphertext, Evaluator, Scheme, SchemeError, Transform};

use crate::{Known, Operand, Party, TestIntegers, rotated_rows};

/// What came of something that must be refused, by its name.
pub type Refusals = Vec<(&'static str, Result<(), SchemeError>)>;

/// A scheme under test: parameters to test it with, and the plain numbers that its ciphertexts are held against.
pub trait Subject: Sized + 'static {
    /// The scheme.
    type Scheme: Scheme;
    /// What a ciphertext holds many of.
    type Value: Clone + Debug + PartialEq + Send + Sync;

    /// The rotations that parties have keys for, where there are slots.
    const ROTATIONS: [i64; 4] = [1, 2, 5, -3];

    /// The randomness of a number.
    fn sampler(seed: u64) -> Sampler {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Sampler::new(&Seed(bytes))
    }

    /// Parameters for each kind of plaintexts, with six levels each. The first has a ring of 64 coefficients and as many
    /// slots as that can have.
    fn kinds(backend: Backend) -> Vec<Self::Scheme>;

    /// Parameters, and others that differ from the first: of the same ring and other plaintexts, of other primes, of
    /// another degree; all with the same number of levels.
    fn differing() -> Vec<Self::Scheme>;

    /// Parameters of the smallest ring and many levels.
    fn deep() -> Self::Scheme;

    /// Random values for a whole ciphertext.
    fn values(scheme: &Self::Scheme, integers: &mut TestIntegers) -> Vec<Self::Value>;

    /// One value wherever a constant of operations stands: in every slot, or in the constant coefficient.
    fn constant(scheme: &Self::Scheme, constant: i64) -> Vec<Self::Value>;

    /// A constant for sums.
    fn addend(constant: i64) -> <Self::Scheme as Scheme>::Constant;

    /// A constant for products.
    fn factor(constant: i64) -> <Self::Scheme as Scheme>::Factor;

    /// Encodes values for a level.
    ///
    /// # Errors
    /// The encoder's.
    fn encode(
        scheme: &Self::Scheme,
        values: &[Self::Value],
        level: Level,
    ) -> Result<<Self::Scheme as Scheme>::Plaintext, SchemeError>;

    /// The values of a plaintext.
    ///
    /// # Errors
    /// The encoder's.
    fn decode(
        scheme: &Self::Scheme,
        plaintext: &<Self::Scheme as Scheme>::Plaintext,
    ) -> Result<Vec<Self::Value>, SchemeError>;

    /// The values of a ciphertext.
    ///
    /// # Errors
    /// The decryptor's.
    fn decrypt(
        scheme: &Self::Scheme,
        secret: &SecretKey,
        ciphertext: &Ciphertext<Self::Scheme>,
    ) -> Result<Vec<Self::Value>, SchemeError>;

    /// How many bits the noise of a ciphertext of these values is above its bound: a negative number, or the bound is
    /// wrong.
    ///
    /// # Panics
    /// If it decrypts to other values.
    fn excess_bits(
        secret: &SecretKey,
        ciphertext: &Ciphertext<Self::Scheme>,
        values: &[Self::Value],
        what: &str,
    ) -> f64;

    /// a + b.
    fn sum(scheme: &Self::Scheme, a: &[Self::Value], b: &[Self::Value]) -> Vec<Self::Value>;

    /// a − b.
    fn difference(scheme: &Self::Scheme, a: &[Self::Value], b: &[Self::Value]) -> Vec<Self::Value>;

    /// a·b, of slots or of polynomials.
    fn product(scheme: &Self::Scheme, a: &[Self::Value], b: &[Self::Value]) -> Vec<Self::Value>;

    /// Each row rotated to the left.
    fn rotated(scheme: &Self::Scheme, values: &[Self::Value], rotation: i64) -> Vec<Self::Value> {
        rotated_rows(values, scheme.row_slots().expect("there are slots"), rotation)
    }

    /// The rows swapped, or the conjugates.
    fn swapped(scheme: &Self::Scheme, values: &[Self::Value]) -> Vec<Self::Value>;

    /// A product brought to the level, and the scale, that suit it.
    ///
    /// # Errors
    /// The evaluator's.
    fn settled_product(
        evaluator: &Evaluator<Self::Scheme>,
        a: &Ciphertext<Self::Scheme>,
        b: &Ciphertext<Self::Scheme>,
    ) -> Result<Ciphertext<Self::Scheme>, SchemeError>;

    /// A ciphertext as it's added to those that came down to a level by products.
    ///
    /// # Errors
    /// The evaluator's.
    fn brought_to(
        evaluator: &Evaluator<Self::Scheme>,
        a: &Ciphertext<Self::Scheme>,
        level: Level,
    ) -> Result<Ciphertext<Self::Scheme>, SchemeError>;

    /// A linear transform of ones.
    ///
    /// # Errors
    /// The encoder's.
    fn transform(
        scheme: &Self::Scheme,
        steps: &DiagonalSteps,
        level: Level,
    ) -> Result<Transform<Self::Scheme>, SchemeError>;

    /// What every way to decrypt makes of a ciphertext.
    fn decryptions(
        scheme: &Self::Scheme,
        secret: &SecretKey,
        ciphertext: &Ciphertext<Self::Scheme>,
    ) -> Refusals;

    /// What the operations that this scheme has beyond all schemes' make of a ciphertext.
    fn own_operations(party: &Party<Self>, ciphertext: &Ciphertext<Self::Scheme>) -> Refusals;

    /// A step of circuits that repeat their own values, by operations that this scheme has beyond all schemes': of the
    /// ciphertexts x, a and b of one level; none where there's no such operation.
    ///
    /// # Errors
    /// The evaluator's.
    fn own_step(
        _party: &Party<Self>,
        _choice: u64,
        _operands: [Operand<'_, Self>; 3],
    ) -> Result<Option<Known<Self>>, SchemeError> {
        Ok(None)
    }
}
