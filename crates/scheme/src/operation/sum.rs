//! Sums of ciphertexts.

use asanoha_lattice::RlweCiphertext;
use asanoha_ring::Scalar;
use num_bigint::BigInt;
use num_traits::One;

use crate::{Ciphertext, Evaluator, Model, Scheme, SchemeError, State};

impl<S: Scheme> Model<S> {
    /// A sum or difference: the sum of the noises. In BGV, where the correction factors differ, each is multiplied by
    /// about √t first; in CKKS the bounds add up too, and a difference of the scales counts as noise.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::ScaleMismatch`], [`SchemeError::OutOfModulus`].
    pub fn add(&self, left: &State<S>, right: &State<S>) -> Result<State<S>, SchemeError> {
        Ok(self.sum(left, right)?.0)
    }

    /// As [`Model::add`], with the integers that the operands are multiplied by first.
    fn sum(&self, left: &State<S>, right: &State<S>) -> Result<(State<S>, Option<[BigInt; 2]>), SchemeError> {
        left.of_one_level(right)?;
        let (state, multipliers) = self.scheme().sum(left, right)?;
        Ok((self.check(state)?, multipliers))
    }
}

impl<S: Scheme> Evaluator<S> {
    /// left + right. Noise and errors: [`Model::add`].
    pub fn add(&self, left: &Ciphertext<S>, right: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        let mut sum = left.clone();
        self.add_assign(&mut sum, right)?;
        Ok(sum)
    }

    /// left ← left + right, which is unchanged if that fails. Noise and errors: [`Model::add`].
    pub fn add_assign(&self, left: &mut Ciphertext<S>, right: &Ciphertext<S>) -> Result<(), SchemeError> {
        self.combine(left, right, RlweCiphertext::add_assign)
    }

    /// left − right. Noise and errors: [`Model::add`].
    pub fn sub(&self, left: &Ciphertext<S>, right: &Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        let mut difference = left.clone();
        self.sub_assign(&mut difference, right)?;
        Ok(difference)
    }

    /// left ← left − right, which is unchanged if that fails. Noise and errors: [`Model::add`].
    pub fn sub_assign(&self, left: &mut Ciphertext<S>, right: &Ciphertext<S>) -> Result<(), SchemeError> {
        self.combine(left, right, RlweCiphertext::sub_assign)
    }

    /// −a. Noise: unchanged.
    pub fn neg(&self, a: &Ciphertext<S>) -> Ciphertext<S> {
        let mut negated = a.clone();
        negated.rlwe.neg_assign();
        negated
    }

    fn combine(
        &self,
        left: &mut Ciphertext<S>,
        right: &Ciphertext<S>,
        assign: impl Fn(&mut RlweCiphertext, &RlweCiphertext),
    ) -> Result<(), SchemeError> {
        let (state, multipliers) = self.model.sum(self.state(left)?, self.state(right)?)?;
        match multipliers {
            None => assign(&mut left.rlwe, &right.rlwe),
            Some([of_left, of_right]) => {
                scale(&mut left.rlwe, &of_left);
                let mut right = right.rlwe.clone();
                scale(&mut right, &of_right);
                assign(&mut left.rlwe, &right);
            }
        }
        left.state = state;
        Ok(())
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
