//! Sums, differences and negation of ciphertexts of one level and scale.

use asanoha_lattice::RlweCiphertext;
use asanoha_ring::Scalar;
use num_bigint::BigInt;
use num_traits::One;

use crate::{Operand, Operations, Scheme, SchemeError, checks::same_level};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Adds two ciphertexts of one level and, in CKKS, one scale. [`Operations::add`] aligns other operands.
    ///
    /// Noise: the sum of the noises. In BGV, where the correction factors differ, each is multiplied by about √t first; in
    /// CKKS the bounds add up too, and a difference of the scales counts as noise.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::ScaleMismatch`], [`SchemeError::OutOfModulus`].
    pub fn add_exact(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        Self::copied(left, |sum| self.add_assign_exact(sum, right))
    }

    /// Adds `right` to `left` in place, and leaves `left` unchanged on an error. Noise and errors: as for
    /// [`Operations::add_exact`].
    pub fn add_assign_exact(&self, left: &mut V, right: &V) -> Result<(), SchemeError> {
        self.combine(left, right, RlweCiphertext::add_assign)
    }

    /// Subtracts two ciphertexts of one level and scale. Noise and errors: as for [`Operations::add_exact`].
    pub fn sub_exact(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        Self::copied(left, |difference| self.sub_assign_exact(difference, right))
    }

    /// Subtracts `right` from `left` in place, and leaves `left` unchanged on an error. Noise and errors: as for
    /// [`Operations::add_exact`].
    pub fn sub_assign_exact(&self, left: &mut V, right: &V) -> Result<(), SchemeError> {
        self.combine(left, right, RlweCiphertext::sub_assign)
    }

    /// Negates every slot. Noise: unchanged.
    pub fn neg(&self, a: &V) -> V {
        let mut negated = a.clone();
        self.neg_assign(&mut negated);
        negated
    }

    /// Negates every slot in place. Noise: unchanged.
    pub fn neg_assign(&self, a: &mut V) {
        let state = a.state().clone();
        let negated = a.overwrite(&self.means, &[], state, |a, _, _| {
            a.rlwe.neg_assign();
            Ok(())
        });
        negated.expect("nothing to fail");
    }

    fn combine(
        &self,
        left: &mut V,
        right: &V,
        assign: impl Fn(&mut RlweCiphertext, &RlweCiphertext),
    ) -> Result<(), SchemeError> {
        let (a, b) = (self.state(left)?, self.state(right)?);
        same_level(a.level, b.level)?;
        let (state, multipliers) = self.params().sum(a, b)?;
        left.overwrite(&self.means, &[right], self.model().check(state)?, |left, others, _| {
            let right = &others[0].rlwe;
            match multipliers {
                None => assign(&mut left.rlwe, right),
                Some([of_left, of_right]) => {
                    scale(&mut left.rlwe, &of_left);
                    let mut right = right.clone();
                    scale(&mut right, &of_right);
                    assign(&mut left.rlwe, &right);
                }
            }
            Ok(())
        })
    }
}

/// Multiplies all polynomials by an integer.
pub(super) fn scale(a: &mut RlweCiphertext, multiplier: &BigInt) {
    if multiplier.is_one() {
        return;
    }
    let scalar = Scalar::new(a.parts[0].basis(), multiplier);
    a.parts.iter_mut().for_each(|part| part.mul_scalar_assign(&scalar));
}
