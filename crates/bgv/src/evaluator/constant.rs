//! Sums and products with one integer for all slots.

use asanoha_ring::Scalar;
use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{Evaluator, sum::scale_assign};
use crate::{BgvCiphertext, BgvError};

impl Evaluator {
    /// a + c in every slot, with c taken modulo t.
    ///
    /// Noise: |c·f modulo t|, at most t/2, is added, f the correction factor.
    ///
    /// # Errors
    /// [`BgvError::OutOfModulus`].
    pub fn add_constant(
        &self,
        a: &BgvCiphertext,
        constant: impl Into<BigInt>,
    ) -> Result<BgvCiphertext, BgvError> {
        let constant = constant.into();
        let state = self.noise.add_constant(self.state(a)?, &constant)?;
        let constant = self.noise.constant_on(&a.factor, &constant);
        let mut sum = a.clone();
        let c0 = &mut sum.rlwe.parts[0];
        let scalar = Scalar::new(c0.basis(), &constant);
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
    pub fn mul_constant(
        &self,
        a: &BgvCiphertext,
        constant: impl Into<BigInt>,
    ) -> Result<BgvCiphertext, BgvError> {
        let constant = constant.into();
        let state = self.noise.mul_constant(self.state(a)?, &constant)?;
        let mut product = a.clone();
        scale_assign(&mut product, &self.noise.constant_on(&BigUint::one(), &constant));
        product.noise = state.noise;
        Ok(product)
    }
}
