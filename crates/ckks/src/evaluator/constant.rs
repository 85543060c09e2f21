//! Operations with one real constant for all slots, which need no encoding.

use asanoha_lattice::RlweCiphertext;
use asanoha_ring::Scalar;

use super::Evaluator;
use crate::{CkksCiphertext, CkksError, encoder::integer};

impl Evaluator {
    /// a + c in every slot: the integer round(c·scale) is added to the constant coefficient.
    ///
    /// # Errors
    /// [`CkksError::NotFinite`], [`CkksError::OutOfModulus`].
    pub fn add_constant(&self, a: &CkksCiphertext, constant: f64) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.add_constant(self.state(a)?, constant)?;
        let mut sum = a.rlwe.clone();
        let rounded = integer((constant * a.scale()).round());
        sum.parts[0].add_scalar_assign(&Scalar::new(self.params.rlwe().q(a.level()), &rounded));
        Ok(self.with_state(sum, state))
    }

    /// a·c in every slot: the product with the integer round(c·s), s the scale given. The ciphertext's scale is
    /// multiplied by s; rescale afterwards. Whole numbers are exact at s = 1, which needs no rescaling.
    ///
    /// # Errors
    /// [`CkksError::NotFinite`], [`CkksError::InvalidScale`], [`CkksError::OutOfModulus`].
    pub fn mul_constant(
        &self,
        a: &CkksCiphertext,
        constant: f64,
        constant_scale: f64,
    ) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.mul_constant(self.state(a)?, constant, constant_scale)?;
        Ok(self.with_state(self.times_integer(a.rlwe.clone(), (constant * constant_scale).round()), state))
    }

    /// The product with a double that is an integer, whatever the noise.
    pub(super) fn times_integer(&self, mut a: RlweCiphertext, factor: f64) -> RlweCiphertext {
        let scalar = Scalar::new(self.params.rlwe().q(a.level()), &integer(factor));
        a.parts.iter_mut().for_each(|part| part.mul_scalar_assign(&scalar));
        a
    }
}
