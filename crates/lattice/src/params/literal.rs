//! Ring parameters as written down, and their check.

use std::sync::Arc;

use asanoha_ring::{Backend, Basis, RingError};
use num_integer::Integer;
use num_traits::One;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Inner, KeyTier, NoiseFactor, RlweParams, level::LevelParams};
use crate::{NoiseModel, largest_log2_modulus, security_bits};

/// The security that parameters must have unless they say that they're insecure.
const REQUIRED_SECURITY: u32 = 128;

/// The most primes of parameters, those of the special modulus included: more than any secure modulus has.
const MAX_PRIMES: usize = 512;

/// Ring parameters as written down, unchecked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RlweLiteral {
    /// The number of coefficients N, a power of two.
    pub ring_degree: usize,
    /// The primes of the ciphertext modulus, q₀ first; modulus switching drops the last.
    pub q_primes: Vec<u64>,
    /// The primes of the special modulus P of key switching.
    pub p_primes: Vec<u64>,
    /// Into how many digits key switching cuts the ciphertext modulus.
    pub digits: usize,
    /// The factor of the noise: t in BGV, 1 elsewhere.
    pub noise_factor: NoiseFactor,
    /// Keys of their own for ciphertexts of lower levels, in strictly rising order of level, all below the highest.
    /// A ciphertext is switched with the keys of the first tier that serves its level, above all tiers with those
    /// that the special modulus and the digits of this literal make.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<KeyTier>,
    /// Allows parameters below 128-bit security; everything made with them says so.
    #[serde(default)]
    pub insecure: bool,
}

/// What's wrong with a literal.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParamsError {
    /// A prime or the ring degree.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// More primes than parameters may have.
    #[error(
        "{found} primes are more than the {MAX_PRIMES} that parameters may have; no secure modulus needs as many"
    )]
    TooManyPrimes {
        /// The number of primes, those of the special modulus included.
        found: usize,
    },
    /// log2(QP) is above the security table's bound.
    #[error(
        "log2(QP) = {log2_qp:.1} at ring degree {ring_degree} has {found}-bit security; 128 bits allow at most {largest} (set insecure: true only in tests)"
    )]
    Insecure {
        /// The ring degree.
        ring_degree: usize,
        /// The size of the whole modulus.
        log2_qp: f64,
        /// The estimated security.
        found: u32,
        /// The largest size that would do, 0 if no modulus does.
        largest: u32,
    },
    /// No digits, or more digits than primes.
    #[error("{digits} digits don't divide {primes} primes; choose 1 to {primes}")]
    Digits {
        /// Digits asked for.
        digits: usize,
        /// Primes of the ciphertext modulus.
        primes: usize,
    },
    /// The special modulus is too small for the digits.
    #[error("log2(P) = {log2_p:.1} must exceed the largest digit's {log2_digit:.1} bits by 4 bits")]
    SpecialModulus {
        /// The size of P.
        log2_p: f64,
        /// The size of the largest digit.
        log2_digit: f64,
    },
    /// A tier that doesn't rise above the one before, or that leaves no level above it.
    #[error(
        "key tier {tier} serves ciphertexts up to level {level}: tiers rise, this one from level {least} on, and end below the highest level, {highest}"
    )]
    TierLevel {
        /// The tier's place.
        tier: usize,
        /// Its highest level.
        level: usize,
        /// The lowest level that it may have.
        least: usize,
        /// The highest level of all.
        highest: usize,
    },
    /// A tier without special primes, or of more than there are.
    #[error("key tier {tier} takes {special} special primes; choose 1 to {count}")]
    TierSpecial {
        /// The tier's place.
        tier: usize,
        /// Its special primes.
        special: usize,
        /// The special primes that there are.
        count: usize,
    },
    /// A tier with empty digits, or of more primes than its levels have.
    #[error("key tier {tier} has digits of {digit_primes} primes; choose 1 to {count}")]
    TierDigits {
        /// The tier's place.
        tier: usize,
        /// Primes of a digit.
        digit_primes: usize,
        /// The ciphertext primes of its highest level.
        count: usize,
    },
    /// The special modulus of a tier is too small for its digits.
    #[error(
        "key tier {tier} has a special modulus of {log2_p:.1} bits, which must exceed its largest digit's {log2_digit:.1} bits by 4 bits"
    )]
    TierModulus {
        /// The tier's place.
        tier: usize,
        /// The size of its special modulus.
        log2_p: f64,
        /// The size of its largest digit.
        log2_digit: f64,
    },
    /// The noise factor is zero, or shares a factor with the moduli.
    #[error("noise factor {0} must be a positive whole number without a common factor with the primes")]
    NoiseFactor(NoiseFactor),
}

impl RlweLiteral {
    /// The literal of a ring, its ciphertext primes (q₀ first), its special primes and the number of digits: secure,
    /// with noise factor 1 and without tiers.
    pub fn new(ring_degree: usize, q_primes: Vec<u64>, p_primes: Vec<u64>, digits: usize) -> Self {
        let noise_factor = NoiseFactor::default();
        Self { ring_degree, q_primes, p_primes, digits, noise_factor, tiers: Vec::new(), insecure: false }
    }

    /// Allows parameters below 128-bit security.
    #[must_use]
    pub fn insecure(self) -> Self {
        Self { insecure: true, ..self }
    }

    /// Checks the literal and builds the tables, with the kernels that [`Backend::detect`] would choose replaced
    /// by the given ones.
    pub fn check(self, backend: Backend) -> Result<RlweParams, ParamsError> {
        let primes = self.q_primes.len();
        // What is cheap to check comes first: a literal out of a file may say anything.
        let all: Vec<u64> = self.q_primes.iter().chain(&self.p_primes).copied().collect();
        if all.len() > MAX_PRIMES {
            return Err(ParamsError::TooManyPrimes { found: all.len() });
        }
        if self.digits == 0 || self.digits > primes {
            return Err(ParamsError::Digits { digits: self.digits, primes });
        }
        if self.p_primes.is_empty() {
            return Err(RingError::Empty.into());
        }
        let log2_qp = all.iter().map(|&prime| (prime as f64).log2()).sum();
        let found = security_bits(self.ring_degree, log2_qp);
        if found < REQUIRED_SECURITY && !self.insecure {
            let largest = largest_log2_modulus(self.ring_degree, REQUIRED_SECURITY).unwrap_or(0);
            return Err(ParamsError::Insecure { ring_degree: self.ring_degree, log2_qp, found, largest });
        }
        let qp = Basis::new(self.ring_degree, &all, backend)?;
        let (q, p) = (qp.range(0..primes), qp.range(primes..all.len()));

        // Nothing but the whole modulus divides zero, so that this refuses it too.
        if !self.noise_factor.value().gcd(&qp.product()).is_one() {
            return Err(ParamsError::NoiseFactor(self.noise_factor));
        }

        self.check_layouts()?;
        let noise = NoiseModel::new(self.ring_degree);
        let layouts = self.layouts(&p);
        let levels = layouts
            .iter()
            .flat_map(|layout| layout.levels.clone().map(|level| LevelParams::new(&q, layout, level)))
            .collect();
        let text = serde_json::to_string(&self).expect("plain data");
        let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        Ok(RlweParams(Arc::new(Inner { literal: self, digest, noise, q, p, qp, layouts, levels })))
    }
}
