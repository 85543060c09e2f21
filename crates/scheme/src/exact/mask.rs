//! Plaintexts whose slots repeat, such as ones and zeros that choose slots.

use std::sync::OnceLock;

use asanoha_lattice::{ImageMask, Level, Norm};

use super::{Exact, ExactPlaintext};
use crate::{Plain, PlainPoly, PlaintextError, PlaintextSpace, SchemeError, Space, not_above};

/// Slots that repeat in every row, for products with ciphertexts up to a level, and with images of them before the mod-down
/// ([`crate::Operations::masked_rotations`]). It's encoded modulo the primes at the first use; a clone that hasn't been used is
/// small.
#[derive(Clone, Debug)]
pub struct Mask<S: Exact> {
    scheme: S,
    level: Level,
    /// With as many coefficients as two periods.
    plain: PlainPoly,
    norm: Norm,
    image: OnceLock<ImageMask>,
}

impl<S: Exact> Mask<S> {
    /// The highest level of ciphertexts that it serves.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The canonical norm of the polynomial with small coefficients, rounded up: that of the polynomial itself.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// The parameters.
    pub(crate) fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Encoded for images, and kept so.
    pub(crate) fn image(&self) -> &ImageMask {
        self.image.get_or_init(|| {
            let (space, plain) = (self.scheme.space(), self.spread());
            ImageMask::new(self.scheme.rlwe(), self.level, |basis| space.lift(&plain, basis))
        })
    }

    /// Encodes it for images now.
    pub fn prepare(&self) {
        self.image();
    }

    /// The plaintext for ciphertexts of its level.
    pub fn plaintext(&self) -> ExactPlaintext<S> {
        ExactPlaintext::new(&self.scheme, self.spread(), self.level)
    }

    fn spread(&self) -> Plain {
        let Space::Integer(space) = self.scheme.space() else { unreachable!("masks have slots") };
        Plain::Integer(space.spread(&self.plain))
    }
}

/// Encodes [`Mask`]s of one period, in the ring of two periods' degree.
#[derive(Clone, Debug)]
pub struct MaskEncoder<S: Exact> {
    scheme: S,
    space: PlaintextSpace,
}

impl<S: Exact> MaskEncoder<S> {
    /// For slots that repeat after so many: a power of two, at most a row.
    ///
    /// # Errors
    /// [`SchemeError::NoSlots`], [`SchemeError::Plaintext`] for another period.
    pub fn new(scheme: &S, period: usize) -> Result<Self, SchemeError> {
        let Space::Integer(space) = scheme.space() else { return Err(SchemeError::NoSlots) };
        let values = space.row_slots().ok_or(SchemeError::NoSlots)?;
        let space = space.repeating(period, scheme.rlwe().qp().backend());
        let space = space.ok_or(PlaintextError::TooManyValues { found: period, values })?;
        Ok(Self { scheme: scheme.clone(), space })
    }

    /// Encodes the words of a period, which are in (−t/2, t/2].
    ///
    /// # Errors
    /// [`SchemeError::Plaintext`] for values outside or too many, [`SchemeError::LevelTooHigh`].
    pub fn encode(&self, period: &[i64], level: Level) -> Result<Mask<S>, SchemeError> {
        not_above(level, self.scheme.max_level())?;
        let values = self.space.values() / 2;
        if period.len() > values {
            return Err(PlaintextError::TooManyValues { found: period.len(), values }.into());
        }
        let mut row = period.to_vec();
        row.resize(values, 0);
        let plain = self.space.encode_words(&row.repeat(2))?;
        let norm = self.space.norm(&plain);
        Ok(Mask { scheme: self.scheme.clone(), level, plain, norm, image: OnceLock::new() })
    }
}
