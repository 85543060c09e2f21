//! Vectors of integers to plaintext polynomials and back.

use asanoha_lattice::{Level, Norm};
use asanoha_ring::{Coefficient, Evaluation, Poly};

use crate::{BgvError, BgvParams};

/// A vector of integers modulo t as a polynomial, modulo the primes of a level.
#[derive(Clone, Debug)]
pub struct BgvPlaintext {
    /// The polynomial with coefficients in (−t/2, t/2).
    pub poly: Poly<Evaluation>,
    /// Its canonical norm, rounded up.
    pub norm: Norm,
    /// The same polynomial modulo t, for ciphertexts whose correction factor it must take on.
    pub(crate) residues: Poly<Coefficient>,
}

impl BgvPlaintext {
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
    pub(crate) fn from_residues(params: &BgvParams, residues: Poly<Coefficient>, level: Level) -> Self {
        let t = params.plaintext_modulus();
        let coefficients: Vec<i64> = residues.words().iter().map(|&word| t.centre(word)).collect();
        let norm = Norm::from(params.embedding().norm(&coefficients));
        let poly = Poly::from_small(params.rlwe().q(level), &coefficients).into_evaluation();
        Self { poly, norm, residues }
    }
}

/// The way between vectors of integers and plaintexts.
///
/// A plaintext polynomial m has N slots in two rows of N/2: with ψ the primitive 2N-th root of unity modulo t, slot j
/// of the first row is m(ψ^(5^j)), slot j of the second m(ψ^(−5^j)). Sums and products of polynomials are those of
/// the slots; X → X^(5^k) rotates both rows to the left by k; X → X^−1 swaps them.
/// Source: Smart, Vercauteren 2014; Gentry, Halevi, Smart 2012.
#[derive(Clone, Debug)]
pub struct Encoder {
    params: BgvParams,
}

impl Encoder {
    /// The encoder of these parameters.
    pub fn new(params: &BgvParams) -> Self {
        Self { params: params.clone() }
    }

    /// Encodes at most N values, the first row first; missing ones are zero.
    ///
    /// Values are in (−t/2, t/2). The norm of the plaintext depends on the values and is meant for plaintexts that
    /// the evaluating side knows; encryption doesn't use it (see [`crate::Encryptor`]).
    ///
    /// # Errors
    /// [`BgvError::TooManyValues`], [`BgvError::ValueOutOfRange`], [`BgvError::LevelTooHigh`].
    pub fn encode(&self, values: &[i64], level: Level) -> Result<BgvPlaintext, BgvError> {
        let params = &self.params;
        let highest = params.max_level();
        if level > highest {
            return Err(BgvError::LevelTooHigh { asked: level.0, highest: highest.0 });
        }
        if values.len() > params.slots() {
            return Err(BgvError::TooManyValues { found: values.len(), slots: params.slots() });
        }
        let largest = params.largest_value();
        if let Some(index) = values.iter().position(|value| value.unsigned_abs() > largest as u64) {
            return Err(BgvError::ValueOutOfRange { index, value: values[index], largest });
        }
        let mut words = vec![0; params.slots()];
        for (&position, &value) in params.slot_positions().iter().zip(values) {
            words[position as usize] = params.plaintext_modulus().reduce_i64(value);
        }
        let slots =
            Poly::<Evaluation>::from_checked_words(params.plain(), &words).expect("N residues modulo t");
        Ok(BgvPlaintext::from_residues(params, slots.into_coefficient(), level))
    }

    /// The N values of a plaintext, in (−t/2, t/2), the first row first.
    pub fn decode(&self, plaintext: &BgvPlaintext) -> Vec<i64> {
        decode_residues(&self.params, plaintext.residues.clone())
    }
}

/// The slots of a polynomial modulo t.
pub(crate) fn decode_residues(params: &BgvParams, residues: Poly<Coefficient>) -> Vec<i64> {
    let t = params.plaintext_modulus();
    let slots = residues.into_evaluation();
    params.slot_positions().iter().map(|&position| t.centre(slots.words()[position as usize])).collect()
}
