//! Products of ciphertexts.

use std::mem;

use asanoha_lattice::{Level, RlweCiphertext, relinearise_to};

use crate::{Model, Operand, Operations, Scheme, SchemeError, State, state::not_above};

impl<S: Scheme> Model<S> {
    /// Returns the level that a ciphertext of two components is best switched to: below the primes that only hold noise.
    ///
    /// Switching divides the noise B by q, but never below the rounding noise. A prime is dropped if that wastes less than half
    /// of it, and only if the result stays decryptable. So with primes of about a product's growth each product costs one
    /// prime.
    pub fn settled(&self, state: &State<S>) -> Level {
        self.switched_while(state, f64::sqrt)
    }

    /// Returns the level of [`Model::settled`], but drops a prime only if that wastes less than a seventh of a bit of it.
    ///
    /// Use it for long chains of products with ciphertexts of little noise, which the remaining noise doesn't harm.
    pub fn lossless(&self, state: &State<S>) -> Level {
        self.switched_while(state, |prime| prime / 1.1)
    }

    /// The level above the first prime whose dropping takes less from the noise than a factor that follows from the prime.
    fn switched_while(&self, state: &State<S>, least: impl Fn(f64) -> f64) -> Level {
        let mut settled = state.clone();
        while settled.level > Level(0) {
            let prime = self.scheme().rlwe().q(settled.level).modulus(settled.level.0).value() as f64;
            let Ok(below) = self.switch_to(&settled, Level(settled.level.0 - 1)) else { break };
            if below.noise > settled.noise * least(prime).recip() {
                break;
            }
            settled = below;
        }
        settled.level
    }
}

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
        V::produce(self, &[left, right], state, |ab, _| Ok(self.params().tensor(&ab[0].rlwe, &ab[1].rlwe)))
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
        V::produce(self, &[left, right].concat(), state, |operands, _| {
            let polynomials: Vec<&RlweCiphertext> = operands.iter().map(|operand| &operand.rlwe).collect();
            let (left, right) = polynomials.split_at(left.len());
            Ok(self.params().tensor_sum(left, right))
        })
    }

    /// Squares a ciphertext into three components. Noise and errors: as for [`Operations::multiply_without_relinearise`].
    pub fn square_without_relinearise(&self, a: &V) -> Result<V, SchemeError> {
        let state = self.product(a, a)?;
        V::produce(self, &[a], state, |a, _| Ok(self.params().tensor_square(&a[0].rlwe)))
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

    /// Relinearises to two components and switches to the level that suits the noise ([`Model::settled`]), in one step. Noise
    /// and errors: as for [`Operations::relinearise`] and [`Operations::switch_to`].
    pub fn relinearise_settled(&self, product: V) -> Result<V, SchemeError> {
        self.relinearise_at(product, |state| Ok(self.model().settled(state)))
    }

    /// Relinearises as [`Operations::relinearise_settled`] does, but switches to the level of [`Model::lossless`].
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
    pub(crate) fn relinearise_at(
        &self,
        mut product: V,
        level: impl FnOnce(&State<S>) -> Result<Level, SchemeError>,
    ) -> Result<V, SchemeError> {
        let before = self.state(&product)?;
        if product.parts() == Some(2) {
            let level = level(before)?;
            return self.switch_to(&product, level);
        }
        let state = self.model().key_switch(before)?;
        let level = level(&state)?;
        if level < before.level && !S::SWITCHES_BY_DIVISION {
            let relinearised = self.relinearise(product)?;
            return self.switch_to(&relinearised, level);
        }
        let state = self.model().switch_to(&state, level)?;
        product.overwrite(self, &[], state, |product, _, keys| {
            let rlwe = self.params().rlwe();
            let key = keys.relinearisation(rlwe, product.level())?;
            let parts = RlweCiphertext { parts: mem::take(&mut product.rlwe.parts) };
            product.rlwe = relinearise_to(rlwe, parts, key, level)?;
            Ok(())
        })?;
        Ok(product)
    }

    /// What is known of a product of three parts.
    fn product(&self, left: &V, right: &V) -> Result<State<S>, SchemeError> {
        let (left, right) = (self.two_parts(left)?, self.two_parts(right)?);
        left.of_one_level(right)?;
        self.model().check(self.params().product(self.model().lattice(), left, right))
    }
}
