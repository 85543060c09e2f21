//! Products of ciphertexts.

use super::Evaluator;
use crate::{BgvCiphertext, BgvError};

impl Evaluator {
    /// left·right, slot by slot, relinearised.
    ///
    /// Noise: the product of the noises and one key switch's; the correction factors are multiplied.
    ///
    /// # Errors
    /// [`BgvError::LevelMismatch`], [`BgvError::NotRelinearised`], [`BgvError::MissingKey`],
    /// [`BgvError::OutOfModulus`].
    pub fn multiply(&self, left: &BgvCiphertext, right: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        self.keys.relinearisation()?;
        self.noise.multiply(&self.state(left)?, &self.state(right)?)?;
        self.relinearise(self.multiply_without_relinearise(left, right)?)
    }

    /// a², slot by slot, relinearised. Noise and errors: as for [`Evaluator::multiply`].
    pub fn square(&self, a: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        self.multiply(a, a)
    }

    /// left·right, slot by slot, as a ciphertext of three parts, which can be added, switched and decrypted. A sum
    /// of products needs one relinearisation only.
    ///
    /// Noise: the product of the noises.
    ///
    /// # Errors
    /// [`BgvError::LevelMismatch`], [`BgvError::NotRelinearised`], [`BgvError::OutOfModulus`].
    pub fn multiply_without_relinearise(
        &self,
        left: &BgvCiphertext,
        right: &BgvCiphertext,
    ) -> Result<BgvCiphertext, BgvError> {
        left.two_parts()?;
        right.two_parts()?;
        let state = self.noise.multiply_without_relinearise(&self.state(left)?, &self.state(right)?)?;
        Ok(self.with_state(left.rlwe.tensor(&right.rlwe), state))
    }

    /// The same values in two parts; a ciphertext that has two already is given back.
    ///
    /// Noise: one key switch's is added.
    ///
    /// # Errors
    /// [`BgvError::MissingKey`], [`BgvError::OutOfModulus`].
    pub fn relinearise(&self, product: BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        let state = self.state(&product)?;
        if product.rlwe.parts.len() == 2 {
            return Ok(product);
        }
        let key = self.keys.relinearisation()?;
        let state = self.noise.key_switch(state)?;
        Ok(self.with_state(self.params.rlwe().relinearise(product.rlwe, key)?, state))
    }
}
