//! What encoding takes and decryption gives: numbers of many types, alone or in vectors.

use asanoha_lattice::Level;
use num_bigint::{BigInt, BigUint};
use zeroize::{Zeroize, Zeroizing};

use crate::{Ciphertext, Scheme, SchemeError, State};

/// The use that numbers are encoded for, which decides their level and scale.
#[derive(Clone, Copy, Debug)]
pub enum EncodeFor<'s, S: Scheme> {
    /// Encryption, or use with fresh ciphertexts.
    Fresh {
        /// The level.
        level: Level,
        /// A bound on the absolute values, which CKKS makes public with the ciphertext. Without one it's the largest absolute
        /// value, which suits public numbers only.
        bound: Option<f64>,
    },
    /// A sum with a ciphertext. The numbers are public.
    Sum(&'s State<S>),
    /// A product with a ciphertext, which is rescaled by schemes that do so. The numbers are public.
    Product(&'s State<S>),
}

impl<S: Scheme> EncodeFor<'_, S> {
    /// Returns the level of the plaintext.
    pub fn level(&self) -> Level {
        match self {
            Self::Fresh { level, .. } => *level,
            Self::Sum(state) | Self::Product(state) => state.level,
        }
    }
}

/// A scheme that encodes numbers of type `T`: integers of all widths in every scheme, `f64` and `f32` in CKKS.
pub trait Encodes<T>: Scheme {
    /// Encodes numbers; missing ones are zero.
    ///
    /// # Errors
    /// Too many numbers, or numbers that don't fit.
    fn encode_for(&self, values: &[T], purpose: EncodeFor<'_, Self>) -> Result<Self::Plaintext, SchemeError>;
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

/// Numbers that a scheme encodes: a slice, an array, a vector, a reference to one, or a single number.
///
/// A single number fills every slot, or the constant coefficient if plaintexts have no slots.
pub trait Numbers<S: Scheme> {
    /// Encodes the numbers for a use.
    ///
    /// # Errors
    /// Those of [`Encodes::encode_for`].
    fn encode_for(&self, scheme: &S, purpose: EncodeFor<'_, S>) -> Result<S::Plaintext, SchemeError>;
}

impl<S: Encodes<T>, T> Numbers<S> for [T] {
    fn encode_for(&self, scheme: &S, purpose: EncodeFor<'_, S>) -> Result<S::Plaintext, SchemeError> {
        scheme.encode_for(self, purpose)
    }
}

impl<S: Encodes<T>, T> Numbers<S> for Vec<T> {
    fn encode_for(&self, scheme: &S, purpose: EncodeFor<'_, S>) -> Result<S::Plaintext, SchemeError> {
        scheme.encode_for(self, purpose)
    }
}

impl<S: Encodes<T>, T, const COUNT: usize> Numbers<S> for [T; COUNT] {
    fn encode_for(&self, scheme: &S, purpose: EncodeFor<'_, S>) -> Result<S::Plaintext, SchemeError> {
        scheme.encode_for(self, purpose)
    }
}

impl<S: Scheme, N: Numbers<S> + ?Sized> Numbers<S> for &N {
    fn encode_for(&self, scheme: &S, purpose: EncodeFor<'_, S>) -> Result<S::Plaintext, SchemeError> {
        N::encode_for(self, scheme, purpose)
    }
}

impl<S: Scheme, N: Numbers<S> + ?Sized> Numbers<S> for Box<N> {
    fn encode_for(&self, scheme: &S, purpose: EncodeFor<'_, S>) -> Result<S::Plaintext, SchemeError> {
        N::encode_for(self, scheme, purpose)
    }
}

impl<S: Scheme, N: Numbers<S> + Zeroize> Numbers<S> for Zeroizing<N> {
    fn encode_for(&self, scheme: &S, purpose: EncodeFor<'_, S>) -> Result<S::Plaintext, SchemeError> {
        N::encode_for(self, scheme, purpose)
    }
}

/// How many numbers stand for a single one: as many as there are slots, or the coefficient of 1.
fn everywhere<S: Scheme>(scheme: &S) -> usize {
    scheme.row_slots().map_or(1, |_| scheme.slots())
}

macro_rules! single_numbers {
    ($($number:ty)*) => {$(
        impl<S: Encodes<$number>> Numbers<S> for $number {
            fn encode_for(&self, scheme: &S, purpose: EncodeFor<'_, S>) -> Result<S::Plaintext, SchemeError> {
                scheme.encode_for(&Zeroizing::new(vec![*self; everywhere(scheme)]), purpose)
            }
        }
    )*};
}

single_numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

macro_rules! single_integers {
    ($($number:ty)*) => {$(
        impl<S: Encodes<$number>> Numbers<S> for $number {
            fn encode_for(&self, scheme: &S, purpose: EncodeFor<'_, S>) -> Result<S::Plaintext, SchemeError> {
                scheme.encode_for(&vec![self.clone(); everywhere(scheme)], purpose)
            }
        }
    )*};
}

single_integers!(BigInt BigUint);
