//! Plaintexts and ciphertexts.

use asanoha_lattice::{Level, RlweCiphertext};
use asanoha_ring::{Evaluation, Poly};

use crate::{CkksError, CkksNoise, CkksParams, NoiseState, PlainState};

/// An encoded vector: the polynomial whose values at the slots' roots are scale·zⱼ, rounded.
#[derive(Clone, Debug)]
pub struct CkksPlaintext {
    pub(crate) poly: Poly<Evaluation>,
    state: PlainState,
    params: CkksParams,
}

impl CkksPlaintext {
    pub(crate) fn new(params: &CkksParams, poly: Poly<Evaluation>, state: PlainState) -> Self {
        Self { poly, state, params: params.clone() }
    }

    /// The polynomial, modulo the primes of its level.
    pub fn poly(&self) -> &Poly<Evaluation> {
        &self.poly
    }

    /// The level.
    pub fn level(&self) -> Level {
        Level(self.poly.basis().len() - 1)
    }

    /// The factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        self.state.scale
    }

    /// Bound on the absolute values of the slots, as it was given to the encoder. Ciphertexts made from the plaintext
    /// say it to everyone.
    pub fn bound(&self) -> f64 {
        self.state.bound
    }

    /// What noise prediction knows of it.
    pub fn state(&self) -> PlainState {
        self.state
    }

    /// Refuses a plaintext of other parameters.
    pub(crate) fn of(&self, params: &CkksParams) -> Result<(), CkksError> {
        same_params(params, &self.params)
    }
}

/// An encrypted vector of N/2 complex numbers.
///
/// It decrypts to scale·z + e; its state bounds the norm of e in the canonical embedding, so that each slot is wrong by
/// at most noise/scale, and the absolute values of the zⱼ. It knows its parameters, and every operation of others
/// refuses it with [`CkksError::OtherParameters`].
#[derive(Clone, Debug)]
pub struct CkksCiphertext {
    pub(crate) rlwe: RlweCiphertext,
    state: NoiseState,
    params: CkksParams,
}

impl CkksCiphertext {
    pub(crate) fn new(params: &CkksParams, rlwe: RlweCiphertext, state: NoiseState) -> Self {
        debug_assert_eq!(rlwe.level(), state.level);
        Self { rlwe, state, params: params.clone() }
    }

    /// From parts that came out of a file. The state is taken at its word: who trusts it has computed it.
    ///
    /// # Errors
    /// [`CkksError::UnsoundCiphertext`] unless there are two or three parts modulo the primes of the state's level, a
    /// positive scale, and a bound and a noise that aren't negative, all finite; [`CkksError::OutOfModulus`] if a
    /// ciphertext of that state doesn't decrypt.
    pub fn from_checked_parts(
        params: &CkksParams,
        rlwe: RlweCiphertext,
        state: NoiseState,
    ) -> Result<Self, CkksError> {
        let unsound = |problem| Err(CkksError::UnsoundCiphertext { problem });
        if !rlwe.is_of(params.rlwe()) || rlwe.level() != state.level {
            return unsound(
                "there must be two or three polynomials modulo the primes of one level, the state's",
            );
        }
        if !(state.scale.is_finite() && state.scale > 0.0) {
            return unsound("the scale must be positive and finite");
        }
        let is_size = |size: f64| size.is_finite() && size >= 0.0;
        if !(is_size(state.bound) && is_size(state.noise)) {
            return unsound("bound and noise must be finite and not negative");
        }
        let state = CkksNoise::new(params).check(state)?;
        Ok(Self::new(params, rlwe, state))
    }

    pub(crate) fn set_state(&mut self, state: NoiseState) {
        self.state = state;
    }

    /// The same ciphertext, whose values are known to be within a bound, which the caller answers for: a value beyond it
    /// is taken for that of a wrong key at decryption. A wider bound than the ciphertext's own changes nothing.
    ///
    /// # Errors
    /// [`CkksError::InvalidBound`] if it's negative or not a number.
    pub fn narrow_bound(self, bound: f64) -> Result<Self, CkksError> {
        Ok(Self { state: self.state.narrow_bound(bound)?, ..self })
    }

    /// The polynomials.
    pub fn rlwe(&self) -> &RlweCiphertext {
        &self.rlwe
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.state.level
    }

    /// The factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        self.state.scale
    }

    /// Bound on the absolute values of the slots.
    pub fn bound(&self) -> f64 {
        self.state.bound
    }

    /// Bound on the canonical norm of the noise, in scaled units.
    pub fn noise(&self) -> f64 {
        self.state.noise
    }

    /// log2 of the noise bound in scaled units.
    pub fn noise_bits(&self) -> f64 {
        self.state.noise.log2()
    }

    /// Bound on the error of every slot: noise/scale. Decoding adds the rounding of double precision, about 2^−50
    /// of the bound.
    pub fn error_bound(&self) -> f64 {
        self.state.noise / self.state.scale
    }

    /// What noise prediction knows of it.
    pub fn state(&self) -> NoiseState {
        self.state
    }

    /// Refuses a product that wasn't relinearised.
    pub(crate) fn two_parts(&self) -> Result<(), CkksError> {
        match self.rlwe.parts.len() {
            2 => Ok(()),
            parts => Err(CkksError::NotRelinearised { parts }),
        }
    }

    /// Refuses a ciphertext of other parameters.
    pub(crate) fn of(&self, params: &CkksParams) -> Result<(), CkksError> {
        same_params(params, &self.params)
    }
}

/// Refuses parameters that aren't the ones expected. It compares two pointers, or digests where the parameters were
/// checked apart.
pub(crate) fn same_params(expected: &CkksParams, found: &CkksParams) -> Result<(), CkksError> {
    if expected == found {
        return Ok(());
    }
    let digest = |params: &CkksParams| params.digest().to_owned();
    Err(CkksError::OtherParameters { expected: digest(expected), found: digest(found) })
}
