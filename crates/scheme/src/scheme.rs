//! The traits of schemes.

use std::{borrow::Cow, fmt::Debug};

use asanoha_lattice::{
    DiagonalNoise, DiagonalSteps, Level, LevelTooLow, NoiseModel, Norm, RlweCiphertext, RlweParams,
};
use asanoha_ring::{Basis, Evaluation, GaloisElement, Poly};
use num_bigint::BigInt;

use crate::{Ciphertext, Encodes, Model, Operand, Operations, SchemeError, State, Transform};

/// A scheme with its checked parameters: a handle whose clones share them.
///
/// It defines the scheme's plaintexts and constants, what a ciphertext carries beside its polynomials, how noise grows, and how
/// ciphertexts are multiplied. Everything else is implemented once on top of it: [`Operations`] on ciphertexts and their
/// states, [`Ciphertext`], keys and encryption.
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
    /// Whether [`Scheme::switch_polynomials`] divides, as key switching does on the way; otherwise primes are forgotten.
    const SWITCHES_BY_DIVISION: bool = true;

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

    /// A switch to a lower level of a ciphertext of `parts` polynomials: by dividing, if the message stands divided as well.
    ///
    /// # Errors
    /// A level above the ciphertext's, or a result that doesn't decrypt.
    fn switched(
        model: &Model<Self>,
        a: &State<Self>,
        parts: usize,
        level: Level,
    ) -> Result<State<Self>, SchemeError> {
        model.divide_to(a, parts, level)
    }

    /// The polynomials of a switch to a level below the ciphertext's.
    fn switch_polynomials(&self, a: &RlweCiphertext, level: Level) -> RlweCiphertext {
        a.quotient_to(self.rlwe(), level)
    }

    /// The message of numbers that are known to be within a bound, where the scheme has bounds: a wider one changes nothing.
    ///
    /// # Errors
    /// What is no bound.
    fn narrowed(message: &Self::Message, _bound: f64) -> Result<Self::Message, SchemeError> {
        Ok(message.clone())
    }

    /// Aligns two values for a sum: at the lower one of their levels, and in CKKS at one scale.
    ///
    /// # Errors
    /// Values that can't be aligned.
    fn align<'v, V: Operand<Self>>(
        operations: &Operations<Self, V>,
        a: &'v V,
        b: &'v V,
    ) -> Result<OfOneLevel<'v, V>, SchemeError> {
        let level = a.state().level.min(b.state().level);
        Ok((operations.lowered(a, level)?, operations.lowered(b, level)?))
    }

    /// Returns the level that products are switched to so that the noise budget of the remaining products stays. Schemes that
    /// rescale don't use it.
    fn kept_level(model: &Model<Self>, product: &State<Self>) -> Level {
        model.settled(product)
    }

    /// Switches or rescales a product with a plaintext or a constant, of two components, to the level, and in CKKS the scale,
    /// that suits it.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`], [`SchemeError::LevelTooLow`].
    fn settled<V: Operand<Self>>(operations: &Operations<Self, V>, product: V) -> Result<V, SchemeError> {
        let level = Self::kept_level(operations.model(), product.state());
        if level == product.state().level { Ok(product) } else { operations.switch_to(&product, level) }
    }

    /// Relinearises a product of three components, at the level, and in CKKS the scale, that suits it.
    ///
    /// # Errors
    /// Those of a relinearisation and of [`Scheme::settled`].
    fn settled_product<V: Operand<Self>>(
        operations: &Operations<Self, V>,
        product: V,
        level: impl FnOnce(&Model<Self>, &State<Self>) -> Level,
    ) -> Result<V, SchemeError> {
        operations.relinearise_at(product, |state| Ok(level(operations.model(), state)))
    }

    /// Multiplies by a constant, at the level, and in CKKS the scale, that suits the product.
    ///
    /// # Errors
    /// What is no factor, and those of [`Scheme::settled`].
    fn times_constant<V: Operand<Self>>(
        operations: &Operations<Self, V>,
        a: &V,
        constant: &Self::Constant,
    ) -> Result<V, SchemeError>;
}

/// Two values of one level.
pub type OfOneLevel<'v, V> = (Cow<'v, V>, Cow<'v, V>);

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

/// A scheme whose plaintexts hold numbers of a type, and are read as such.
pub trait Holds<T>: Encodes<T> {
    /// Decrypts the numbers of a ciphertext, for the key holder.
    ///
    /// # Errors
    /// Another key, or noise above its bound.
    fn decrypt(
        &self,
        secret: &asanoha_lattice::SecretKey,
        ciphertext: &Ciphertext<Self>,
    ) -> Result<Vec<T>, SchemeError>;
}

/// A scheme that encodes the diagonals of linear transforms.
pub trait EncodeTransform: Scheme {
    /// An entry of a matrix.
    type Entry;
    /// How entries are scaled: not at all where they're exact.
    type EntryScale;

    /// Encodes the diagonals at the offsets that the steps make, for ciphertexts of a level and those below.
    ///
    /// # Errors
    /// Entries that don't fit, or diagonals that don't repeat in a row.
    fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        scale: Self::EntryScale,
        diagonal: impl Fn(usize) -> Vec<Self::Entry> + Sync,
    ) -> Result<Transform<Self>, SchemeError>;
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

    /// The adjustment of a ciphertext of `parts` polynomials to a level and the scale that ciphertexts have there; and what its
    /// polynomials are multiplied by at the level above, `None` at the level itself.
    ///
    /// # Errors
    /// A level above the ciphertext's, or a scale that can't be adjusted to that level.
    fn adjustment(
        model: &Model<Self>,
        a: &State<Self>,
        parts: usize,
        level: Level,
    ) -> Result<(State<Self>, Option<BigInt>), SchemeError>;
}
