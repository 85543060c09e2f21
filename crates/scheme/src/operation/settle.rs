//! Products that settle at their level: for circuits that don't plan their levels.

use asanoha_lattice::Level;

use crate::{Ciphertext, Evaluator, Exact, Model, SchemeError, State};

impl<S: Exact> Model<S> {
    /// The level that a ciphertext of two parts is best switched to: below the ones whose primes only hold noise.
    ///
    /// Switching brings the noise B down to B/q, but never below the rounding's. A prime is dropped where that wastes less
    /// than half of it, so that with primes of about a product's growth each product costs one, and only where the result
    /// stays decryptable.
    pub fn settled(&self, state: &State<S>) -> Level {
        let mut settled = state.clone();
        while settled.level > Level(0) {
            let prime = self.scheme().rlwe().q(settled.level).modulus(settled.level.0).value() as f64;
            let Ok(below) = self.switch_to(&settled, 2, Level(settled.level.0 - 1)) else { break };
            if below.noise > settled.noise * prime.sqrt().recip() {
                break;
            }
            settled = below;
        }
        settled.level
    }

    /// A product of operands of one level that is relinearised and switched to the level that suits its noise.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`], [`SchemeError::OutOfModulus`].
    pub fn multiply_settled(&self, left: &State<S>, right: &State<S>) -> Result<State<S>, SchemeError> {
        let level = left.level.min(right.level);
        let (left, right) = (self.switch_to(left, 2, level)?, self.switch_to(right, 2, level)?);
        self.relinearise_settled(&self.multiply_without_relinearise(&left, &right)?)
    }

    /// A relinearisation and a switch to the level that suits the noise.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn relinearise_settled(&self, product: &State<S>) -> Result<State<S>, SchemeError> {
        let state = self.key_switch(product)?;
        let level = self.settled(&state);
        self.switch_to(&state, 2, level)
    }
}

impl<S: Exact> Evaluator<S> {
    /// left·right, relinearised and switched to the level that suits its noise ([`Model::settled`]), in one step. The
    /// operand of the higher level is brought to the lower one.
    ///
    /// Noise: at most that of [`Evaluator::multiply`] and [`Evaluator::switch_to`].
    ///
    /// # Errors
    /// [`SchemeError::NotRelinearised`], [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`].
    pub fn multiply_settled(
        &self,
        left: &Ciphertext<S>,
        right: &Ciphertext<S>,
    ) -> Result<Ciphertext<S>, SchemeError> {
        let level = left.level().min(right.level());
        self.keys().relinearisation(self.params().rlwe(), level)?;
        let (left, right) = (self.lowered(left, level)?, self.lowered(right, level)?);
        self.relinearise_settled(self.multiply_without_relinearise(&left, &right)?)
    }

    /// A product of three parts relinearised and switched to the level that suits its noise.
    pub(super) fn relinearise_settled(&self, product: Ciphertext<S>) -> Result<Ciphertext<S>, SchemeError> {
        let key = self.keys().relinearisation(self.params().rlwe(), product.level())?;
        let state = self.model.relinearise_settled(product.state())?;
        Ok(self.with_state(self.params().rlwe().relinearise_to(product.rlwe, key, state.level)?, state))
    }
}
