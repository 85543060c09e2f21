//! Numbers to plaintexts and back.

use std::sync::OnceLock;

use asanoha_lattice::{Level, Norm};
use asanoha_ring::{Evaluation, Poly};
use num_bigint::{BigInt, BigUint};

use crate::{
    BfvError, BfvParams,
    space::{Plain, Space},
};

/// Numbers as a polynomial m modulo t, for ciphertexts of one level.
///
/// Sums need round(Q/t·m), products m with small coefficients; each is made at its first use.
#[derive(Clone, Debug)]
pub struct BfvPlaintext {
    params: BfvParams,
    plain: Plain,
    level: Level,
    scaled: OnceLock<Poly<Evaluation>>,
    small: OnceLock<(Poly<Evaluation>, Norm)>,
}

impl BfvPlaintext {
    pub(crate) fn new(params: &BfvParams, plain: Plain, level: Level) -> Self {
        Self { params: params.clone(), plain, level, scaled: OnceLock::new(), small: OnceLock::new() }
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.level
    }

    pub(crate) fn params(&self) -> &BfvParams {
        &self.params
    }

    /// round(Q/t·m) modulo Q, coefficient by coefficient: what encryption hides.
    pub fn scaled(&self) -> &Poly<Evaluation> {
        let basis = self.params.rlwe().q(self.level);
        let inverse = self.params.negated_inverse(self.level);
        self.scaled.get_or_init(|| self.params.space().scaled(&self.plain, basis, inverse))
    }

    /// m with small coefficients modulo Q, and its canonical norm, rounded up.
    pub fn small(&self) -> (&Poly<Evaluation>, Norm) {
        let (poly, norm) = self.small.get_or_init(|| {
            let space = self.params.space();
            (space.lift(&self.plain, self.params.rlwe().q(self.level)), space.norm(&self.plain))
        });
        (poly, *norm)
    }
}

/// The way between numbers and plaintexts.
///
/// Modulo an integer t it's [`asanoha_lattice::PlaintextSpace`]'s: slots or coefficients. Modulo X^k − b a plaintext is
/// k numbers modulo b^(N/k) + 1, the coefficients of 1, X, … X^(k−1); X^k is b.
#[derive(Clone, Debug)]
pub struct Encoder {
    params: BfvParams,
}

impl Encoder {
    /// The encoder of these parameters.
    pub fn new(params: &BfvParams) -> Self {
        Self { params: params.clone() }
    }

    /// Encodes centred words, missing ones as zero.
    ///
    /// # Errors
    /// [`BfvError::Plaintext`] for values outside or too many, [`BfvError::LevelTooHigh`].
    pub fn encode(&self, values: &[i64], level: Level) -> Result<BfvPlaintext, BfvError> {
        self.plaintext(level, |space| Ok(space.encode_words(values)?))
    }

    /// Encodes centred integers. Errors: as for [`Encoder::encode`].
    pub fn encode_integers(&self, values: &[BigInt], level: Level) -> Result<BfvPlaintext, BfvError> {
        self.plaintext(level, |space| Ok(space.encode(values)?))
    }

    /// Encodes integers from 0 to the modulus. Errors: as for [`Encoder::encode`].
    pub fn encode_unsigned(&self, values: &[BigUint], level: Level) -> Result<BfvPlaintext, BfvError> {
        self.plaintext(level, |space| Ok(space.encode_unsigned(values)?))
    }

    /// Encodes one integer, taken modulo t, as the constant polynomial: it stands in all slots, or in the coefficient
    /// of 1.
    ///
    /// # Errors
    /// [`BfvError::LevelTooHigh`].
    pub fn encode_constant(&self, value: impl Into<BigInt>, level: Level) -> Result<BfvPlaintext, BfvError> {
        self.plaintext(level, |space| Ok(space.constant(&value.into())))
    }

    /// The numbers of a plaintext, centred.
    ///
    /// # Errors
    /// [`BfvError::WideModulus`] if they don't fit words.
    pub fn decode(&self, plaintext: &BfvPlaintext) -> Result<Vec<i64>, BfvError> {
        words(self.params.space(), &plaintext.plain)
    }

    /// The numbers of a plaintext, centred.
    pub fn decode_integers(&self, plaintext: &BfvPlaintext) -> Vec<BigInt> {
        self.params.space().decode(&plaintext.plain)
    }

    fn plaintext(
        &self,
        level: Level,
        plain: impl FnOnce(&Space) -> Result<Plain, BfvError>,
    ) -> Result<BfvPlaintext, BfvError> {
        let highest = self.params.max_level();
        if level > highest {
            return Err(BfvError::LevelTooHigh { asked: level.0, highest: highest.0 });
        }
        Ok(BfvPlaintext::new(&self.params, plain(self.params.space())?, level))
    }
}

/// The numbers of a plaintext as words.
pub(crate) fn words(space: &Space, plain: &Plain) -> Result<Vec<i64>, BfvError> {
    space.decode_words(plain).ok_or_else(|| BfvError::WideModulus { bits: space.integer().bits() })
}
