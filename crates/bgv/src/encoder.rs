//! Vectors of integers to plaintext polynomials and back.

use asanoha_lattice::{Level, Norm, PlainPoly};
use asanoha_ring::{Evaluation, Poly};
use num_bigint::{BigInt, BigUint};

use crate::{BgvError, BgvParams};

/// A vector of integers modulo t as a polynomial, modulo the primes of a level.
#[derive(Clone, Debug)]
pub struct BgvPlaintext {
    /// The polynomial with coefficients in (−t/2, t/2].
    pub(crate) poly: Poly<Evaluation>,
    /// Its canonical norm, rounded up.
    pub(crate) norm: Norm,
    /// The same polynomial modulo t, for ciphertexts whose correction factor it must take on.
    pub(crate) plain: PlainPoly,
    pub(crate) params: BgvParams,
}

impl BgvPlaintext {
    /// The polynomial with coefficients in (−t/2, t/2], modulo the primes of its level.
    pub fn poly(&self) -> &Poly<Evaluation> {
        &self.poly
    }

    /// Its canonical norm, rounded up.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// The level.
    pub fn level(&self) -> Level {
        Level(self.poly.basis().len() - 1)
    }

    /// The plaintext of a polynomial modulo t: its centred coefficients modulo the primes of the level.
    ///
    /// Norm: that of the actual polynomial, by a double-precision transform. A bound for independent coefficients
    /// would be wrong here: the coefficients of chosen slots aren't independent, and for some choices all line up at
    /// one root of unity (the worst case is N·t/2); the sum of their absolute values would be true but lose about
    /// log2(√N) − 3 bits.
    pub(crate) fn new(params: &BgvParams, plain: PlainPoly, level: Level) -> Self {
        let space = params.space();
        let norm = space.norm(&plain);
        let poly = space.lift(&plain, params.rlwe().q(level)).into_evaluation();
        Self { poly, norm, plain, params: params.clone() }
    }
}

/// The way between vectors of integers and plaintexts (see [`asanoha_lattice::PlaintextSpace`]).
///
/// Numbers are slots, the first row first, or coefficients; missing ones are zero. The norm of the plaintext depends on
/// the values and is meant for plaintexts that the evaluating side knows; encryption doesn't use it (see
/// [`crate::Encryptor`]).
#[derive(Clone, Debug)]
pub struct Encoder {
    pub(crate) params: BgvParams,
}

impl Encoder {
    /// The encoder of these parameters.
    pub fn new(params: &BgvParams) -> Self {
        Self { params: params.clone() }
    }

    /// Encodes words in (−t/2, t/2].
    ///
    /// # Errors
    /// [`BgvError::Plaintext`] for values outside or too many, [`BgvError::LevelTooHigh`].
    pub fn encode(&self, values: &[i64], level: Level) -> Result<BgvPlaintext, BgvError> {
        self.plaintext(level, || Ok(self.params.space().encode_words(values)?))
    }

    /// Encodes integers in (−t/2, t/2]. Errors: as for [`Encoder::encode`].
    pub fn encode_integers(&self, values: &[BigInt], level: Level) -> Result<BgvPlaintext, BgvError> {
        self.plaintext(level, || Ok(self.params.space().encode(values)?))
    }

    /// Encodes integers in [0, t). Errors: as for [`Encoder::encode`].
    pub fn encode_unsigned(&self, values: &[BigUint], level: Level) -> Result<BgvPlaintext, BgvError> {
        self.plaintext(level, || Ok(self.params.space().encode_unsigned(values)?))
    }

    /// Encodes one integer, taken modulo t, as the constant polynomial, which holds it in all slots.
    ///
    /// # Errors
    /// [`BgvError::LevelTooHigh`].
    pub fn encode_constant(&self, value: impl Into<BigInt>, level: Level) -> Result<BgvPlaintext, BgvError> {
        self.plaintext(level, || Ok(self.params.space().constant(&value.into())))
    }

    /// The numbers of a plaintext, in (−t/2, t/2].
    ///
    /// # Errors
    /// [`BgvError::WideModulus`] if t has more than 64 bits.
    pub fn decode(&self, plaintext: &BgvPlaintext) -> Result<Vec<i64>, BgvError> {
        words(&self.params, &plaintext.plain)
    }

    /// The numbers of a plaintext, in (−t/2, t/2].
    pub fn decode_integers(&self, plaintext: &BgvPlaintext) -> Vec<BigInt> {
        self.params.space().decode(&plaintext.plain)
    }

    pub(crate) fn check_level(&self, level: Level) -> Result<(), BgvError> {
        let highest = self.params.max_level();
        if level > highest {
            return Err(BgvError::LevelTooHigh { asked: level.0, highest: highest.0 });
        }
        Ok(())
    }

    fn plaintext(
        &self,
        level: Level,
        plain: impl FnOnce() -> Result<PlainPoly, BgvError>,
    ) -> Result<BgvPlaintext, BgvError> {
        self.check_level(level)?;
        Ok(BgvPlaintext::new(&self.params, plain()?, level))
    }
}

/// The numbers of a polynomial as words.
pub(crate) fn words(params: &BgvParams, plain: &PlainPoly) -> Result<Vec<i64>, BgvError> {
    let bits = params.plaintext_modulus().bits();
    params.space().decode_words(plain).ok_or(BgvError::WideModulus { bits })
}
