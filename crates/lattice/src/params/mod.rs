//! Parameters: an unchecked literal becomes checked parameters with all their tables.

mod noise_factor;

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use asanoha_ring::{Backend, Basis, Converter, Divider, PackedPoly, RingError, Scalar};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use self::noise_factor::NoiseFactor;
use crate::{NoiseModel, largest_log2_modulus, security_bits};

/// The special modulus P must exceed the largest digit by so many bits.
pub const SPECIAL_MARGIN_BITS: f64 = 4.0;

/// The security that parameters must have unless they say that they're insecure.
const REQUIRED_SECURITY: u32 = 128;

/// The most primes of parameters, those of the special modulus included: more than any secure modulus has.
const MAX_PRIMES: usize = 512;

/// The level of a ciphertext: it stands modulo q₀ … q_level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Level(pub usize);

/// An operation that needs more levels than its operand has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the operation needs a ciphertext of level {needed}, and this one has level {found}: plan for more levels"
)]
pub struct LevelTooLow {
    /// The lowest level that would do.
    pub needed: usize,
    /// The operand's level.
    pub found: usize,
}

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
    /// The noise factor is zero, or shares a factor with the moduli.
    #[error("noise factor {0} must be a positive whole number without a common factor with the primes")]
    NoiseFactor(NoiseFactor),
}

/// Checked ring parameters with their bases, converters and dividers. Cloning shares them.
#[derive(Clone)]
pub struct RlweParams(Arc<Inner>);

struct Inner {
    literal: RlweLiteral,
    digest: String,
    noise: NoiseModel,
    q: Basis,
    p: Basis,
    qp: Basis,
    levels: Vec<LevelParams>,
}

/// What belongs to one level.
#[derive(Debug)]
pub(crate) struct LevelParams {
    pub(crate) q: Basis,
    pub(crate) qp: Basis,
    /// The positions of every digit's primes.
    pub(crate) digits: Vec<Range<usize>>,
    /// Made at the first use: planning looks at many parameters and computes with few.
    tables: OnceLock<LevelTables>,
    /// Division by the first special prime: who only encrypts needs no more.
    encryption: OnceLock<Divider>,
}

/// The conversions of one level.
#[derive(Debug)]
pub(crate) struct LevelTables {
    /// From every digit to the other primes of `qp`, in order.
    pub(crate) mod_up: Vec<Arc<Converter>>,
    pub(crate) mod_down: Divider,
    /// P modulo the ciphertext primes.
    pub(crate) special: Scalar,
    /// Division by the primes above every lower level.
    dividers: Vec<OnceLock<Divider>>,
    /// Division by P and the primes above every lower level.
    special_dividers: Vec<OnceLock<Divider>>,
}

impl RlweLiteral {
    /// The literal of a ring, its ciphertext primes (q₀ first), its special primes and the number of digits: secure, and
    /// with noise factor 1.
    pub fn new(ring_degree: usize, q_primes: Vec<u64>, p_primes: Vec<u64>, digits: usize) -> Self {
        let noise_factor = NoiseFactor::default();
        Self { ring_degree, q_primes, p_primes, digits, noise_factor, insecure: false }
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

        let log2_p = p.log2_product();
        let log2_digit =
            digit_ranges(primes, self.digits, primes).into_iter().map(|range| q.range(range).log2_product());
        let log2_digit = log2_digit.fold(0.0, f64::max);
        if log2_p < log2_digit + SPECIAL_MARGIN_BITS {
            return Err(ParamsError::SpecialModulus { log2_p, log2_digit });
        }

        let noise = NoiseModel::new(self.ring_degree);
        let levels = (0..primes).map(|level| LevelParams::new(&qp, &p, level, &self)).collect();
        let text = serde_json::to_string(&self).expect("plain data");
        let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        Ok(RlweParams(Arc::new(Inner { literal: self, digest, noise, q, p, qp, levels })))
    }
}

impl LevelParams {
    fn new(all: &Basis, p: &Basis, level: usize, literal: &RlweLiteral) -> Self {
        let q = all.range(0..level + 1);
        let digits = digit_ranges(level + 1, literal.digits, literal.q_primes.len());
        Self { qp: q.join(p), digits, q, tables: OnceLock::new(), encryption: OnceLock::new() }
    }
}

impl LevelTables {
    fn new(params: &LevelParams, p: &Basis, noise_factor: &BigUint) -> Self {
        let LevelParams { q, qp, digits, .. } = params;
        let factor = |prime: u64| residue(noise_factor, prime);
        let mod_up = digits
            .iter()
            .map(|range| {
                let before = (range.start > 0).then(|| qp.range(0..range.start));
                let after = qp.range(range.end..qp.len());
                let others = before.map_or(after.clone(), |before| before.join(&after));
                Arc::new(Converter::exact(&qp.range(range.clone()), &others))
            })
            .collect();
        let dividers = || (0..q.len() - 1).map(|_| OnceLock::new()).collect();
        Self {
            mod_up,
            mod_down: Divider::new(q, p, factor),
            special: Scalar::new(q, &BigInt::from(p.product())),
            dividers: dividers(),
            special_dividers: dividers(),
        }
    }
}

/// The positions of the digits' primes at a level of `count` primes, where all `primes` make `digits` digits.
fn digit_ranges(count: usize, digits: usize, primes: usize) -> Vec<Range<usize>> {
    let size = primes.div_ceil(digits);
    (0..count).step_by(size).map(|start| start..(start + size).min(count)).collect()
}

fn residue(value: &BigUint, q: u64) -> u64 {
    (value % q).to_u64().expect("below a word-sized modulus")
}

impl std::fmt::Debug for RlweParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RlweParams").field(&self.0.literal).finish()
    }
}

impl PartialEq for RlweParams {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest
    }
}

impl RlweParams {
    /// The literal that these parameters were made of.
    pub fn literal(&self) -> &RlweLiteral {
        &self.0.literal
    }

    /// A digest of the literal, which keys and ciphertexts carry.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// The number of coefficients N.
    pub fn ring_degree(&self) -> usize {
        self.0.literal.ring_degree
    }

    /// The level of fresh ciphertexts.
    pub fn max_level(&self) -> Level {
        Level(self.0.q.len() - 1)
    }

    /// The ciphertext primes of a level.
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`].
    pub fn q(&self, level: Level) -> &Basis {
        &self.0.levels[level.0].q
    }

    /// The special primes.
    pub fn p(&self) -> &Basis {
        &self.0.p
    }

    /// All primes, those of the ciphertexts first.
    pub fn qp(&self) -> &Basis {
        &self.0.qp
    }

    /// log2 of the whole modulus, which decides the security.
    pub fn log2_qp(&self) -> f64 {
        self.0.qp.log2_product()
    }

    /// Bytes in memory of a key switching key for ciphertexts up to a level, the uniform halves included.
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`].
    pub fn key_bytes(&self, level: Level) -> usize {
        let LevelParams { digits, qp, .. } = self.level(level.0);
        2 * digits.len() * PackedPoly::bytes(qp)
    }

    /// The security of these parameters in bits, by the 2024 table, or extrapolated from it (see
    /// [`crate::security_is_extrapolated`]).
    pub fn security_bits(&self) -> u32 {
        security_bits(self.ring_degree(), self.log2_qp())
    }

    /// The factor of the noise: t in BGV, 1 elsewhere.
    pub fn noise_factor(&self) -> &BigUint {
        self.0.literal.noise_factor.value()
    }

    /// The noise bounds of these parameters, in units of the noise factor.
    pub fn noise(&self) -> &NoiseModel {
        &self.0.noise
    }

    /// The primes of public keys: all ciphertext primes and the first special one, which encryption divides by.
    pub(crate) fn public_key_basis(&self) -> Basis {
        self.0.qp.range(0..self.0.q.len() + 1)
    }

    /// The norm of the noise of a public-key encryption, by a model, in units of the noise factor: that of the public
    /// key's and the encryption's errors over the first special prime, and the rounding's.
    pub fn fresh_public_noise(&self, model: &NoiseModel) -> f64 {
        model.fresh_public() / self.p().modulus(0).value() as f64 + model.rounding(2)
    }

    /// The norm of the noise that one key switch adds at a level, in units of the noise factor.
    pub fn key_switch_noise(&self, level: Level) -> f64 {
        self.switch_sum_noise(self.noise(), level, 1)
    }

    /// The norm of the noise that so many key switches with one mod-down add at a level, by a model, in units of the
    /// noise factor. No two of them have the same key, so that the norm grows with the root of their number.
    pub fn switch_sum_noise(&self, model: &NoiseModel, level: Level, switches: usize) -> f64 {
        self.extended_switch_noise(model, level, switches) + model.rounding(2)
    }

    /// As [`RlweParams::switch_sum_noise`], before the mod-down.
    pub(crate) fn extended_switch_noise(&self, model: &NoiseModel, level: Level, switches: usize) -> f64 {
        let LevelParams { q, digits, .. } = self.level(level.0);
        let log2_digits: Vec<f64> =
            digits.iter().map(|range| q.range(range.clone()).log2_product()).collect();
        model.key_switches(switches, &log2_digits, self.p().log2_product())
    }

    /// Division by the primes above level `to`, which keeps the residue modulo the noise factor up to the factor
    /// D⁻¹: modulus switching and rescaling.
    pub fn divide(
        &self,
        x: asanoha_ring::Poly<asanoha_ring::Evaluation>,
        to: Level,
    ) -> asanoha_ring::Poly<asanoha_ring::Evaluation> {
        let from = Level(x.basis().len() - 1);
        if to == from { x } else { self.divider(from, to).divide(x) }
    }

    /// Division by the primes above the level `to` up to those of `from`.
    pub(crate) fn divider(&self, from: Level, to: Level) -> &Divider {
        self.tables(from.0).dividers[to.0].get_or_init(|| {
            let dropped = self.q(from).range(to.0 + 1..from.0 + 1);
            Divider::new(self.q(to), &dropped, |prime| residue(self.noise_factor(), prime))
        })
    }

    /// Division by P and the primes from above the level `to` up to those of `from`, at once.
    pub(crate) fn special_divider(&self, from: Level, to: Level) -> &Divider {
        self.tables(from.0).special_dividers[to.0].get_or_init(|| {
            let dropped = self.level(from.0).qp.range(to.0 + 1..from.0 + 1 + self.p().len());
            Divider::new(self.q(to), &dropped, |prime| residue(self.noise_factor(), prime))
        })
    }

    /// Division by the first special prime.
    pub(crate) fn encryption_divider(&self, level: Level) -> &Divider {
        self.level(level.0).encryption.get_or_init(|| {
            Divider::new(self.q(level), &self.p().range(0..1), |prime| residue(self.noise_factor(), prime))
        })
    }

    pub(crate) fn level(&self, level: usize) -> &LevelParams {
        &self.0.levels[level]
    }

    pub(crate) fn tables(&self, level: usize) -> &LevelTables {
        let params = self.level(level);
        params.tables.get_or_init(|| LevelTables::new(params, self.p(), self.noise_factor()))
    }
}
