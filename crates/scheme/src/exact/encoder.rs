//! Vectors of integers to plaintexts and back.

use asanoha_lattice::{DiagonalSteps, DiagonalSum, Level, diagonal_slots};
use asanoha_ring::Basis;
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use zeroize::Zeroizing;

use super::{Exact, ExactPlaintext};
use crate::{
    EncodeFor, EncodeTransform, Encodes, Plain, Plaintext, PlaintextError, SchemeError, Space, Transform,
    not_above, same_parameters,
};

/// The way between vectors of integers and plaintexts (see [`crate::PlaintextSpace`]).
///
/// Numbers are slots, the first row first, or coefficients; modulo X^k − b they're k numbers modulo b^(N/k) + 1, the
/// coefficients of 1, X, … X^(k−1). Missing ones are zero. A plaintext's norm depends on the values and is meant for
/// plaintexts that the evaluating side knows; encryption doesn't use it (see [`crate::Encryptor`]).
#[derive(Clone, Debug)]
pub struct Encoder<S: Exact> {
    scheme: S,
}

impl<S: Exact> Encoder<S> {
    /// The encoder of these parameters.
    pub fn new(scheme: &S) -> Self {
        Self { scheme: scheme.clone() }
    }

    /// Encodes words in (−t/2, t/2].
    ///
    /// # Errors
    /// [`SchemeError::Plaintext`] for values outside or too many, [`SchemeError::LevelTooHigh`].
    pub fn encode(&self, values: &[i64], level: Level) -> Result<ExactPlaintext<S>, SchemeError> {
        self.plaintext(level, |space| space.encode_words(values))
    }

    /// Encodes integers in (−t/2, t/2]. Errors: as for [`Encoder::encode`].
    pub fn encode_integers(&self, values: &[BigInt], level: Level) -> Result<ExactPlaintext<S>, SchemeError> {
        self.plaintext(level, |space| space.encode(values))
    }

    /// Encodes integers in [0, t). Errors: as for [`Encoder::encode`].
    pub fn encode_unsigned(
        &self,
        values: &[BigUint],
        level: Level,
    ) -> Result<ExactPlaintext<S>, SchemeError> {
        self.plaintext(level, |space| space.encode_unsigned(values))
    }

    /// Encodes one integer, taken modulo t, as the constant polynomial, which holds it in all slots, or in the coefficient of
    /// 1.
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`].
    pub fn encode_constant(
        &self,
        value: impl Into<BigInt>,
        level: Level,
    ) -> Result<ExactPlaintext<S>, SchemeError> {
        self.plaintext(level, |space| Ok(space.constant(&value.into())))
    }

    /// The numbers of a plaintext, in (−t/2, t/2].
    ///
    /// # Errors
    /// [`SchemeError::WideModulus`] if they don't fit words, [`SchemeError::OtherParameters`].
    pub fn decode(&self, plaintext: &ExactPlaintext<S>) -> Result<Vec<i64>, SchemeError> {
        same_parameters(&self.scheme, plaintext.scheme())?;
        words(self.scheme.space(), plaintext.plain().clone())
    }

    /// The numbers of a plaintext, in (−t/2, t/2], whatever their size.
    ///
    /// # Errors
    /// [`SchemeError::OtherParameters`].
    pub fn decode_integers(&self, plaintext: &ExactPlaintext<S>) -> Result<Vec<BigInt>, SchemeError> {
        same_parameters(&self.scheme, plaintext.scheme())?;
        Ok(self.scheme.space().decode(plaintext.plain().clone()))
    }

    fn plaintext(
        &self,
        level: Level,
        plain: impl FnOnce(&Space) -> Result<Plain, PlaintextError>,
    ) -> Result<ExactPlaintext<S>, SchemeError> {
        not_above(level, self.scheme.max_level())?;
        Ok(ExactPlaintext::new(&self.scheme, plain(self.scheme.space())?, level))
    }
}

impl<S: Exact> Encodes<i64> for S {
    fn encode_for(
        &self,
        values: &[i64],
        purpose: EncodeFor<'_, S>,
    ) -> Result<ExactPlaintext<S>, SchemeError> {
        Encoder::new(self).encode(values, purpose.level())
    }
}

impl<S: Exact> Encodes<BigInt> for S {
    fn encode_for(
        &self,
        values: &[BigInt],
        purpose: EncodeFor<'_, S>,
    ) -> Result<ExactPlaintext<S>, SchemeError> {
        Encoder::new(self).encode_integers(values, purpose.level())
    }
}

/// Integers in [0, t): those above t/2 are read as negative by who asks for signed ones.
impl<S: Exact> Encodes<BigUint> for S {
    fn encode_for(
        &self,
        values: &[BigUint],
        purpose: EncodeFor<'_, S>,
    ) -> Result<ExactPlaintext<S>, SchemeError> {
        Encoder::new(self).encode_unsigned(values, purpose.level())
    }
}

/// Words of other types are integers in (−t/2, t/2] like all others.
macro_rules! words {
    ($($word:ty)*) => {$(
        impl<S: Exact> Encodes<$word> for S {
            fn encode_for(
                &self,
                values: &[$word],
                purpose: EncodeFor<'_, S>,
            ) -> Result<ExactPlaintext<S>, SchemeError> {
                let words: Result<Vec<i64>, _> = values.iter().map(|&value| value.try_into()).collect();
                match words {
                    Ok(words) => self.encode_for(&*Zeroizing::new(words), purpose),
                    Err(_) => {
                        let integers: Vec<BigInt> = values.iter().map(|&value| value.into()).collect();
                        self.encode_for(&*integers, purpose)
                    }
                }
            }
        }
    )*};
}

words!(i8 i16 i32 isize u8 u16 u32 u64 usize);

/// Values in (−t/2, t/2], repeated over all slots.
///
/// Errors: [`SchemeError::NoSlots`], [`SchemeError::LevelTooHigh`]; [`SchemeError::Plaintext`] for values outside or a
/// diagonal whose length doesn't divide a row's.
impl<S: Exact> EncodeTransform for S {
    type Entry = BigInt;
    type EntryScale = ();

    fn encode_transform(
        &self,
        steps: &DiagonalSteps,
        level: Level,
        (): (),
        diagonal: impl Fn(usize) -> Vec<BigInt> + Sync,
    ) -> Result<Transform<S>, SchemeError> {
        not_above(level, self.max_level())?;
        let (space, slots) = (self.space(), self.slots());
        let row = self.row_slots().ok_or(SchemeError::NoSlots)?;
        let encode = |basis: &Basis, giant, baby| {
            let diagonal = diagonal(giant + baby);
            if diagonal.is_empty() || !row.is_multiple_of(diagonal.len()) {
                let (found, values) = (diagonal.len(), row);
                return Err(PlaintextError::TooManyValues { found, values }.into());
            }
            let words: Option<Vec<i64>> = diagonal.iter().map(ToPrimitive::to_i64).collect();
            let plain = match words {
                Some(words) => space.encode_words(&diagonal_slots(&words, giant, slots)),
                None => space.encode(&diagonal_slots(&diagonal, giant, slots)),
            }?;
            Ok::<_, SchemeError>((space.lift(&plain, basis), space.norm(&plain)))
        };
        let (sum, norms) = DiagonalSum::encode(self.rlwe(), steps, level, encode)?;
        Ok(Transform::new(self, sum, norms.into_iter().sum()))
    }
}

/// The numbers of a plaintext as words.
pub(super) fn words(space: &Space, plain: Plain) -> Result<Vec<i64>, SchemeError> {
    space.decode_words(plain).ok_or_else(|| SchemeError::WideModulus { bits: space.modulus().bits() })
}
