//! Sums of ciphertexts.

use asanoha_ring::Scalar;
use num_bigint::BigInt;
use num_traits::One;

use super::Evaluator;
use crate::{BgvCiphertext, BgvError};

impl Evaluator {
    /// left + right, slot by slot.
    ///
    /// Noise: the sum of the noises; where the correction factors differ, each is multiplied by about √t.
    ///
    /// # Errors
    /// [`BgvError::LevelMismatch`], [`BgvError::OutOfModulus`].
    pub fn add(&self, left: &BgvCiphertext, right: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        let mut sum = left.clone();
        self.add_assign(&mut sum, right)?;
        Ok(sum)
    }

    /// left ← left + right; see [`Evaluator::add`].
    ///
    /// # Errors
    /// [`BgvError::LevelMismatch`], [`BgvError::OutOfModulus`].
    pub fn add_assign(&self, left: &mut BgvCiphertext, right: &BgvCiphertext) -> Result<(), BgvError> {
        self.combine(left, right, false)
    }

    /// left − right, slot by slot. Noise: as for [`Evaluator::add`].
    ///
    /// # Errors
    /// [`BgvError::LevelMismatch`], [`BgvError::OutOfModulus`].
    pub fn sub(&self, left: &BgvCiphertext, right: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        let mut difference = left.clone();
        self.sub_assign(&mut difference, right)?;
        Ok(difference)
    }

    /// left ← left − right; see [`Evaluator::sub`].
    ///
    /// # Errors
    /// [`BgvError::LevelMismatch`], [`BgvError::OutOfModulus`].
    pub fn sub_assign(&self, left: &mut BgvCiphertext, right: &BgvCiphertext) -> Result<(), BgvError> {
        self.combine(left, right, true)
    }

    /// −a, slot by slot. Noise: unchanged.
    pub fn neg(&self, a: &BgvCiphertext) -> BgvCiphertext {
        let mut negated = a.clone();
        negated.rlwe.neg_assign();
        negated
    }

    fn combine(
        &self,
        left: &mut BgvCiphertext,
        right: &BgvCiphertext,
        subtract: bool,
    ) -> Result<(), BgvError> {
        let (state, (a, b)) = self.noise.add_with_multipliers(&self.state(left)?, &self.state(right)?)?;
        let scaled = (!b.is_one()).then(|| scale(right, &b));
        let right = scaled.as_ref().unwrap_or(right);
        if !a.is_one() {
            scale_assign(left, &a);
        }
        if subtract {
            left.rlwe.sub_assign(&right.rlwe);
        } else {
            left.rlwe.add_assign(&right.rlwe);
        }
        left.noise = state.noise;
        left.factor = state.factor;
        Ok(())
    }
}

fn scale(a: &BgvCiphertext, multiplier: &BigInt) -> BgvCiphertext {
    let mut scaled = a.clone();
    scale_assign(&mut scaled, multiplier);
    scaled
}

/// Multiplies the polynomials by an integer and leaves the rest to the caller.
pub(super) fn scale_assign(a: &mut BgvCiphertext, multiplier: &BigInt) {
    let scalar = Scalar::new(a.rlwe.parts[0].basis(), multiplier);
    a.rlwe.parts.iter_mut().for_each(|part| part.mul_scalar_assign(&scalar));
}
