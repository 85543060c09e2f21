//! Sums and products with plaintexts.

use asanoha_ring::{Evaluation, Poly};

use crate::{
    Ciphertext, Evaluator, Model, Plaintext, Scheme, SchemeError, State, same_parameters, state::same_level,
};

impl<S: Scheme> Model<S> {
    /// A sum with or difference from a plaintext that has taken on the ciphertext's message.
    ///
    /// # Errors
    /// [`SchemeError::ScaleMismatch`], [`SchemeError::OutOfModulus`].
    pub fn add_plain(&self, a: &State<S>, plain: &S::PlainState) -> Result<State<S>, SchemeError> {
        self.check(self.scheme().plain_sum(a, plain)?)
    }

    /// A product with a plaintext: the noise is multiplied by its norm.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn mul_plain(&self, a: &State<S>, plain: &S::PlainState) -> Result<State<S>, SchemeError> {
        self.check(self.scheme().plain_product(a, plain))
    }
}

impl<S: Scheme> Evaluator<S> {
    /// a + m. Noise: in BGV m's norm is added, of f·m where the correction factor is f; in BFV the rounding of Q/t·m; in CKKS
    /// the encoding's error.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::ScaleMismatch`], [`SchemeError::OutOfModulus`].
    pub fn add_plain(&self, a: &Ciphertext<S>, plain: &S::Plaintext) -> Result<Ciphertext<S>, SchemeError> {
        self.combine_plain(a, plain, None, Poly::add_assign)
    }

    /// As [`Evaluator::add_plain`], with the noise bound that all plaintexts have of which this much is known.
    pub(crate) fn add_plain_known(
        &self,
        a: &Ciphertext<S>,
        plain: &S::Plaintext,
        known: &S::PlainState,
    ) -> Result<Ciphertext<S>, SchemeError> {
        self.combine_plain(a, plain, Some(known), Poly::add_assign)
    }

    /// a − m. Noise and errors: as for [`Evaluator::add_plain`].
    pub fn sub_plain(&self, a: &Ciphertext<S>, plain: &S::Plaintext) -> Result<Ciphertext<S>, SchemeError> {
        self.combine_plain(a, plain, None, Poly::sub_assign)
    }

    /// a·m. In CKKS the scale is the product of the two; rescale afterwards. Noise: times m's norm.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::OutOfModulus`].
    pub fn mul_plain(&self, a: &Ciphertext<S>, plain: &S::Plaintext) -> Result<Ciphertext<S>, SchemeError> {
        self.mul_plain_known(a, plain, &plain.state())
    }

    /// As [`Evaluator::mul_plain`], with the noise bound that all plaintexts have of which this much is known.
    pub(crate) fn mul_plain_known(
        &self,
        a: &Ciphertext<S>,
        plain: &S::Plaintext,
        known: &S::PlainState,
    ) -> Result<Ciphertext<S>, SchemeError> {
        let state = self.model.mul_plain(self.fits(a, plain)?, known)?;
        let mut product = a.rlwe.clone();
        product.mul_plain_assign(plain.factor());
        Ok(self.with_state(product, state))
    }

    fn combine_plain(
        &self,
        a: &Ciphertext<S>,
        plain: &S::Plaintext,
        known: Option<&S::PlainState>,
        assign: impl Fn(&mut Poly<Evaluation>, &Poly<Evaluation>),
    ) -> Result<Ciphertext<S>, SchemeError> {
        let state = self.fits(a, plain)?;
        let plain = self.params().adapted(plain, a.message());
        let state = match known {
            Some(known) => self.model.add_plain(state, known),
            None => self.model.add_plain(state, &plain.state()),
        }?;
        let mut sum = a.rlwe.clone();
        assign(&mut sum.parts[0], plain.addend());
        Ok(self.with_state(sum, state))
    }

    /// Refuses operands of other parameters or of two levels.
    fn fits<'c>(&self, a: &'c Ciphertext<S>, plain: &S::Plaintext) -> Result<&'c State<S>, SchemeError> {
        let state = self.state(a)?;
        same_parameters(self.params(), plain.scheme())?;
        same_level(a.level(), plain.level())?;
        Ok(state)
    }
}
