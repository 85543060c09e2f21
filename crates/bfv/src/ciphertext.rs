//! Ciphertexts.

use asanoha_lattice::{Level, Norm, RlweCiphertext};

use crate::{BfvError, BfvNoise, BfvParams, NoiseState};

/// An encrypted plaintext.
#[derive(Clone, Debug)]
pub struct BfvCiphertext {
    /// (c₀, c₁, …).
    pub(crate) rlwe: RlweCiphertext,
    /// Bound on the canonical norm of its noise; the ciphertext decrypts while that is below [`crate::BfvNoise::available_bits`].
    pub(crate) noise: Norm,
    params: BfvParams,
}

impl BfvCiphertext {
    pub(crate) fn new(params: &BfvParams, rlwe: RlweCiphertext, state: NoiseState) -> Self {
        debug_assert_eq!(rlwe.level(), state.level);
        Self { rlwe, noise: state.noise, params: params.clone() }
    }

    /// From parts that came out of a file. The state is taken at its word: who trusts it has computed it.
    ///
    /// # Errors
    /// [`BfvError::UnsoundCiphertext`] unless there are two or three parts modulo the primes of the state's level;
    /// [`BfvError::OutOfModulus`] if a ciphertext of that state doesn't decrypt.
    pub fn from_checked_parts(
        params: &BfvParams,
        rlwe: RlweCiphertext,
        state: NoiseState,
    ) -> Result<Self, BfvError> {
        if !rlwe.is_of(params.rlwe()) || rlwe.level() != state.level {
            let problem =
                "there must be two or three polynomials modulo the primes of one level, the state's";
            return Err(BfvError::UnsoundCiphertext { problem });
        }
        let state = BfvNoise::new(params).check(state)?;
        Ok(Self::new(params, rlwe, state))
    }

    /// The polynomials.
    pub fn rlwe(&self) -> &RlweCiphertext {
        &self.rlwe
    }

    /// Bound on the canonical norm of its noise.
    pub fn noise(&self) -> Norm {
        self.noise
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.rlwe.level()
    }

    /// What noise prediction goes by.
    pub fn state(&self) -> NoiseState {
        NoiseState { level: self.level(), noise: self.noise }
    }

    /// Refuses a product that wasn't relinearised.
    pub(crate) fn two_parts(&self) -> Result<(), BfvError> {
        match self.rlwe.parts.len() {
            2 => Ok(()),
            parts => Err(BfvError::NotRelinearised { parts }),
        }
    }

    /// Refuses a ciphertext of other parameters.
    pub(crate) fn of(&self, params: &BfvParams) -> Result<(), BfvError> {
        same_params(params, &self.params)
    }
}

pub(crate) fn same_params(expected: &BfvParams, found: &BfvParams) -> Result<(), BfvError> {
    if expected == found {
        return Ok(());
    }
    let modulus = |params: &BfvParams| params.literal().plaintext_modulus.to_string();
    Err(BfvError::OtherParameters { expected: modulus(expected), found: modulus(found) })
}
