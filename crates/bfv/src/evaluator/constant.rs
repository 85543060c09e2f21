//! Sums and products with one integer.

use asanoha_lattice::Norm;
use asanoha_ring::Scalar;
use num_bigint::{BigInt, BigUint};

use super::Evaluator;
use crate::{BfvCiphertext, BfvError, BfvPlaintext};

impl Evaluator {
    /// a + c with c taken modulo t: in every slot, or in the coefficient of 1.
    ///
    /// Noise: as for [`Evaluator::add_plain`].
    ///
    /// # Errors
    /// [`BfvError::OutOfModulus`].
    pub fn add_constant(
        &self,
        a: &BfvCiphertext,
        constant: impl Into<BigInt>,
    ) -> Result<BfvCiphertext, BfvError> {
        let plain =
            BfvPlaintext::new(&self.params, self.params.space().constant(&constant.into()), a.level());
        self.add_plain(a, &plain)
    }

    /// c·a with c taken modulo t and centred: every slot or coefficient times c.
    ///
    /// Noise: times |c|.
    ///
    /// # Errors
    /// [`BfvError::OutOfModulus`].
    pub fn mul_constant(
        &self,
        a: &BfvCiphertext,
        constant: impl Into<BigInt>,
    ) -> Result<BfvCiphertext, BfvError> {
        let constant = centred(&constant.into(), self.params.value_modulus());
        let state = self.noise.mul_plain(self.state(a)?, Norm::from(constant.magnitude()))?;
        let mut product = a.rlwe.clone();
        let scalar = Scalar::new(self.params.rlwe().q(a.level()), &constant);
        product.parts.iter_mut().for_each(|part| part.mul_scalar_assign(&scalar));
        Ok(self.with_state(product, state))
    }
}

/// x modulo m in (−m/2, m/2].
fn centred(x: &BigInt, m: &BigUint) -> BigInt {
    let m = BigInt::from(m.clone());
    let residue = ((x % &m) + &m) % &m;
    if &residue * 2 > m { residue - m } else { residue }
}
