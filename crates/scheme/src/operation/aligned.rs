//! Operations that align their operands: any levels and scales in, a suitable level and scale out.

use std::borrow::Cow;

use crate::{EncodeFor, Numbers, Operand, Operations, Plaintext, ProductLevel, Scheme, SchemeError};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Returns left + right, slot by slot.
    ///
    /// Switches the operand of the higher level to the level of the other. In CKKS, operands of different scales are adjusted
    /// to the canonical scale of a level that both can reach, which may be one level below.
    ///
    /// Noise: that of [`Operations::add_exact`], after that of the alignment.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`]; in CKKS [`SchemeError::LevelTooLow`] where no level is left to make the scales equal.
    pub fn add(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        let (left, right) = self.met(left, right)?;
        Self::copied(&left, |sum| self.add_assign_exact(sum, &right))
    }

    /// Adds `right` to `left` in place, and leaves `left` unchanged on an error. Noise and errors: as for [`Operations::add`].
    pub fn add_assign(&self, left: &mut V, right: &V) -> Result<(), SchemeError> {
        match self.add_assign_exact(left, right) {
            Err(SchemeError::LevelMismatch { .. } | SchemeError::ScaleMismatch { .. }) => {
                *left = self.add(left, right)?;
                Ok(())
            }
            done => done,
        }
    }

    /// Returns left − right, slot by slot. Noise and errors: as for [`Operations::add`].
    pub fn sub(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        let (left, right) = self.met(left, right)?;
        Self::copied(&left, |difference| self.sub_assign_exact(difference, &right))
    }

    /// Subtracts `right` from `left` in place, and leaves `left` unchanged on an error. Noise and errors: as for
    /// [`Operations::add`].
    pub fn sub_assign(&self, left: &mut V, right: &V) -> Result<(), SchemeError> {
        match self.sub_assign_exact(left, right) {
            Err(SchemeError::LevelMismatch { .. } | SchemeError::ScaleMismatch { .. }) => {
                *left = self.sub(left, right)?;
                Ok(())
            }
            done => done,
        }
    }

    /// Multiplies two ciphertexts slot by slot and relinearises the product.
    ///
    /// Aligns the operands as [`Operations::add`] does. BGV switches the product to the level that suits its noise
    /// ([`crate::Model::settled`]), BFV to one that wastes almost no noise budget ([`crate::Model::lossless`]), in the same
    /// step as the relinearisation. CKKS rescales it. With parameters for depth n, n consecutive products decrypt, including
    /// squares and products with plaintexts.
    ///
    /// Noise: at most that of [`Operations::multiply_exact`] and [`Operations::switch_to`] or [`Operations::rescale`].
    ///
    /// # Errors
    /// [`SchemeError::NotRelinearised`], [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`]; in CKKS
    /// [`SchemeError::LevelTooLow`].
    pub fn multiply(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        let (left, right) = self.met(left, right)?;
        self.settled_product(self.multiply_without_relinearise(&left, &right)?, S::PRODUCT_LEVEL)
    }

    /// Squares a ciphertext slot by slot; in BFV this is cheaper than a product. Noise and errors: as for
    /// [`Operations::multiply`].
    pub fn square(&self, a: &V) -> Result<V, SchemeError> {
        self.settled_product(self.square_without_relinearise(a)?, S::PRODUCT_LEVEL)
    }

    /// Multiplies as [`Operations::multiply`] does, but switches to the level that suits the noise best in BFV too.
    ///
    /// This is faster and leaves fewer bits of noise budget. Use it for circuits whose parameters are chosen for it.
    ///
    /// # Errors
    /// Those of [`Operations::multiply`].
    pub fn multiply_settled(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        let (left, right) = self.met(left, right)?;
        let rule = match S::PRODUCT_LEVEL {
            ProductLevel::Lossless => ProductLevel::Settled,
            other => other,
        };
        self.settled_product(self.multiply_without_relinearise(&left, &right)?, rule)
    }

    /// Multiplies every slot by the constant k.
    ///
    /// Exact schemes take k modulo t and switch the product to the level that suits its noise. In CKKS an integer of up to 20
    /// bits costs no level. Any other number costs one level: it's rounded at the scale that gives the product the scale of the
    /// level below.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`]; in CKKS [`SchemeError::NotFinite`], [`SchemeError::LevelTooLow`].
    pub fn mul_constant(&self, a: &V, factor: impl Into<S::Constant>) -> Result<V, SchemeError> {
        let (factor, settles) = self.params().constant_factor(self.state(a)?, &factor.into())?;
        let product = self.mul_constant_exact(a, factor)?;
        if settles { self.settled(product) } else { Ok(product) }
    }

    /// Adds a plaintext m of any level to a ciphertext. Noise: as for [`Operations::add_plain_exact`].
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`]; in CKKS [`SchemeError::ScaleMismatch`], which [`Operations::add_values`] never returns.
    pub fn add_plain(&self, a: &V, plain: &S::Plaintext) -> Result<V, SchemeError> {
        let (a, plain) = self.met_plain(a, plain)?;
        self.add_plain_exact(&a, &plain)
    }

    /// Subtracts a plaintext m of any level from a ciphertext. Noise and errors: as for [`Operations::add_plain`].
    pub fn sub_plain(&self, a: &V, plain: &S::Plaintext) -> Result<V, SchemeError> {
        let (a, plain) = self.met_plain(a, plain)?;
        self.sub_plain_exact(&a, &plain)
    }

    /// Multiplies a ciphertext by a plaintext m of any level, slot by slot. Exact schemes switch the product to the level that
    /// suits its noise; CKKS rescales it.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`]; in CKKS [`SchemeError::LevelTooLow`].
    pub fn mul_plain(&self, a: &V, plain: &S::Plaintext) -> Result<V, SchemeError> {
        let (a, plain) = self.met_plain(a, plain)?;
        self.settled(self.mul_plain_exact(&a, &plain)?)
    }

    /// Adds public numbers to a ciphertext, slot by slot.
    ///
    /// Encodes them for the ciphertext's level and scale. A single number is added to every slot; missing numbers are zero.
    ///
    /// # Errors
    /// Those of [`Operations::add_plain_exact`] and of the encoding.
    pub fn add_values(&self, a: &V, values: impl Numbers<S>) -> Result<V, SchemeError> {
        let plain = values.encode_for(self.params(), EncodeFor::Sum(self.state(a)?))?;
        self.add_plain_exact(a, &plain)
    }

    /// Multiplies a ciphertext by public numbers, slot by slot.
    ///
    /// Encodes them for the ciphertext's level, and in CKKS for the scale that the product has after rescaling. A single number
    /// multiplies every slot. Missing numbers are zero, and so are their products.
    ///
    /// # Errors
    /// Those of [`Operations::mul_plain`] and of the encoding.
    pub fn multiply_by(&self, a: &V, values: impl Numbers<S>) -> Result<V, SchemeError> {
        let plain = values.encode_for(self.params(), EncodeFor::Product(self.state(a)?))?;
        self.settled(self.mul_plain_exact(a, &plain)?)
    }

    /// Aligns two values to one level and scale.
    fn met<'v>(&self, left: &'v V, right: &'v V) -> Result<(Cow<'v, V>, Cow<'v, V>), SchemeError> {
        let level = self.params().meeting_level(self.state(left)?, self.state(right)?)?;
        Ok((self.brought(left, level)?, self.brought(right, level)?))
    }

    /// Aligns a value and a plaintext to one level.
    fn met_plain<'v>(
        &self,
        a: &'v V,
        plain: &'v S::Plaintext,
    ) -> Result<(Cow<'v, V>, Cow<'v, S::Plaintext>), SchemeError> {
        let level = self.state(a)?.level.min(plain.level());
        Ok((self.lowered(a, level)?, plain.lowered(level)))
    }
}
