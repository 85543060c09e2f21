//! Linear and bilinear forms of many ciphertexts, and products that settle at their level.

use std::borrow::Cow;

use asanoha_lattice::{Level, RlweCiphertext};
use asanoha_ring::{Poly, Scalar};
use num_bigint::BigInt;

use super::Evaluator;
use crate::{BfvCiphertext, BfvError, BfvNoise, NoiseState};

impl Evaluator {
    /// left·right, relinearised and switched to the level that suits its noise ([`crate::BfvNoise::settled`]), in one
    /// step. The operand of the higher level is brought to the lower one.
    ///
    /// Noise: at most that of [`Evaluator::multiply`] and [`Evaluator::switch_to`].
    ///
    /// # Errors
    /// [`BfvError::NotRelinearised`], [`BfvError::MissingKey`], [`BfvError::OutOfModulus`].
    pub fn multiply_settled(
        &self,
        left: &BfvCiphertext,
        right: &BfvCiphertext,
    ) -> Result<BfvCiphertext, BfvError> {
        self.keys.relinearisation()?;
        let level = left.level().min(right.level());
        let (left, right) = (self.lowered(left, level)?, self.lowered(right, level)?);
        self.relinearise_settled(self.multiply_without_relinearise(&left, &right)?)
    }

    /// As [`Evaluator::switch_to`], of a ciphertext that is still needed; the same one where it stands there already.
    ///
    /// # Errors
    /// [`BfvError::LevelTooHigh`] if the level is above the ciphertext's, [`BfvError::OutOfModulus`].
    pub fn lowered<'a>(
        &self,
        a: &'a BfvCiphertext,
        level: Level,
    ) -> Result<Cow<'a, BfvCiphertext>, BfvError> {
        if a.level() == level {
            return Ok(Cow::Borrowed(a));
        }
        let state = self.noise.switch_to(self.state(a)?, a.rlwe.parts.len(), level)?;
        Ok(Cow::Owned(self.with_state(a.rlwe.quotient_to(self.params.rlwe(), level), state)))
    }

    /// A product of three parts relinearised and switched to the level that suits its noise.
    fn relinearise_settled(&self, product: BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        let key = self.keys.relinearisation()?;
        let state = self.noise.relinearise_settled(self.state(&product)?)?;
        Ok(self.with_state(self.params.rlwe().relinearise_to(product.rlwe, key, state.level)?, state))
    }

    /// The same constant in every slot, taken modulo t: an encryption that hides nothing.
    ///
    /// Noise: the encoding's rounding.
    ///
    /// # Errors
    /// [`BfvError::LevelTooHigh`].
    pub fn constant(&self, constant: i64, level: Level) -> Result<BfvCiphertext, BfvError> {
        let highest = self.params.max_level();
        if level > highest {
            return Err(BfvError::LevelTooHigh { asked: level.0, highest: highest.0 });
        }
        let zero = Poly::zero(self.params.rlwe().q(level));
        let parts = vec![zero.clone(), zero];
        let zero = self.with_state(RlweCiphertext { parts }, BfvNoise::zero(level));
        self.add_constant(&zero, constant)
    }

    /// Σ wₖ·aₖ, slot by slot, for weights taken modulo t and ciphertexts of one level: one pass, reduced once.
    ///
    /// Noise: Σ |vₖ|·Bₖ, where vₖ is wₖ modulo t and centred.
    ///
    /// # Errors
    /// [`BfvError::FormModulus`], [`BfvError::LevelMismatch`], [`BfvError::NotRelinearised`],
    /// [`BfvError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no ciphertexts, or not as many weights.
    pub fn weighted_sum(
        &self,
        values: &[&BfvCiphertext],
        weights: &[u64],
    ) -> Result<BfvCiphertext, BfvError> {
        assert!(!values.is_empty() && values.len() == weights.len());
        Self::two_parts(values)?;
        let (state, weights) = self.noise.weighted_sum(&self.states(values)?, weights)?;
        Ok(self.with_state(RlweCiphertext::weighted_sum(&parts(values), &weights), state))
    }

    /// Σⱼₖ wⱼₖ·leftⱼ·rightₖ, slot by slot, for weights taken modulo t, row j after row: as many tensor products modulo Q
    /// as `left` has ciphertexts, none of them scaled by t/Q, one relinearisation, and a switch to the level that suits
    /// the noise. All ciphertexts have one level.
    ///
    /// Noise: [`crate::BfvNoise::bilinear_form`], which is best for operands that have settled; then that of the key
    /// switch and the modulus switch.
    ///
    /// # Errors
    /// [`BfvError::FormModulus`], [`BfvError::LevelMismatch`], [`BfvError::NotRelinearised`],
    /// [`BfvError::MissingKey`], [`BfvError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no ciphertexts, or other than left·right weights.
    pub fn bilinear_form(
        &self,
        left: &[&BfvCiphertext],
        weights: &[u64],
        right: &[&BfvCiphertext],
    ) -> Result<BfvCiphertext, BfvError> {
        assert!(!left.is_empty() && !right.is_empty() && weights.len() == left.len() * right.len());
        self.keys.relinearisation()?;
        Self::two_parts(&[left, right].concat())?;
        let (left_states, right_states) = (self.states(left)?, self.states(right)?);
        let (state, weights) = self.noise.bilinear_form(&left_states, weights, &right_states)?;
        let mut form = RlweCiphertext::bilinear_form(&parts(left), &weights, &parts(right));
        let modulus = BigInt::from(self.params.value_modulus().clone());
        let modulus = Scalar::new(self.params.rlwe().q(state.level), &modulus);
        form.parts.iter_mut().for_each(|part| part.mul_scalar_assign(&modulus));
        self.relinearise_settled(self.with_state(form, state))
    }

    fn states(&self, values: &[&BfvCiphertext]) -> Result<Vec<NoiseState>, BfvError> {
        values.iter().map(|value| self.state(value)).collect()
    }

    /// Refuses ciphertexts of three parts.
    fn two_parts(values: &[&BfvCiphertext]) -> Result<(), BfvError> {
        values.iter().try_for_each(|value| value.two_parts())
    }
}

fn parts<'a>(values: &[&'a BfvCiphertext]) -> Vec<&'a RlweCiphertext> {
    values.iter().map(|value| &value.rlwe).collect()
}
