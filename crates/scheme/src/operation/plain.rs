//! Sums and products with plaintexts.

use std::borrow::Borrow;

use asanoha_lattice::RlweCiphertext;
use asanoha_ring::{Evaluation, Poly};

use crate::{
    Ciphertext, Operand, Operations, Plaintext, Scheme, SchemeError, checks::same_level, same_parameters,
};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Adds a plaintext m to a ciphertext of the same level and scale.
    ///
    /// Noise: BGV adds the norm of f·m for the correction factor f; BFV adds the rounding of Q/t·m; CKKS adds the encoding's
    /// error.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::ScaleMismatch`], [`SchemeError::OutOfModulus`].
    pub fn add_plain_exact(&self, a: &V, plain: &S::Plaintext) -> Result<V, SchemeError> {
        self.combine_plain(a, plain, Poly::add_assign)
    }

    /// Subtracts a plaintext m from a ciphertext of the same level and scale. Noise and errors: as for
    /// [`Operations::add_plain_exact`].
    pub fn sub_plain_exact(&self, a: &V, plain: &S::Plaintext) -> Result<V, SchemeError> {
        self.combine_plain(a, plain, Poly::sub_assign)
    }

    /// Adds a plaintext m with the noise bound of its known state. The plaintext is encoded only if the operand is a
    /// ciphertext. Errors: those of [`Operations::add_plain_exact`] and of the encoding.
    pub fn add_known(
        &self,
        a: &V,
        known: &S::PlainState,
        encode: impl FnOnce() -> Result<S::Plaintext, SchemeError>,
    ) -> Result<V, SchemeError> {
        Self::copied(a, |sum| self.add_known_assign(sum, known, encode))
    }

    /// Adds a plaintext m in place, and leaves the operand unchanged on an error. Noise and errors: as for
    /// [`Operations::add_known`].
    pub fn add_known_assign(
        &self,
        a: &mut V,
        known: &S::PlainState,
        encode: impl FnOnce() -> Result<S::Plaintext, SchemeError>,
    ) -> Result<(), SchemeError> {
        let state = self.model().check(self.params().plain_sum(self.state(a)?, known)?)?;
        a.overwrite(&self.means, &[], state, |a, _, _| {
            let plain = encode()?;
            self.fits(a, &plain)?;
            let plain = self.params().adapted(&plain, a.message());
            a.rlwe.parts[0].add_assign(plain.addend());
            Ok(())
        })
    }

    /// Multiplies a ciphertext by a plaintext m of the same level. In CKKS the scale is the product of the two scales; rescale
    /// afterwards.
    ///
    /// Noise: multiplied by the norm of m.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::OutOfModulus`].
    pub fn mul_plain_exact(&self, a: &V, plain: &S::Plaintext) -> Result<V, SchemeError> {
        self.fits(a, plain)?;
        self.mul_known(a, &plain.state(), || Ok(plain))
    }

    /// Multiplies by a plaintext m with the noise bound of its known state. The plaintext is encoded only if the operand is a
    /// ciphertext. Errors: those of [`Operations::mul_plain_exact`] and of the encoding.
    pub fn mul_known<P: Borrow<S::Plaintext>>(
        &self,
        a: &V,
        known: &S::PlainState,
        encode: impl FnOnce() -> Result<P, SchemeError>,
    ) -> Result<V, SchemeError> {
        Self::copied(a, |product| self.mul_known_assign(product, known, encode))
    }

    /// Multiplies by a plaintext m in place, and leaves the operand unchanged on an error. Noise and errors: as for
    /// [`Operations::mul_known`].
    pub fn mul_known_assign<P: Borrow<S::Plaintext>>(
        &self,
        a: &mut V,
        known: &S::PlainState,
        encode: impl FnOnce() -> Result<P, SchemeError>,
    ) -> Result<(), SchemeError> {
        let state = self.model().check(self.params().plain_product(self.state(a)?, known))?;
        a.overwrite(&self.means, &[], state, |a, _, _| {
            let plain = encode()?;
            self.fits(a, plain.borrow())?;
            a.rlwe.mul_plain_assign(plain.borrow().factor());
            Ok(())
        })
    }

    fn combine_plain(
        &self,
        a: &V,
        plain: &S::Plaintext,
        assign: impl Fn(&mut Poly<Evaluation>, &Poly<Evaluation>),
    ) -> Result<V, SchemeError> {
        self.fits(a, plain)?;
        let plain = self.params().adapted(plain, &a.state().message);
        let state = self.model().check(self.params().plain_sum(a.state(), &plain.state())?)?;
        V::produce(&self.means, &[a], state, |a, _| Ok(combined(a[0], &plain, assign)))
    }

    /// Refuses operands of other parameters or of two levels.
    fn fits(&self, a: &impl Operand<S>, plain: &S::Plaintext) -> Result<(), SchemeError> {
        a.of(self.params())?;
        same_parameters(self.params(), plain.scheme())?;
        same_level(a.state().level, plain.level())
    }
}

/// The polynomials of a ciphertext with a plaintext added to the first, or subtracted.
fn combined<S: Scheme>(
    a: &Ciphertext<S>,
    plain: &S::Plaintext,
    assign: impl Fn(&mut Poly<Evaluation>, &Poly<Evaluation>),
) -> RlweCiphertext {
    let mut sum = a.rlwe.clone();
    assign(&mut sum.parts[0], plain.addend());
    sum
}
