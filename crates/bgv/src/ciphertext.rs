//! Ciphertexts.

use asanoha_lattice::{Level, Norm, RlweCiphertext};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;

use crate::{BgvError, BgvParams, NoiseState};

/// An encrypted vector of integers modulo t.
#[derive(Clone, Debug)]
pub struct BgvCiphertext {
    /// (c₀, c₁, …).
    pub rlwe: RlweCiphertext,
    /// The correction factor f modulo t: the message is f⁻¹·v modulo t.
    ///
    /// Switching the modulus by D multiplies v, modulo t, by D⁻¹, and so f; products multiply the factors. Carried
    /// along, it costs no noise until two ciphertexts of different factors are added.
    pub factor: BigUint,
    /// Bound on the canonical norm of v = c₀ + c₁·s + …, message included; the ciphertext decrypts while that is below
    /// Q/2.
    pub noise: Norm,
    params: BgvParams,
}

impl BgvCiphertext {
    pub(crate) fn new(params: &BgvParams, rlwe: RlweCiphertext, state: NoiseState) -> Self {
        debug_assert_eq!(rlwe.level(), state.level);
        Self { rlwe, factor: state.factor, noise: state.noise, params: params.clone() }
    }

    /// From parts that came out of a file: `None` unless there are two or three and the factor is a unit modulo t.
    pub fn from_checked_parts(
        params: &BgvParams,
        rlwe: RlweCiphertext,
        factor: BigUint,
        noise: Norm,
    ) -> Option<Self> {
        let t = params.plaintext_modulus();
        let sound = factor < *t && factor.gcd(t).is_one() && (2..=3).contains(&rlwe.parts.len());
        sound.then(|| Self { rlwe, factor, noise, params: params.clone() })
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
