//! The traits of schemes, and the state of a ciphertext.

use std::{borrow::Cow, fmt::Debug};

use asanoha_lattice::{
    DiagonalNoise, DiagonalSteps, Level, LevelTooLow, NoiseModel, Norm, RlweCiphertext, RlweParams,
};
use asanoha_ring::{Basis, Evaluation, GaloisElement, Poly};
use num_bigint::BigInt;

use crate::SchemeError;

/// The state of a ciphertext that noise prediction uses: its level, noise bound and message, without its polynomials.
///
/// An evaluator and a [`crate::Predictor`] compute every result's state in the same way, so that a plan predicts every
/// ciphertext's state exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S: Scheme> {
    /// The level.
    pub level: Level,
    /// Bound on the canonical norm of the noise. What counts as noise is the scheme's to say; in BGV the message is in it.
    pub noise: Norm,
    /// How the message stands in the polynomials.
    pub message: S::Message,
}

/// The level that a scheme brings products to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductLevel {
    /// The one below the product's: the product is rescaled.
    Below,
    /// That of [`crate::Model::settled`].
    Settled,
    /// That of [`crate::Model::lossless`].
    Lossless,
}

/// A scheme with its checked parameters: a handle whose clones share them.
///
/// It defines the scheme's plaintexts and constants, what a ciphertext carries beside its polynomials, how noise grows, how
/// ciphertexts are multiplied, and which levels and scales operands and products are brought to. Everything else is
/// implemented once on top of it: [`crate::Operations`] on ciphertexts and their states, [`crate::Ciphertext`], keys and
/// encryption.
///
/// Noise is a bound on the canonical norm of the noise polynomial. Bounds are given for what the lattice operations draw by a
/// [`NoiseModel`], in units of the noise factor ([`RlweParams::noise_factor`]).
pub trait Scheme: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The default type of the slots' values: `i64` or `f64`.
    type Value;
    /// The message state, which is public: a correction factor, or a scale and a bound.
    type Message: Clone + Debug + PartialEq + Send + Sync;
    /// Encoded numbers.
    type Plaintext: Plaintext<Self>;
    /// The public state of an encrypted plaintext: nothing, or its scale and bound.
    type Public: Clone + Debug;
    /// The state of a plaintext that the evaluating side adds or multiplies with.
    type PlainState: Clone + Debug;
    /// The state of a linear transform's diagonals.
    type TransformState: Clone + Debug + Send + Sync;
    /// A constant that is added to all slots.
    type Constant: Clone + Debug;
    /// A constant that all slots are multiplied by.
    type Factor: Clone + Debug;

    /// The scheme's name.
    const NAME: &'static str;
    /// Whether a switch to a lower level divides by the primes above it, as key switching does on the way; otherwise these are
    /// forgotten.
    const SWITCHES_BY_DIVISION: bool = true;
    /// The level that products are brought to.
    const PRODUCT_LEVEL: ProductLevel = ProductLevel::Settled;

    /// Returns the ring's parameters.
    fn rlwe(&self) -> &RlweParams;

    /// Returns a digest of the parameters, which ciphertexts in files carry.
    fn digest(&self) -> &str;

    /// Returns the count of numbers that a ciphertext holds.
    fn slots(&self) -> usize;

    /// Returns the number of slots that rotate among themselves; `None` if plaintexts have no slots.
    fn row_slots(&self) -> Option<usize>;

    /// Returns the automorphism that swaps the rows, or conjugates: the identity if there is one slot, `None` if there are
    /// none.
    fn row_swap(&self) -> Option<GaloisElement> {
        self.row_slots().map(|_| GaloisElement::conjugation(self.rlwe().ring_degree()))
    }

    /// Describes the parameters in a few words, for error messages.
    fn describe(&self) -> String;

    /// Returns the level of fresh ciphertexts.
    fn max_level(&self) -> Level {
        self.rlwe().max_level()
    }

    /// log2 of what the modulus must hold for each unit of what [`Scheme::decryption_bound`] gives, beside the sign.
    fn reserved_bits(&self, _model: &NoiseModel) -> f64 {
        0.0
    }

    /// What must stay below the modulus for a ciphertext to decrypt: its noise, or message and noise together.
    fn decryption_bound(&self, state: &State<Self>) -> Norm {
        state.noise
    }

    /// Whether a message that came from outside is one.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    fn check_message(&self, _message: &Self::Message) -> Result<(), &'static str> {
        Ok(())
    }

    /// The message of a fresh ciphertext, and what its encoding adds to the noise. Everyone sees both, so they depend on
    /// the plaintext only by what is public.
    fn encoded(&self, public: &Self::Public) -> (Self::Message, Norm);

    /// What is public of a plaintext.
    fn public(&self, plaintext: &Self::Plaintext) -> Self::Public;

    /// The sum of ciphertexts of one level, and the integers that they must be multiplied by first, if any.
    ///
    /// # Errors
    /// Messages that can't be added.
    fn sum(
        &self,
        left: &State<Self>,
        right: &State<Self>,
    ) -> Result<(State<Self>, Option<[BigInt; 2]>), SchemeError>;

    /// The message of a sum of `count` ciphertexts of one message.
    fn repeated(&self, message: &Self::Message, _count: usize) -> Self::Message {
        message.clone()
    }

    /// A sum with a plaintext, which has taken on the ciphertext's message.
    ///
    /// # Errors
    /// A plaintext that can't be added.
    fn plain_sum(&self, a: &State<Self>, plain: &Self::PlainState) -> Result<State<Self>, SchemeError>;

    /// A plaintext as it is added to ciphertexts of a message.
    fn adapted<'p>(
        &self,
        plaintext: &'p Self::Plaintext,
        _message: &Self::Message,
    ) -> Cow<'p, Self::Plaintext> {
        Cow::Borrowed(plaintext)
    }

    /// A product with a plaintext, not rescaled.
    fn plain_product(&self, a: &State<Self>, plain: &Self::PlainState) -> State<Self>;

    /// A sum with a constant in every slot.
    ///
    /// # Errors
    /// What is no constant.
    fn constant_sum(&self, a: &State<Self>, constant: &Self::Constant) -> Result<State<Self>, SchemeError>;

    /// Adds a constant to c₀ of a ciphertext of a state.
    fn add_constant_to(&self, c0: &mut Poly<Evaluation>, a: &State<Self>, constant: &Self::Constant);

    /// A product with a constant, and the integer that the polynomials are multiplied by.
    ///
    /// # Errors
    /// What is no factor.
    fn constant_product(
        &self,
        a: &State<Self>,
        factor: &Self::Factor,
    ) -> Result<(State<Self>, BigInt), SchemeError>;

    /// A product of ciphertexts of one level, of three parts.
    fn product(&self, model: &NoiseModel, left: &State<Self>, right: &State<Self>) -> State<Self>;

    /// The polynomials of a product.
    fn tensor(&self, left: &RlweCiphertext, right: &RlweCiphertext) -> RlweCiphertext {
        left.tensor(right)
    }

    /// The polynomials of a sum of products, of as many ciphertexts on both sides, at least one: a scheme whose
    /// [`Scheme::tensor`] is its own has its own of these too.
    fn tensor_sum(&self, left: &[&RlweCiphertext], right: &[&RlweCiphertext]) -> RlweCiphertext {
        RlweCiphertext::tensor_sum(left, right)
    }

    /// The polynomials of a square.
    fn tensor_square(&self, a: &RlweCiphertext) -> RlweCiphertext {
        self.tensor(a, a)
    }

    /// A linear transform by diagonals, not rescaled. The growth is what its rotations add.
    fn transformed(
        &self,
        a: &State<Self>,
        steps: &DiagonalSteps,
        transform: &Self::TransformState,
        growth: DiagonalNoise,
    ) -> State<Self>;

    /// The message after a division by dropped primes.
    fn divided(&self, message: &Self::Message, dropped: &Basis) -> Self::Message;

    /// The message of numbers that are known to be within a bound, where the scheme has bounds: a wider one changes nothing.
    ///
    /// # Errors
    /// What is no bound.
    fn narrowed(message: &Self::Message, _bound: f64) -> Result<Self::Message, SchemeError> {
        Ok(message.clone())
    }

    /// The level at which two operands of a sum or a product meet.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooLow`] where there's none.
    fn meeting_level(&self, left: &State<Self>, right: &State<Self>) -> Result<Level, SchemeError> {
        Ok(left.level.min(right.level))
    }

    /// What a ciphertext is multiplied by on the way to a lower level where others meet it, so that its message has the scale
    /// of that level after the division by the last prime above: the integer, and the product's state one level above. `None`
    /// if a switch to the level is enough.
    ///
    /// # Errors
    /// A scale that no integer brings there.
    fn multiple_for(
        &self,
        _a: &State<Self>,
        _level: Level,
    ) -> Result<Option<(BigInt, State<Self>)>, SchemeError> {
        Ok(None)
    }

    /// The state at the scale that ciphertexts of its level have, where the scheme has scales: the difference counts as noise.
    fn canonical(&self, a: State<Self>) -> State<Self> {
        a
    }

    /// The factor for a product with a constant, and whether the product is brought to the level of [`Scheme::PRODUCT_LEVEL`].
    ///
    /// # Errors
    /// [`SchemeError::LevelTooLow`] if there's no level left for that.
    fn constant_factor(
        &self,
        a: &State<Self>,
        constant: &Self::Constant,
    ) -> Result<(Self::Factor, bool), SchemeError>;

    /// The plaintext by which a product with a constant adds less noise than the constant as an integer, and its state; `None`
    /// where there is none.
    fn factor_plaintext(&self, _factor: &Self::Factor, _level: Level) -> Option<Self::Plaintext> {
        None
    }
}

/// Encoded numbers, for ciphertexts of one level.
pub trait Plaintext<S: Scheme>: Clone + Debug + Send + Sync {
    /// The scheme that it was encoded for.
    fn scheme(&self) -> &S;
    /// The level.
    fn level(&self) -> Level;
    /// What is encrypted, or added to c₀.
    fn addend(&self) -> &Poly<Evaluation>;
    /// What ciphertexts are multiplied by.
    fn factor(&self) -> &Poly<Evaluation>;
    /// What noise prediction knows of it.
    fn state(&self) -> S::PlainState;
    /// The same numbers for ciphertexts of a lower level; as it is if the level isn't lower.
    fn lowered(&self, level: Level) -> Cow<'_, Self>;
}

/// A scheme that divides ciphertexts and their scale by primes of about the scale's size, and whose numbers are
/// approximate.
pub trait Approximate: Scheme<Constant: From<f64>, Factor: From<(f64, f64)>> {
    /// Returns the scale: the factor between values and coefficients.
    fn scale(message: &Self::Message) -> f64;

    /// Returns a bound on the absolute values of the slots.
    fn bound(message: &Self::Message) -> f64;

    /// Returns the scale of fresh ciphertexts of a level, which is that of a rescaled product of two from the level above.
    fn canonical_scale(&self, level: Level) -> f64;

    /// Returns the scale for constants: a product with one, rescaled, has the canonical scale of the level below.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooLow`] if there's none.
    fn constant_scale(&self, a: &State<Self>) -> Result<f64, SchemeError> {
        let below = a.level.0.checked_sub(1).ok_or(LevelTooLow { needed: 1, found: 0 })?;
        let prime = self.rlwe().q(a.level).modulus(a.level.0).value() as f64;
        Ok(self.canonical_scale(Level(below)) * prime / a.scale())
    }
}

impl<S: Scheme> State<S> {
    /// Returns the state with another noise bound.
    pub fn with_noise(&self, noise: Norm) -> Self {
        Self { level: self.level, noise, message: self.message.clone() }
    }
}

impl<S: Approximate> State<S> {
    /// Lowers the bound on the values to one that the caller knows. A wider bound changes nothing.
    ///
    /// # Errors
    /// [`SchemeError::InvalidBound`] if it's negative or not a number.
    pub fn narrow_bound(&self, bound: f64) -> Result<Self, SchemeError> {
        Ok(Self { message: S::narrowed(&self.message, bound)?, ..self.clone() })
    }

    /// Returns the scale: the factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        S::scale(&self.message)
    }

    /// Returns a bound on the absolute values of the slots.
    pub fn bound(&self) -> f64 {
        S::bound(&self.message)
    }

    /// Returns a bound on the error of every slot: noise over scale.
    pub fn error_bound(&self) -> f64 {
        self.noise.to_f64() / self.scale()
    }
}
