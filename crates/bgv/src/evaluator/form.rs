//! Linear and bilinear forms of many ciphertexts, and products that settle at their level.

use std::borrow::Cow;

use asanoha_lattice::{Level, Norm, RlweCiphertext};
use asanoha_ring::Poly;
use num_bigint::BigUint;
use num_traits::One;

use super::Evaluator;
use crate::{BgvCiphertext, BgvError, NoiseState};

impl Evaluator {
    /// left·right, slot by slot, relinearised and switched to the level that suits its noise
    /// ([`crate::BgvNoise::settled`]), in one step. The operand of the higher level is brought to the lower one.
    ///
    /// Noise: at most that of [`Evaluator::multiply`] and [`Evaluator::switch_to`].
    ///
    /// # Errors
    /// [`BgvError::NotRelinearised`], [`BgvError::MissingKey`], [`BgvError::OutOfModulus`].
    pub fn multiply_settled(
        &self,
        left: &BgvCiphertext,
        right: &BgvCiphertext,
    ) -> Result<BgvCiphertext, BgvError> {
        self.keys.relinearisation()?;
        let level = left.level().min(right.level());
        let (left, right) = (self.lowered(left, level)?, self.lowered(right, level)?);
        self.relinearise_settled(self.multiply_without_relinearise(&left, &right)?)
    }

    /// As [`Evaluator::switch_to`], of a ciphertext that is still needed; the same one where it stands there already.
    ///
    /// # Errors
    /// [`BgvError::LevelTooHigh`] if the level is above the ciphertext's, [`BgvError::OutOfModulus`].
    pub fn lowered<'a>(
        &self,
        a: &'a BgvCiphertext,
        level: Level,
    ) -> Result<Cow<'a, BgvCiphertext>, BgvError> {
        if a.level() == level {
            return Ok(Cow::Borrowed(a));
        }
        let state = self.noise.switch_to(self.state(a)?, a.rlwe.parts.len(), level)?;
        Ok(Cow::Owned(self.with_state(a.rlwe.quotient_to(self.params.rlwe(), level), state)))
    }

    /// A product of three parts relinearised and switched to the level that suits its noise.
    fn relinearise_settled(&self, product: BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        let key = self.keys.relinearisation()?;
        let state = self.noise.relinearise_settled(self.state(&product)?)?;
        Ok(self.with_state(self.params.rlwe().relinearise_to(product.rlwe, key, state.level)?, state))
    }

    /// The same constant in every slot, taken modulo t: an encryption that hides nothing and has no noise.
    ///
    /// # Errors
    /// [`BgvError::LevelTooHigh`].
    pub fn constant(&self, constant: i64, level: Level) -> Result<BgvCiphertext, BgvError> {
        let highest = self.params.max_level();
        if level > highest {
            return Err(BgvError::LevelTooHigh { asked: level.0, highest: highest.0 });
        }
        let zero = Poly::zero(self.params.rlwe().q(level));
        let state = NoiseState { level, factor: BigUint::one(), noise: Norm::ZERO };
        let zero = self.with_state(RlweCiphertext { parts: vec![zero.clone(), zero] }, state);
        self.add_constant(&zero, constant)
    }

    /// Σ wₖ·aₖ, slot by slot, for weights taken modulo t and ciphertexts of one level: one pass, reduced once.
    ///
    /// Noise: Σ |vₖ|·Bₖ, where vₖ is wₖ times what makes the correction factors equal, modulo t and centred.
    ///
    /// # Errors
    /// [`BgvError::WideFormModulus`], [`BgvError::LevelMismatch`], [`BgvError::NotRelinearised`],
    /// [`BgvError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no ciphertexts, or not as many weights.
    pub fn weighted_sum(
        &self,
        values: &[&BgvCiphertext],
        weights: &[u64],
    ) -> Result<BgvCiphertext, BgvError> {
        assert!(!values.is_empty() && values.len() == weights.len());
        self.one_level(values)?;
        let (state, weights) = self.noise.weighted_sum(&self.states(values)?, weights)?;
        Ok(self.with_state(RlweCiphertext::weighted_sum(&parts(values), &weights), state))
    }

    /// Σⱼₖ wⱼₖ·leftⱼ·rightₖ, slot by slot, for weights taken modulo t, row j after row: as many tensor products as
    /// `left` has ciphertexts, one relinearisation, and a switch to the level that suits the noise. All ciphertexts
    /// have one level.
    ///
    /// Noise: Σⱼ Bⱼ·Σₖ |vⱼₖ|·Bₖ, where vⱼₖ is wⱼₖ times what makes the correction factors equal, modulo t and
    /// centred; then that of the key switch and the modulus switch.
    ///
    /// # Errors
    /// [`BgvError::WideFormModulus`], [`BgvError::LevelMismatch`], [`BgvError::NotRelinearised`],
    /// [`BgvError::MissingKey`], [`BgvError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no ciphertexts, or other than left·right weights.
    pub fn bilinear_form(
        &self,
        left: &[&BgvCiphertext],
        weights: &[u64],
        right: &[&BgvCiphertext],
    ) -> Result<BgvCiphertext, BgvError> {
        assert!(!left.is_empty() && !right.is_empty() && weights.len() == left.len() * right.len());
        self.keys.relinearisation()?;
        self.one_level(&[left, right].concat())?;
        let (left_states, right_states) = (self.states(left)?, self.states(right)?);
        let (state, weights) = self.noise.bilinear_form(&left_states, weights, &right_states)?;
        let form = RlweCiphertext::bilinear_form(&parts(left), &weights, &parts(right));
        self.relinearise_settled(self.with_state(form, state))
    }

    fn states(&self, values: &[&BgvCiphertext]) -> Result<Vec<NoiseState>, BgvError> {
        values.iter().map(|value| self.state(value)).collect()
    }

    /// Refuses ciphertexts of different levels, of three parts or of other parameters.
    fn one_level(&self, values: &[&BgvCiphertext]) -> Result<(), BgvError> {
        let level = values[0].level();
        for value in values {
            value.of(&self.params)?;
            value.two_parts()?;
            if value.level() != level {
                return Err(BgvError::LevelMismatch { left: level.0, right: value.level().0 });
            }
        }
        Ok(())
    }
}

fn parts<'a>(values: &[&'a BgvCiphertext]) -> Vec<&'a RlweCiphertext> {
    values.iter().map(|value| &value.rlwe).collect()
}
