//! Sums and products with one constant for all slots, which need no encoding.

use crate::{Ciphertext, Evaluator, Model, Scheme, SchemeError, State};

impl<S: Scheme> Model<S> {
    /// A sum with a constant.
    ///
    /// # Errors
    /// [`SchemeError::NotFinite`], [`SchemeError::OutOfModulus`].
    pub fn add_constant(
        &self,
        a: &State<S>,
        constant: impl Into<S::Constant>,
    ) -> Result<State<S>, SchemeError> {
        self.check(self.scheme().constant_sum(a, &constant.into())?)
    }

    /// A product with a constant.
    ///
    /// # Errors
    /// [`SchemeError::NotFinite`], [`SchemeError::InvalidScale`], [`SchemeError::OutOfModulus`].
    pub fn mul_constant(&self, a: &State<S>, factor: impl Into<S::Factor>) -> Result<State<S>, SchemeError> {
        self.check(self.scheme().constant_product(a, &factor.into())?.0)
    }
}

impl<S: Scheme> Evaluator<S> {
    /// a + c in every slot, or in the coefficient of 1 where plaintexts have no slots. Exact schemes take c modulo t.
    ///
    /// Noise: in BGV |c·f modulo t| for the correction factor f, in BFV the rounding of Q/t·c, in CKKS that of c·scale.
    ///
    /// # Errors
    /// [`SchemeError::NotFinite`], [`SchemeError::OutOfModulus`].
    pub fn add_constant(
        &self,
        a: &Ciphertext<S>,
        constant: impl Into<S::Constant>,
    ) -> Result<Ciphertext<S>, SchemeError> {
        let (before, constant) = (self.state(a)?, constant.into());
        let state = self.model.check(self.params().constant_sum(before, &constant)?)?;
        let mut sum = a.rlwe.clone();
        self.params().add_constant_to(&mut sum.parts[0], before, &constant);
        Ok(self.with_state(sum, state))
    }

    /// k·a in every slot. Exact schemes take k modulo t, centred. In CKKS k is a pair of a constant c and a scale s, for the
    /// integer round(c·s), and the ciphertext's scale is multiplied by s: rescale afterwards. Whole numbers are exact at
    /// s = 1, which needs no rescaling.
    ///
    /// Noise: times |k|, or times |round(c·s)| and what that rounds.
    ///
    /// # Errors
    /// [`SchemeError::NotFinite`], [`SchemeError::InvalidScale`], [`SchemeError::OutOfModulus`].
    pub fn mul_constant(
        &self,
        a: &Ciphertext<S>,
        factor: impl Into<S::Factor>,
    ) -> Result<Ciphertext<S>, SchemeError> {
        let (state, integer) = self.params().constant_product(self.state(a)?, &factor.into())?;
        let state = self.model.check(state)?;
        let mut product = a.rlwe.clone();
        super::sum::scale(&mut product, &integer);
        Ok(self.with_state(product, state))
    }
}
