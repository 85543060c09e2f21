//! Products of ciphertexts.

use crate::{Ciphertext, Evaluator, Model, Scheme, SchemeError, State};

impl<S: Scheme> Model<S> {
    /// A product that isn't relinearised: [`Scheme::product`].
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::OutOfModulus`].
    pub fn multiply_without_relinearise(
        &self,
        left: &State<S>,
        right: &State<S>,
    ) -> Result<State<S>, SchemeError> {
        left.of_one_level(right)?;
        self.check(self.scheme().product(self.lattice(), left, right))
    }

    /// A relinearised product.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::OutOfModulus`].
    pub fn multiply(&self, left: &State<S>, right: &State<S>) -> Result<State<S>, SchemeError> {
        self.key_switch(&self.multiply_without_relinearise(left, right)?)
    }
}

impl<S: Scheme> Evaluator<S> {
    /// left·right, relinearised. In CKKS the scale is the product of the two; rescale afterwards.
    ///
    /// Noise: [`Scheme::product`], and one key switch's.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::NotRelinearised`], [`SchemeError::MissingKey`],
    /// [`SchemeError::OutOfModulus`].
    pub fn multiply(
        &self,
        left: &Ciphertext<S>,
        right: &Ciphertext<S>,
    ) -> Result<Ciphertext<S>, SchemeError> {
        self.keys().relinearisation(self.params().rlwe(), left.level())?;
        self.model.multiply(self.state(left)?, self.state(right)?)?;
        self.relinearise(self.multiply_without_relinearise(left, right)?)
    }

    /// a², relinearised; in BFV cheaper than a product. Noise and errors: as for [`Evaluator::multiply`].
    pub fn square(&self, a: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        self.keys().relinearisation(self.params().rlwe(), a.level())?;
        self.model.multiply(self.state(a)?, self.state(a)?)?;
        self.relinearise(self.square_without_relinearise(a)?)
    }

    /// left·right as a ciphertext of three parts, which can be added, switched and decrypted: a sum of products needs one
    /// relinearisation only.
    ///
    /// Noise: [`Scheme::product`].
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::NotRelinearised`], [`SchemeError::OutOfModulus`].
    pub fn multiply_without_relinearise(
        &self,
        left: &Ciphertext<S>,
        right: &Ciphertext<S>,
    ) -> Result<Ciphertext<S>, SchemeError> {
        let (a, b) = (self.two_parts(left)?, self.two_parts(right)?);
        let state = self.model.multiply_without_relinearise(a, b)?;
        Ok(self.with_state(self.params().tensor(&left.rlwe, &right.rlwe), state))
    }

    /// a² as a ciphertext of three parts. Noise and errors: as for [`Evaluator::multiply_without_relinearise`].
    pub fn square_without_relinearise(&self, a: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        let operand = self.two_parts(a)?;
        let state = self.model.multiply_without_relinearise(operand, operand)?;
        Ok(self.with_state(self.params().tensor_square(&a.rlwe), state))
    }

    /// The same values in two parts; a ciphertext that has two already is given back.
    ///
    /// Noise: one key switch's is added.
    ///
    /// # Errors
    /// [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`].
    pub fn relinearise(&self, product: Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        self.state(&product)?;
        if product.parts() == 2 {
            return Ok(product);
        }
        let key = self.keys().relinearisation(self.params().rlwe(), product.level())?;
        let state = self.model.key_switch(product.state())?;
        Ok(self.with_state(self.params().rlwe().relinearise(product.rlwe, key)?, state))
    }
}
