//! Products of ciphertexts.

use asanoha_lattice::RlweCiphertext;

use super::Evaluator;
use crate::{BfvCiphertext, BfvError};

impl Evaluator {
    /// left·right, relinearised.
    ///
    /// Noise: [`crate::BfvNoise::multiply`], about t·N times the sum of the noises.
    ///
    /// # Errors
    /// [`BfvError::LevelMismatch`], [`BfvError::NotRelinearised`], [`BfvError::MissingKey`],
    /// [`BfvError::OutOfModulus`].
    pub fn multiply(&self, left: &BfvCiphertext, right: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        self.keys.relinearisation()?;
        self.noise.multiply(self.state(left)?, self.state(right)?)?;
        self.relinearise(self.multiply_without_relinearise(left, right)?)
    }

    /// a², relinearised; cheaper than a product. Noise and errors: as for [`Evaluator::multiply`].
    pub fn square(&self, a: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        self.keys.relinearisation()?;
        self.noise.multiply(self.state(a)?, self.state(a)?)?;
        self.relinearise(self.square_without_relinearise(a)?)
    }

    /// left·right as a ciphertext of three parts, which can be added, switched and decrypted. A sum of products needs
    /// one relinearisation only.
    ///
    /// Noise: [`crate::BfvNoise::multiply_without_relinearise`].
    ///
    /// # Errors
    /// [`BfvError::LevelMismatch`], [`BfvError::NotRelinearised`], [`BfvError::OutOfModulus`].
    pub fn multiply_without_relinearise(
        &self,
        left: &BfvCiphertext,
        right: &BfvCiphertext,
    ) -> Result<BfvCiphertext, BfvError> {
        left.two_parts()?;
        right.two_parts()?;
        let state = self.noise.multiply_without_relinearise(self.state(left)?, self.state(right)?)?;
        let [a, b] = [left, right].map(|operand| [&operand.rlwe.parts[0], &operand.rlwe.parts[1]]);
        let parts = self.params.tensor(state.level).product(a, b).into();
        Ok(self.with_state(RlweCiphertext { parts }, state))
    }

    /// a² as a ciphertext of three parts; see [`Evaluator::multiply_without_relinearise`].
    ///
    /// # Errors
    /// [`BfvError::NotRelinearised`], [`BfvError::OutOfModulus`].
    pub fn square_without_relinearise(&self, a: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        a.two_parts()?;
        let state = self.noise.multiply_without_relinearise(self.state(a)?, self.state(a)?)?;
        let parts = self.params.tensor(state.level).square([&a.rlwe.parts[0], &a.rlwe.parts[1]]).into();
        Ok(self.with_state(RlweCiphertext { parts }, state))
    }

    /// The same values in two parts; a ciphertext that has two already is given back.
    ///
    /// Noise: one key switch's is added.
    ///
    /// # Errors
    /// [`BfvError::MissingKey`], [`BfvError::OutOfModulus`].
    pub fn relinearise(&self, product: BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        let state = self.state(&product)?;
        if product.rlwe.parts.len() == 2 {
            return Ok(product);
        }
        let key = self.keys.relinearisation()?;
        let state = self.noise.key_switch(state)?;
        Ok(self.with_state(self.params.rlwe().relinearise(product.rlwe, key)?, state))
    }
}
