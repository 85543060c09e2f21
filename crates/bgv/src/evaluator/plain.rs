//! Sums and products with plaintexts.

use std::borrow::Cow;

use num_bigint::BigUint;
use num_traits::One;

use super::Evaluator;
use crate::{BgvCiphertext, BgvError, BgvPlaintext, ciphertext::same_params};

impl Evaluator {
    /// a + m, slot by slot.
    ///
    /// Noise: the plaintext's norm is added. A ciphertext of correction factor f ≠ 1 takes f·m modulo t instead of
    /// m, whose norm is its own and whose making costs a number-theoretic transform a prime.
    ///
    /// # Errors
    /// [`BgvError::LevelMismatch`], [`BgvError::OutOfModulus`].
    pub fn add_plain(&self, a: &BgvCiphertext, plain: &BgvPlaintext) -> Result<BgvCiphertext, BgvError> {
        self.combine_plain(a, plain, false)
    }

    /// a − m, slot by slot; see [`Evaluator::add_plain`].
    ///
    /// # Errors
    /// [`BgvError::LevelMismatch`], [`BgvError::OutOfModulus`].
    pub fn sub_plain(&self, a: &BgvCiphertext, plain: &BgvPlaintext) -> Result<BgvCiphertext, BgvError> {
        self.combine_plain(a, plain, true)
    }

    /// a·m, slot by slot.
    ///
    /// Noise: times the plaintext's norm.
    ///
    /// # Errors
    /// [`BgvError::LevelMismatch`], [`BgvError::OutOfModulus`].
    pub fn mul_plain(&self, a: &BgvCiphertext, plain: &BgvPlaintext) -> Result<BgvCiphertext, BgvError> {
        self.fits(a, plain)?;
        let state = self.noise.mul_plain(self.state(a)?, plain.norm)?;
        let mut product = a.clone();
        product.rlwe.mul_plain_assign(&plain.poly);
        product.noise = state.noise;
        Ok(product)
    }

    fn combine_plain(
        &self,
        a: &BgvCiphertext,
        plain: &BgvPlaintext,
        subtract: bool,
    ) -> Result<BgvCiphertext, BgvError> {
        self.fits(a, plain)?;
        let plain = self.with_factor(plain, &a.factor);
        let state = self.noise.add_plain(self.state(a)?, plain.norm)?;
        let mut sum = a.clone();
        let c0 = &mut sum.rlwe.parts[0];
        if subtract {
            c0.sub_assign(&plain.poly);
        } else {
            c0.add_assign(&plain.poly);
        }
        sum.noise = state.noise;
        Ok(sum)
    }

    /// The plaintext times a factor modulo t.
    fn with_factor<'a>(&self, plain: &'a BgvPlaintext, factor: &BigUint) -> Cow<'a, BgvPlaintext> {
        if factor.is_one() {
            return Cow::Borrowed(plain);
        }
        let scaled = self.params.space().scale(&plain.plain, &factor.clone().into());
        Cow::Owned(BgvPlaintext::new(&self.params, scaled, plain.level()))
    }

    /// Refuses plaintexts of other parameters or another level.
    fn fits(&self, a: &BgvCiphertext, plain: &BgvPlaintext) -> Result<(), BgvError> {
        same_params(&self.params, &plain.params)?;
        if a.level() == plain.level() {
            Ok(())
        } else {
            Err(BgvError::LevelMismatch { left: a.level().0, right: plain.level().0 })
        }
    }
}
