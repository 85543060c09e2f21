//! Ciphertexts.

use asanoha_lattice::{Level, Norm, RlweCiphertext};

use crate::{Approximate, Model, Scheme, SchemeError, State, not_above, same_parameters};

/// An encrypted vector of numbers, with its parameters, level, message state and noise bound.
///
/// Operations of other parameters refuse it with [`SchemeError::OtherParameters`].
#[derive(Clone, Debug)]
pub struct Ciphertext<S: Scheme> {
    /// (c₀, c₁, …).
    pub(crate) rlwe: RlweCiphertext,
    pub(crate) state: State<S>,
    scheme: S,
}

impl<S: Scheme> Ciphertext<S> {
    pub(crate) fn new(scheme: &S, rlwe: RlweCiphertext, state: State<S>) -> Self {
        debug_assert_eq!(rlwe.level(), state.level);
        Self { rlwe, state, scheme: scheme.clone() }
    }

    /// Creates a ciphertext from components that were read from a file. The caller answers for the state: its noise bound can't
    /// be checked.
    ///
    /// # Errors
    /// [`SchemeError::UnsoundCiphertext`] unless there are two or three parts modulo the primes of the state's level and the
    /// message is one; [`SchemeError::LevelTooHigh`] above the level of fresh ciphertexts, where scales aren't defined;
    /// [`SchemeError::OutOfModulus`] if a ciphertext of that state doesn't decrypt.
    pub fn from_checked_parts(
        scheme: &S,
        rlwe: RlweCiphertext,
        state: State<S>,
    ) -> Result<Self, SchemeError> {
        let unsound = |problem| SchemeError::UnsoundCiphertext { problem };
        if !rlwe.is_of(scheme.rlwe()) || rlwe.level() != state.level {
            return Err(unsound(
                "there must be two or three polynomials modulo the primes of one level, the state's",
            ));
        }
        not_above(state.level, scheme.max_level())?;
        scheme.check_message(&state.message).map_err(unsound)?;
        let state = Model::new(scheme).check(state)?;
        Ok(Self::new(scheme, rlwe, state))
    }

    /// Returns the polynomials.
    pub fn rlwe(&self) -> &RlweCiphertext {
        &self.rlwe
    }

    /// Returns the parameters that the ciphertext belongs to.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// Returns the state that noise prediction uses: level, noise bound and message.
    pub fn state(&self) -> &State<S> {
        &self.state
    }

    /// Returns the level.
    pub fn level(&self) -> Level {
        self.state.level
    }

    /// Returns a bound on the canonical norm of the noise.
    pub fn noise(&self) -> Norm {
        self.state.noise
    }

    /// Returns how the polynomials carry the message: BGV's correction factor, CKKS's scale and bound.
    pub fn message(&self) -> &S::Message {
        &self.state.message
    }

    /// Returns the noise budget, in bits: operations fail if it would run out.
    pub fn noise_budget_bits(&self) -> f64 {
        Model::new(&self.scheme).budget_bits(&self.state)
    }

    /// Returns the number of polynomials: two, or three in a product that isn't relinearised.
    pub fn parts(&self) -> usize {
        self.rlwe.parts.len()
    }

    /// Checks that the ciphertext belongs to the given parameters.
    ///
    /// # Errors
    /// [`SchemeError::OtherParameters`].
    pub fn of(&self, scheme: &S) -> Result<(), SchemeError> {
        same_parameters(scheme, &self.scheme)
    }

    /// Checks that level, noise bound, scale and factor are those that [`crate::Model`] predicts for a computation.
    ///
    /// # Errors
    /// [`SchemeError::UnsoundCiphertext`].
    pub fn check_state(&self, expected: &State<S>) -> Result<(), SchemeError> {
        let problem = "its level, noise or scale isn't what the computation gives";
        if self.state() == expected { Ok(()) } else { Err(SchemeError::UnsoundCiphertext { problem }) }
    }
}

impl<S: Approximate> Ciphertext<S> {
    /// Returns the scale: the factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        self.state.scale()
    }

    /// Returns a bound on the absolute values of the slots.
    pub fn bound(&self) -> f64 {
        self.state.bound()
    }

    /// Returns a bound on the error of every slot: noise over scale. Decoding adds the rounding of double precision, about
    /// 2^−50 of the bound.
    pub fn error_bound(&self) -> f64 {
        self.state.error_bound()
    }

    /// Lowers the bound on the values to one that the caller knows. A wider bound than the ciphertext's own changes nothing.
    ///
    /// The caller answers for the bound: if a value exceeds it, decryption reports a wrong key.
    ///
    /// # Errors
    /// [`SchemeError::InvalidBound`] if it's negative or not a number.
    pub fn narrow_bound(self, bound: f64) -> Result<Self, SchemeError> {
        Ok(Self { state: self.state.narrow_bound(bound)?, ..self })
    }
}
