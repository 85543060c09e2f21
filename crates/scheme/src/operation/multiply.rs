//! Products of ciphertexts.

use std::mem;

use asanoha_lattice::{Level, RlweCiphertext, relinearise_to};

use crate::{
    Operand, Operations, ProductLevel, Scheme, SchemeError, State,
    checks::same_level,
    model::{TWO_PARTS, below},
    not_above,
};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Multiplies two ciphertexts of one level and relinearises the product. In CKKS the scale is the product of the two
    /// scales; rescale afterwards.
    ///
    /// Noise: [`Scheme::product`], and one key switch's.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::NotRelinearised`], [`SchemeError::MissingKey`],
    /// [`SchemeError::OutOfModulus`].
    pub fn multiply_exact(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        self.relinearise(self.multiply_without_relinearise(left, right)?)
    }

    /// Squares a ciphertext and relinearises the result; in BFV this is cheaper than a product. Noise and errors: as for
    /// [`Operations::multiply_exact`].
    pub fn square_exact(&self, a: &V) -> Result<V, SchemeError> {
        self.relinearise(self.square_without_relinearise(a)?)
    }

    /// Multiplies two ciphertexts of one level into a ciphertext of three components.
    ///
    /// The result can be added, switched and decrypted, so that a sum of products needs only one relinearisation.
    ///
    /// Noise: [`Scheme::product`].
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::NotRelinearised`], [`SchemeError::OutOfModulus`].
    pub fn multiply_without_relinearise(&self, left: &V, right: &V) -> Result<V, SchemeError> {
        let state = self.product(left, right)?;
        V::produce(&self.means, &[left, right], state, |ab, _| {
            Ok(self.params().tensor(&ab[0].rlwe, &ab[1].rlwe))
        })
    }

    /// Returns Σ leftₖ·rightₖ as a ciphertext of three components, in one pass that reduces each sum only once.
    ///
    /// Noise: the sum of the products' noises. Products of different messages (correction factors or scales) are added one by
    /// one.
    ///
    /// # Errors
    /// Those of [`Operations::multiply_without_relinearise`] and [`Operations::add_exact`].
    ///
    /// # Panics
    /// If there are no ciphertexts, or the two sides differ in number.
    pub fn sum_of_products(&self, left: &[&V], right: &[&V]) -> Result<V, SchemeError> {
        assert!(!left.is_empty() && left.len() == right.len());
        let states = left.iter().zip(right).map(|(left, right)| self.product(left, right));
        let states = states.collect::<Result<Vec<_>, _>>()?;
        let one_message = states.iter().all(|state| state.message == states[0].message);
        if !one_message {
            let product = |k: usize| self.multiply_without_relinearise(left[k], right[k]);
            return (1..left.len()).try_fold(product(0)?, |mut sum, k| {
                self.add_assign_exact(&mut sum, &product(k)?)?;
                Ok(sum)
            });
        }
        let noise = states.iter().map(|state| state.noise).sum();
        let message = self.params().repeated(&states[0].message, states.len());
        let state = self.model().check(State { message, ..states[0].with_noise(noise) })?;
        V::produce(&self.means, &[left, right].concat(), state, |operands, _| {
            let polynomials: Vec<&RlweCiphertext> = operands.iter().map(|operand| &operand.rlwe).collect();
            let (left, right) = polynomials.split_at(left.len());
            Ok(self.params().tensor_sum(left, right))
        })
    }

    /// Squares a ciphertext into three components. Noise and errors: as for [`Operations::multiply_without_relinearise`].
    pub fn square_without_relinearise(&self, a: &V) -> Result<V, SchemeError> {
        let state = self.product(a, a)?;
        V::produce(&self.means, &[a], state, |a, _| Ok(self.params().tensor_square(&a[0].rlwe)))
    }

    /// Relinearises to two components. Returns the ciphertext unchanged if it already has two.
    ///
    /// Noise: adds that of one key switch.
    ///
    /// # Errors
    /// [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`].
    pub fn relinearise(&self, product: V) -> Result<V, SchemeError> {
        self.relinearise_at(product, |state| Ok(state.level))
    }

    /// Relinearises to two components and switches to the level that suits the noise ([`crate::Model::settled`]), in one step.
    /// Noise and errors: as for [`Operations::relinearise`] and [`Operations::switch_to`].
    pub fn relinearise_settled(&self, product: V) -> Result<V, SchemeError> {
        self.relinearise_at(product, |state| Ok(self.model().settled(state)))
    }

    /// Relinearises as [`Operations::relinearise_settled`] does, but switches to the level of [`crate::Model::lossless`].
    pub fn relinearise_lossless(&self, product: V) -> Result<V, SchemeError> {
        self.relinearise_at(product, |state| Ok(self.model().lossless(state)))
    }

    /// Relinearises to two components and switches to a given level, in one step. This adds less noise and costs less than
    /// [`Operations::relinearise`] followed by [`Operations::switch_to`].
    ///
    /// # Errors
    /// [`SchemeError::LevelTooHigh`], [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`].
    pub fn relinearise_to(&self, product: V, level: Level) -> Result<V, SchemeError> {
        self.relinearise_at(product, |state| not_above(level, state.level).map(|()| level))
    }

    /// A relinearisation, and a switch to the level that is chosen by what is known of the result.
    fn relinearise_at(
        &self,
        product: V,
        level: impl FnOnce(&State<S>) -> Result<Level, SchemeError>,
    ) -> Result<V, SchemeError> {
        if S::SWITCHES_BY_DIVISION {
            return self.relinearise_divided(product, level);
        }
        let mut chosen = Level(0);
        let relinearised = self.relinearise_divided(product, |state| {
            chosen = level(state)?;
            Ok(state.level)
        })?;
        if chosen == relinearised.state().level {
            return Ok(relinearised);
        }
        self.switch_to(&relinearised, chosen)
    }

    /// A relinearisation, and a division by all primes above the level that is chosen by what is known of the result, in one
    /// step.
    pub(super) fn relinearise_divided(
        &self,
        mut product: V,
        level: impl FnOnce(&State<S>) -> Result<Level, SchemeError>,
    ) -> Result<V, SchemeError> {
        let before = self.state(&product)?;
        if product.parts() == Some(TWO_PARTS) {
            let level = level(before)?;
            return self.divided(&product, level);
        }
        let state = self.model().key_switch(before)?;
        let level = level(&state)?;
        let state = self.model().divide_to(&state, TWO_PARTS, level)?;
        product.overwrite(&self.means, &[], state, |product, _, keys| {
            let rlwe = self.params().rlwe();
            let key = keys.relinearisation(rlwe, product.level())?;
            let parts = RlweCiphertext { parts: mem::take(&mut product.rlwe.parts) };
            product.rlwe = relinearise_to(rlwe, parts, key, level)?;
            Ok(())
        })?;
        Ok(product)
    }

    /// Relinearises a product of three components, at the level that a rule gives.
    pub(super) fn settled_product(&self, product: V, rule: ProductLevel) -> Result<V, SchemeError> {
        // Where there's none below, that is refused before a missing key is.
        let fixed = match rule {
            ProductLevel::Below => Some(below(product.state().level)?),
            _ => None,
        };
        self.relinearise_divided(product, |state| {
            fixed.map_or_else(|| self.model().product_level(state, rule), Ok)
        })
    }

    /// Brings a product of two components with a plaintext or a constant to the level of [`Scheme::PRODUCT_LEVEL`].
    pub(super) fn settled(&self, product: V) -> Result<V, SchemeError> {
        let level = self.model().product_level(product.state(), S::PRODUCT_LEVEL)?;
        if level == product.state().level { Ok(product) } else { self.divided(&product, level) }
    }

    /// What is known of a product of three parts.
    fn product(&self, left: &V, right: &V) -> Result<State<S>, SchemeError> {
        let (left, right) = (self.two_parts(left)?, self.two_parts(right)?);
        same_level(left.level, right.level)?;
        self.model().check(self.params().product(self.model().lattice(), left, right))
    }
}
