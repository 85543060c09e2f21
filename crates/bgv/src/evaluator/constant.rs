//! Sums and products with one integer for all slots.

use asanoha_ring::Scalar;

use super::{Evaluator, sum::scale_assign};
use crate::{BgvCiphertext, BgvError};

impl Evaluator {
    /// a + c in every slot, with c taken modulo t.
    ///
    /// Noise: |c·f modulo t|, at most t/2, is added, f the correction factor.
    ///
    /// # Errors
    /// [`BgvError::OutOfModulus`].
    pub fn add_constant(&self, a: &BgvCiphertext, constant: i64) -> Result<BgvCiphertext, BgvError> {
        let state = self.noise.add_constant(a.state(), constant)?;
        let constant = self.noise.constant_on(a.factor, constant);
        let mut sum = a.clone();
        let c0 = &mut sum.rlwe.parts[0];
        let scalar = Scalar::new(c0.basis(), &constant.into());
        c0.add_scalar_assign(&scalar);
        sum.noise = state.noise;
        Ok(sum)
    }

    /// c·a in every slot, with c taken modulo t and centred.
    ///
    /// Noise: times |c|.
    ///
    /// # Errors
    /// [`BgvError::OutOfModulus`].
    pub fn mul_constant(&self, a: &BgvCiphertext, constant: i64) -> Result<BgvCiphertext, BgvError> {
        let state = self.noise.mul_constant(a.state(), constant)?;
        let mut product = a.clone();
        scale_assign(&mut product, self.noise.constant_on(1, constant));
        product.noise = state.noise;
        Ok(product)
    }
}
