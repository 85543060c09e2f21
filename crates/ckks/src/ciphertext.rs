//! Plaintexts and ciphertexts.

use asanoha_lattice::{Level, RlweCiphertext};
use asanoha_ring::{Evaluation, Poly};

use crate::{CkksError, NoiseState, PlainState};

/// An encoded vector: the polynomial whose values at the slots' roots are scale·zⱼ, rounded.
#[derive(Clone, Debug)]
pub struct CkksPlaintext {
    /// The polynomial, modulo the primes of its level.
    pub poly: Poly<Evaluation>,
    /// The factor between values and coefficients.
    pub scale: f64,
    /// Bound on the absolute values of the slots. Ciphertexts made from the plaintext say it to everyone.
    pub bound: f64,
}

impl CkksPlaintext {
    /// The level.
    pub fn level(&self) -> Level {
        Level(self.poly.basis().len() - 1)
    }

    /// What noise prediction knows of it.
    pub fn state(&self) -> PlainState {
        PlainState { scale: self.scale, bound: self.bound }
    }

    /// Announces a larger bound than the largest value that's there, which is what an encoder announces. The bound
    /// of a ciphertext is public: take the bound of the kind of data (2.5 metres), not the data's own.
    ///
    /// # Errors
    /// [`CkksError::BoundTooSmall`] if it isn't finite or is below the values.
    pub fn with_bound(self, bound: f64) -> Result<Self, CkksError> {
        if bound.is_finite() && bound >= self.bound {
            Ok(Self { bound, ..self })
        } else {
            Err(CkksError::BoundTooSmall { bound, largest: self.bound })
        }
    }
}

/// An encrypted vector of N/2 complex numbers.
///
/// It decrypts to scale·z + e; `noise` bounds the norm of e in the canonical embedding, so that each slot is wrong by
/// at most noise/scale, and `bound` bounds the absolute values of the zⱼ.
#[derive(Clone, Debug)]
pub struct CkksCiphertext {
    /// The parts.
    pub rlwe: RlweCiphertext,
    /// The factor between values and coefficients.
    pub scale: f64,
    /// Bound on the absolute values of the slots.
    pub bound: f64,
    /// Bound on the norm of the noise, in scaled units.
    pub noise: f64,
}

impl CkksCiphertext {
    pub(crate) fn new(rlwe: RlweCiphertext, state: NoiseState) -> Self {
        debug_assert_eq!(rlwe.level(), state.level);
        Self { rlwe, scale: state.scale, bound: state.bound, noise: state.noise }
    }

    pub(crate) fn set_state(&mut self, state: NoiseState) {
        self.noise = state.noise;
        self.scale = state.scale;
        self.bound = state.bound;
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.rlwe.level()
    }

    /// The factor between values and coefficients.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Bound on the absolute values of the slots.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// log2 of the noise bound in scaled units.
    pub fn noise_bits(&self) -> f64 {
        self.noise.log2()
    }

    /// Bound on the error of every slot: noise/scale. Decoding adds the rounding of double precision, about 2^−50
    /// of the bound.
    pub fn error_bound(&self) -> f64 {
        self.noise / self.scale
    }

    /// What noise prediction knows of it.
    pub fn state(&self) -> NoiseState {
        NoiseState { level: self.level(), scale: self.scale, bound: self.bound, noise: self.noise }
    }
}
