//! The literal of ring parameters, and its check.

use std::sync::Arc;

use asanoha_ring::{Backend, Basis, RingError};
use num_integer::Integer;
use num_traits::One;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Inner, KeyTier, NoiseFactor, RlweParams, level::LevelParams};
use crate::{NoiseModel, largest_log2_modulus, largest_sparse_log2_modulus, security_bits};

/// The security that parameters must have unless they are marked insecure, in bits.
const REQUIRED_SECURITY: u32 = 128;

/// The largest number of primes, special primes included: more than any secure modulus has.
const MAX_PRIMES: usize = 512;

/// Ring parameters as they are written down, unchecked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RlweLiteral {
    /// The number of coefficients N, a power of two.
    pub ring_degree: usize,
    /// The primes of the ciphertext modulus, q₀ first. Modulus switching drops the last.
    pub q_primes: Vec<u64>,
    /// The primes of the special modulus P of key switching.
    pub p_primes: Vec<u64>,
    /// The number of digits that key switching decomposes the ciphertext modulus into; 0 where no key is switched. Then
    /// P may be as narrow as encryption, which divides by its first prime, lets it be, and a key switch would leave noise of
    /// nearly the size of the modulus, which noise bounds count.
    pub digits: usize,
    /// The noise factor: t in BGV, 1 elsewhere.
    pub noise_factor: NoiseFactor,
    /// Keys of their own for ciphertexts of lower levels, in strictly rising order of level, all below the highest
    /// level. A ciphertext is switched with the keys of the first tier whose level is at least its own; above all
    /// tiers, with keys that have the whole special modulus and the digits of this literal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<KeyTier>,
    /// Allows keys to and from a sparse ephemeral secret at level 0, for bootstrapping
    /// ([`crate::KeyLevels::add_encapsulation`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub encapsulated: bool,
    /// Allows parameters below 128-bit security, and marks everything made with them as insecure.
    #[serde(default)]
    pub insecure: bool,
}

/// The reason why a literal is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParamsError {
    /// A prime or the ring degree isn't supported.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// There are more primes than parameters may have.
    #[error(
        "{found} primes are more than the {MAX_PRIMES} that parameters may have; no secure modulus needs as many"
    )]
    TooManyPrimes {
        /// The number of primes, special primes included.
        found: usize,
    },
    /// log2(QP) is above the bound of the security table.
    #[error(
        "log2(QP) = {log2_qp:.1} at ring degree {ring_degree} has {found}-bit security; 128 bits allow at most {largest} (set insecure: true only in tests)"
    )]
    Insecure {
        /// The ring degree.
        ring_degree: usize,
        /// log2 of the whole modulus QP.
        log2_qp: f64,
        /// The estimated security in bits.
        found: u32,
        /// The largest log2(QP) that would be secure, 0 if none is.
        largest: u32,
    },
    /// There are more digits than primes, or tiers without digits.
    #[error(
        "{digits} digits don't divide {primes} primes; choose 1 to {primes}, or 0 and no key tiers where no key is switched"
    )]
    Digits {
        /// The number of digits asked for.
        digits: usize,
        /// The number of primes of the ciphertext modulus.
        primes: usize,
    },
    /// The special modulus is too small for the digits.
    #[error("log2(P) = {log2_p:.1} must exceed the largest digit's {log2_digit:.1} bits by 4 bits")]
    SpecialModulus {
        /// log2 of P.
        log2_p: f64,
        /// log2 of the largest digit.
        log2_digit: f64,
    },
    /// A tier whose level isn't above that of the tier before, or isn't below the highest level.
    #[error(
        "key tier {tier} serves ciphertexts up to level {level}: tiers rise, this one from level {least} on, and end below the highest level, {highest}"
    )]
    TierLevel {
        /// The index of the tier.
        tier: usize,
        /// The highest level that the tier serves.
        level: usize,
        /// The lowest value that this may have.
        least: usize,
        /// The highest level of the parameters.
        highest: usize,
    },
    /// A tier without special primes, or with more than there are.
    #[error("key tier {tier} takes {special} special primes; choose 1 to {count}")]
    TierSpecial {
        /// The index of the tier.
        tier: usize,
        /// The number of its special primes.
        special: usize,
        /// The number of all special primes.
        count: usize,
    },
    /// A tier whose digits have no primes, or more than its levels have.
    #[error("key tier {tier} has digits of {digit_primes} primes; choose 1 to {count}")]
    TierDigits {
        /// The index of the tier.
        tier: usize,
        /// The number of primes of a digit.
        digit_primes: usize,
        /// The number of ciphertext primes of the tier's highest level.
        count: usize,
    },
    /// The special modulus of a tier is too small for its digits.
    #[error(
        "key tier {tier} has a special modulus of {log2_p:.1} bits, which must exceed its largest digit's {log2_digit:.1} bits by 4 bits"
    )]
    TierModulus {
        /// The index of the tier.
        tier: usize,
        /// log2 of its special modulus.
        log2_p: f64,
        /// log2 of its largest digit.
        log2_digit: f64,
    },
    /// The keys to the sparse secret of bootstrapping would be too large to be secure.
    #[error(
        "keys to the sparse secret of bootstrapping have log2(q₀·P) = {log2_modulus:.1}, and ring degree {ring_degree} allows {largest}: give level 0 a key tier with fewer special primes (0: no figure is known)"
    )]
    SparseModulus {
        /// log2 of the modulus of the keys of level 0.
        log2_modulus: f64,
        /// The ring degree.
        ring_degree: usize,
        /// The largest that is secure, 0 if none is known.
        largest: u32,
    },
    /// The noise factor is zero, or shares a factor with a prime of the moduli.
    #[error("noise factor {0} must be a positive whole number without a common factor with the primes")]
    NoiseFactor(NoiseFactor),
}

impl RlweLiteral {
    /// The literal with a ring degree, ciphertext primes (q₀ first), special primes and a number of digits. It isn't
    /// marked insecure, has noise factor 1 and no tiers.
    pub fn new(ring_degree: usize, q_primes: Vec<u64>, p_primes: Vec<u64>, digits: usize) -> Self {
        Self {
            ring_degree,
            q_primes,
            p_primes,
            digits,
            noise_factor: NoiseFactor::default(),
            tiers: Vec::new(),
            encapsulated: false,
            insecure: false,
        }
    }

    /// Allows keys to and from a sparse ephemeral secret at level 0.
    #[must_use]
    pub fn encapsulated(self) -> Self {
        Self { encapsulated: true, ..self }
    }

    /// Marks the literal insecure, which allows parameters below 128-bit security.
    #[must_use]
    pub fn insecure(self) -> Self {
        Self { insecure: true, ..self }
    }

    /// Checks the literal and builds the parameters, with the kernels of `backend`; [`Backend::detect`] chooses one.
    pub fn check(self, backend: Backend) -> Result<RlweParams, ParamsError> {
        let primes = self.q_primes.len();
        // Cheap checks come first: a literal from a file may hold anything.
        let all: Vec<u64> = self.q_primes.iter().chain(&self.p_primes).copied().collect();
        if all.len() > MAX_PRIMES {
            return Err(ParamsError::TooManyPrimes { found: all.len() });
        }
        if primes == 0 || self.digits > primes || self.digits == 0 && !self.tiers.is_empty() {
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

        // The greatest common divisor of zero and QP is QP, so this refuses zero too.
        if !self.noise_factor.value().gcd(&qp.product()).is_one() {
            return Err(ParamsError::NoiseFactor(self.noise_factor));
        }

        self.check_layouts()?;
        let noise = NoiseModel::new(self.ring_degree);
        let layouts = self.layouts(&p);
        if self.encapsulated && !self.insecure {
            let log2_modulus = q.range(0..1).log2_product() + layouts[0].p.log2_product();
            let largest = largest_sparse_log2_modulus(self.ring_degree).unwrap_or(0);
            if log2_modulus > f64::from(largest) {
                let ring_degree = self.ring_degree;
                return Err(ParamsError::SparseModulus { log2_modulus, ring_degree, largest });
            }
        }
        let levels = layouts
            .iter()
            .flat_map(|layout| layout.levels.clone().map(|level| LevelParams::new(&q, layout, level)))
            .collect();
        let text = serde_json::to_string(&self).expect("plain data");
        let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        Ok(RlweParams(Arc::new(Inner { literal: self, digest, noise, q, p, qp, layouts, levels })))
    }
}
