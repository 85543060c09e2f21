//! Ciphertexts.

use asanoha_lattice::{Level, Norm, RlweCiphertext};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;

use crate::{BgvError, BgvNoise, BgvParams, NoiseState};

/// An encrypted vector of integers modulo t.
#[derive(Clone, Debug)]
pub struct BgvCiphertext {
    /// (c₀, c₁, …).
    pub(crate) rlwe: RlweCiphertext,
    /// The correction factor f modulo t: the message is f⁻¹·v modulo t.
    ///
    /// Switching the modulus by D multiplies v, modulo t, by D⁻¹, and so f; products multiply the factors. Carried
    /// along, it costs no noise until two ciphertexts of different factors are added.
    pub(crate) factor: BigUint,
    /// Bound on the canonical norm of v = c₀ + c₁·s + …, message included; the ciphertext decrypts while that is below
    /// Q/2.
    pub(crate) noise: Norm,
    params: BgvParams,
}

impl BgvCiphertext {
    pub(crate) fn new(params: &BgvParams, rlwe: RlweCiphertext, state: NoiseState) -> Self {
        debug_assert_eq!(rlwe.level(), state.level);
        Self { rlwe, factor: state.factor, noise: state.noise, params: params.clone() }
    }

    /// From parts that came out of a file. The state is taken at its word: who trusts it has computed it.
    ///
    /// # Errors
    /// [`BgvError::UnsoundCiphertext`] unless there are two or three parts modulo the primes of the state's level and the
    /// factor is a unit modulo t; [`BgvError::OutOfModulus`] if a ciphertext of that state doesn't decrypt.
    pub fn from_checked_parts(
        params: &BgvParams,
        rlwe: RlweCiphertext,
        state: NoiseState,
    ) -> Result<Self, BgvError> {
        let unsound = |problem| Err(BgvError::UnsoundCiphertext { problem });
        if !rlwe.is_of(params.rlwe()) || rlwe.level() != state.level {
            return unsound(
                "there must be two or three polynomials modulo the primes of one level, the state's",
            );
        }
        let t = params.plaintext_modulus();
        if state.factor >= *t || !state.factor.gcd(t).is_one() {
            return unsound("the correction factor must be a unit modulo t");
        }
        let state = BgvNoise::new(params).check(state)?;
        Ok(Self::new(params, rlwe, state))
    }

    /// The polynomials.
    pub fn rlwe(&self) -> &RlweCiphertext {
        &self.rlwe
    }

    /// The correction factor modulo t.
    pub fn factor(&self) -> &BigUint {
        &self.factor
    }

    /// Bound on the canonical norm of what decryption reduces modulo t, message included.
    pub fn noise(&self) -> Norm {
        self.noise
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.rlwe.level()
    }

    /// What noise prediction goes by.
    pub fn state(&self) -> NoiseState {
        NoiseState { level: self.level(), factor: self.factor.clone(), noise: self.noise }
    }

    /// Refuses a product that wasn't relinearised.
    pub(crate) fn two_parts(&self) -> Result<(), BgvError> {
        match self.rlwe.parts.len() {
            2 => Ok(()),
            parts => Err(BgvError::NotRelinearised { parts }),
        }
    }

    /// Refuses a ciphertext of other parameters.
    pub(crate) fn of(&self, params: &BgvParams) -> Result<(), BgvError> {
        same_params(params, &self.params)
    }
}

pub(crate) fn same_params(expected: &BgvParams, found: &BgvParams) -> Result<(), BgvError> {
    if expected == found {
        return Ok(());
    }
    Err(BgvError::OtherParameters {
        expected: expected.plaintext_modulus().clone(),
        found: found.plaintext_modulus().clone(),
    })
}
