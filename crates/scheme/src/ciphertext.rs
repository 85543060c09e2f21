//! Ciphertexts.

use asanoha_lattice::{Level, Norm, RlweCiphertext};

use crate::{Approximate, Model, Scheme, SchemeError, State, same_parameters};

/// Encrypted numbers.
///
/// It knows its parameters, and every operation of others refuses it with [`SchemeError::OtherParameters`]; and it carries a
/// level, how its message stands in it, and a noise bound.
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

    /// From parts that came out of a file. The state is taken at its word: who trusts it has computed it.
    ///
    /// # Errors
    /// [`SchemeError::UnsoundCiphertext`] unless there are two or three parts modulo the primes of the state's level and the
    /// message is one; [`SchemeError::OutOfModulus`] if a ciphertext of that state doesn't decrypt.
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
        scheme.check_message(&state.message).map_err(unsound)?;
        let state = Model::new(scheme).check(state)?;
        Ok(Self::new(scheme, rlwe, state))
    }

    /// The polynomials.
    pub fn rlwe(&self) -> &RlweCiphertext {
        &self.rlwe
    }

    /// The parameters that it belongs to.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// What noise prediction knows of it.
    pub fn state(&self) -> &State<S> {
        &self.state
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.state.level
    }

    /// Bound on the canonical norm of the noise.
    pub fn noise(&self) -> Norm {
        self.state.noise
    }

    /// How the message stands in the polynomials: BGV's correction factor, CKKS's scale and bound.
    pub fn message(&self) -> &S::Message {
        &self.state.message
    }

    /// How many bits of the modulus its noise leaves: operations fail where that would end.
    pub fn noise_budget_bits(&self) -> f64 {
        Model::new(&self.scheme).budget_bits(&self.state)
    }

    /// The number of polynomials: two, or three in a product that isn't relinearised.
    pub fn parts(&self) -> usize {
        self.rlwe.parts.len()
    }

    /// Refuses a ciphertext of other parameters.
    ///
    /// # Errors
    /// [`SchemeError::OtherParameters`].
    pub fn of(&self, scheme: &S) -> Result<(), SchemeError> {
        same_parameters(scheme, &self.scheme)
    }
}

impl<S: Approximate> Ciphertext<S> {
    /// The factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        self.state.scale()
    }

    /// Bound on the absolute values of the slots.
    pub fn bound(&self) -> f64 {
        self.state.bound()
    }

    /// Bound on the error of every slot: noise over scale. Decoding adds the rounding of double precision, about 2^−50 of
    /// the bound.
    pub fn error_bound(&self) -> f64 {
        self.state.error_bound()
    }

    /// The same ciphertext, whose values are known to be within a bound, which the caller answers for: a value beyond it
    /// is taken for that of a wrong key at decryption. A wider bound than the ciphertext's own changes nothing.
    ///
    /// # Errors
    /// [`SchemeError::InvalidBound`] if it's negative or not a number.
    pub fn narrow_bound(self, bound: f64) -> Result<Self, SchemeError> {
        Ok(Self { state: self.state.narrow_bound(bound)?, ..self })
    }
}
