//! Ciphertexts.

use asanoha_lattice::{Level, Norm, RlweCiphertext};

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
    pub factor: u64,
    /// Bound on the canonical norm of v = c₀ + c₁·s + …, message included; the ciphertext decrypts while that is below
    /// Q/2.
    pub noise: Norm,
}

impl BgvCiphertext {
    /// From parts that came out of a file: `None` unless there are two or three and the factor is a unit modulo t.
    pub fn from_checked_parts(
        params: &BgvParams,
        rlwe: RlweCiphertext,
        factor: u64,
        noise: Norm,
    ) -> Option<Self> {
        let unit = (1..params.plaintext_modulus().value()).contains(&factor);
        (unit && (2..=3).contains(&rlwe.parts.len())).then_some(Self { rlwe, factor, noise })
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.rlwe.level()
    }

    /// What noise prediction goes by.
    pub fn state(&self) -> NoiseState {
        NoiseState { level: self.level(), factor: self.factor, noise: self.noise }
    }

    /// Refuses a product that wasn't relinearised.
    pub(crate) fn two_parts(&self) -> Result<(), BgvError> {
        match self.rlwe.parts.len() {
            2 => Ok(()),
            parts => Err(BgvError::NotRelinearised { parts }),
        }
    }
}
