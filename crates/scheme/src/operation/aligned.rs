//! Operations as most circuits want them: operands of any levels and scales, and results at the level and scale that suit them.

use std::borrow::Cow;

use crate::{EncodeFor, Model, Numbers, Operand, Operations, Plaintext, Scheme, SchemeError};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// left + right. The operand of the higher level is brought to the other's; in CKKS operands of different scales are brought to
    /// the scale of a level where both can have it, which may be one below.
    ///
    /// Noise: that of [`Operations::add_exact`], after that of the way down.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`]; in CKKS [`SchemeError::LevelTooLow`] where no level is left to make the scales equal.
    pub fn add(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        let (left, right) = self.met(left, right)?;
        Self::copied(&left, |sum| self.add_assign_exact(sum, &right))
    }

    /// left ← left + right, which is unchanged if that fails. Noise and errors: as for [`Operations::add`].
    pub fn add_assign(&self, left: &mut V, right: &V) -> Result<(), SchemeError> {
        match self.add_assign_exact(left, right) {
            Err(SchemeError::LevelMismatch { .. } | SchemeError::ScaleMismatch { .. }) => {
                *left = self.add(left, right)?;
                Ok(())
            }
            done => done,
        }
    }

    /// left − right. Noise and errors: as for [`Operations::add`].
    pub fn sub(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        let (left, right) = self.met(left, right)?;
        Self::copied(&left, |difference| self.sub_assign_exact(difference, &right))
    }

    /// left ← left − right, which is unchanged if that fails. Noise and errors: as for [`Operations::add`].
    pub fn sub_assign(&self, left: &mut V, right: &V) -> Result<(), SchemeError> {
        match self.sub_assign_exact(left, right) {
            Err(SchemeError::LevelMismatch { .. } | SchemeError::ScaleMismatch { .. }) => {
                *left = self.sub(left, right)?;
                Ok(())
            }
            done => done,
        }
    }

    /// left·right, relinearised. The operands are aligned as in [`Operations::add`]. BGV switches the product to the level that
    /// suits its noise ([`Model::settled`]), BFV to one where nothing is lost ([`Model::lossless`]), in the same step as the
    /// relinearisation; CKKS rescales it. With parameters for
    /// depth n, n products in a row decrypt, squares and products with plaintexts among them.
    ///
    /// Noise: at most that of [`Operations::multiply_exact`] and [`Operations::switch_to`] or [`Operations::rescale`].
    ///
    /// # Errors
    /// [`SchemeError::NotRelinearised`], [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`]; in CKKS
    /// [`SchemeError::LevelTooLow`].
    pub fn multiply(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        let (left, right) = self.met(left, right)?;
        S::settled_product(self, self.multiply_without_relinearise(&left, &right)?, S::kept_level)
    }

    /// a·a; in BFV cheaper than a product. Noise and errors: as for [`Operations::multiply`].
    pub fn square(&self, a: &V) -> Result<V, SchemeError> {
        S::settled_product(self, self.square_without_relinearise(a)?, S::kept_level)
    }

    /// As [`Operations::multiply`], but in BFV too the product is switched to the level that suits its noise best, which is faster and
    /// leaves less room: for circuits whose parameters are chosen so.
    ///
    /// # Errors
    /// Those of [`Operations::multiply`].
    pub fn multiply_settled(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        let (left, right) = self.met(left, right)?;
        S::settled_product(self, self.multiply_without_relinearise(&left, &right)?, Model::settled)
    }

    /// k·a in every slot. Exact schemes take k modulo t, and switch the product to the level that suits its noise. In CKKS a whole
    /// number of up to 20 bits costs no level, and any other number one: it's rounded at the scale that leaves the product at the
    /// scale of the level below.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`]; in CKKS [`SchemeError::NotFinite`], [`SchemeError::LevelTooLow`].
    pub fn mul_constant(&self, a: &V, factor: impl Into<S::Constant>) -> Result<V, SchemeError> {
        S::times_constant(self, a, &factor.into())
    }

    /// a + m, for a plaintext of any level. Noise: as for [`Operations::add_plain_exact`].
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`]; in CKKS [`SchemeError::ScaleMismatch`], which [`Operations::add_values`] can't meet.
    pub fn add_plain(&self, a: &V, plain: &S::Plaintext) -> Result<V, SchemeError> {
        let (a, plain) = self.met_plain(a, plain)?;
        self.add_plain_exact(&a, &plain)
    }

    /// a − m. Noise and errors: as for [`Operations::add_plain`].
    pub fn sub_plain(&self, a: &V, plain: &S::Plaintext) -> Result<V, SchemeError> {
        let (a, plain) = self.met_plain(a, plain)?;
        self.sub_plain_exact(&a, &plain)
    }

    /// a·m, for a plaintext of any level. Exact schemes switch the product to the level that suits its noise; CKKS rescales it.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`]; in CKKS [`SchemeError::LevelTooLow`].
    pub fn mul_plain(&self, a: &V, plain: &S::Plaintext) -> Result<V, SchemeError> {
        let (a, plain) = self.met_plain(a, plain)?;
        S::settled(self, self.mul_plain_exact(&a, &plain)?)
    }

    /// a + m for numbers, which are encoded for a's level and scale; a single number is added to every slot. Missing numbers are
    /// zero.
    ///
    /// # Errors
    /// Those of [`Operations::add_plain_exact`] and of the encoding.
    pub fn add_values(&self, a: &V, values: impl Numbers<S>) -> Result<V, SchemeError> {
        let plain = values.encode_for(self.params(), EncodeFor::Sum(self.state(a)?))?;
        self.add_plain_exact(a, &plain)
    }

    /// a·m for numbers, which are encoded for a's level, and in CKKS for the scale that the product has after its rescaling; every
    /// slot is multiplied by a single number. Missing numbers are zero, and so are the products.
    ///
    /// # Errors
    /// Those of [`Operations::mul_plain`] and of the encoding.
    pub fn multiply_by(&self, a: &V, values: impl Numbers<S>) -> Result<V, SchemeError> {
        let plain = values.encode_for(self.params(), EncodeFor::Product(self.state(a)?))?;
        S::settled(self, self.mul_plain_exact(a, &plain)?)
    }

    /// Two values at one level and scale.
    fn met<'v>(&self, left: &'v V, right: &'v V) -> Result<crate::OfOneLevel<'v, V>, SchemeError> {
        self.state(left)?;
        self.state(right)?;
        S::meet(self, left, right)
    }

    /// A value and a plaintext at one level.
    fn met_plain<'v>(
        &self,
        a: &'v V,
        plain: &'v S::Plaintext,
    ) -> Result<(Cow<'v, V>, Cow<'v, S::Plaintext>), SchemeError> {
        let level = self.state(a)?.level.min(plain.level());
        Ok((self.lowered(a, level)?, plain.lowered(level)))
    }
}
