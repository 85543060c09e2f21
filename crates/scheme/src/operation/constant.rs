//! Sums and products with one constant for all slots, which need no encoding.

use crate::{Operand, Operations, Plaintext, Scheme, SchemeError};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Adds the constant c to every slot, or to the constant coefficient if plaintexts have no slots. Exact schemes take c
    /// modulo t.
    ///
    /// Noise: in BGV |c·f modulo t| for the correction factor f, in BFV the rounding of Q/t·c, in CKKS that of c·scale.
    ///
    /// # Errors
    /// [`SchemeError::NotFinite`], [`SchemeError::OutOfModulus`].
    pub fn add_constant(&self, a: &V, constant: impl Into<S::Constant>) -> Result<V, SchemeError> {
        Self::copied(a, |sum| self.add_constant_assign(sum, constant))
    }

    /// Adds the constant c in place. Noise and errors: as for [`Operations::add_constant`].
    pub fn add_constant_assign(
        &self,
        a: &mut V,
        constant: impl Into<S::Constant>,
    ) -> Result<(), SchemeError> {
        let constant = constant.into();
        let state = self.model().check(self.params().constant_sum(self.state(a)?, &constant)?)?;
        a.overwrite(&self.means, &[], state, |a, _, _| {
            self.params().add_constant_to(&mut a.rlwe.parts[0], &a.state, &constant);
            Ok(())
        })
    }

    /// Multiplies every slot by the constant k and keeps the level. [`Operations::mul_constant`] chooses level and scale.
    ///
    /// Exact schemes take k modulo t, centred. In CKKS k is a pair of a constant c and a scale s: the polynomials are
    /// multiplied by the integer round(c·s), and the ciphertext's scale by s. Rescale afterwards. Integers are exact at s = 1,
    /// which needs no rescaling.
    ///
    /// Noise: multiplied by |k|, or by the norm of k's digits where the plaintext modulus is X^k − b and that is smaller; in CKKS by |round(c·s)|, plus the error of that rounding.
    ///
    /// # Errors
    /// [`SchemeError::NotFinite`], [`SchemeError::InvalidScale`], [`SchemeError::OutOfModulus`].
    pub fn mul_constant_exact(&self, a: &V, factor: impl Into<S::Factor>) -> Result<V, SchemeError> {
        Self::copied(a, |product| self.mul_constant_assign_exact(product, factor))
    }

    /// Multiplies every slot by the constant k in place. Noise and errors: as for [`Operations::mul_constant_exact`].
    pub fn mul_constant_assign_exact(
        &self,
        a: &mut V,
        factor: impl Into<S::Factor>,
    ) -> Result<(), SchemeError> {
        let factor = factor.into();
        let level = self.state(a)?.level;
        if let Some(plain) = self.params().factor_plaintext(&factor, level) {
            return self.mul_known_assign(a, &plain.state(), || Ok(&plain));
        }
        let (state, integer) = self.params().constant_product(self.state(a)?, &factor)?;
        a.overwrite(&self.means, &[], self.model().check(state)?, |a, _, _| {
            super::sum::scale(&mut a.rlwe, &integer);
            Ok(())
        })
    }
}
