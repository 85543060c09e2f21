//! Ring parameters: an unchecked literal, and checked parameters with their bases and tables.

mod error;
mod level;
mod level_params;
mod noise_factor;
mod tiers;

use std::{ops::RangeInclusive, sync::Arc};

use asanoha_ring::{Backend, Basis, Divider, PackedPoly, RingError};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;
use serde::{Deserialize, Serialize};

pub(crate) use self::level_params::{LevelParams, LevelTables};
use self::{
    error::MAX_PRIMES,
    level_params::residue,
    tiers::{Decomposition, TierLayout},
};
pub use self::{
    error::ParamsError,
    level::{Level, LevelTooLow},
    noise_factor::NoiseFactor,
    tiers::{KeyTier, SPECIAL_MARGIN_BITS, choose_tiers},
};
use crate::{
    FileHeader, KeyId, NoiseModel, largest_log2_modulus, largest_sparse_log2_modulus,
    security::largest_kept_sparse_log2_modulus, security_bits, security_is_extrapolated,
    sparse_security_bits,
};

/// The security that parameters must have unless they are marked insecure, in bits.
const REQUIRED_SECURITY: u32 = 128;

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
    /// The layouts of the tiers, followed by the one above all tiers.
    layouts: Vec<TierLayout>,
    levels: Vec<LevelParams>,
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
        self.check_up_to(backend, largest_sparse_log2_modulus)
    }

    /// Checks the literal of a kept plan as [`Self::check`] does, but allows a key to the sparse secret as large as parameter sets had
    /// before the estimate counted Meet-LWE. [`RlweParams::security_bits`] states the bits that are left, which can be below 128.
    ///
    /// # Errors
    /// Those of [`Self::check`].
    pub fn check_kept(self, backend: Backend) -> Result<RlweParams, ParamsError> {
        self.check_up_to(backend, largest_kept_sparse_log2_modulus)
    }

    /// Checks the literal, whose key to the sparse secret has a modulus of at most `largest_sparse` of the ring degree.
    fn check_up_to(
        self,
        backend: Backend,
        largest_sparse: fn(usize) -> Option<u32>,
    ) -> Result<RlweParams, ParamsError> {
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

        self.decomposition().check()?;
        let noise = NoiseModel::new(self.ring_degree);
        let layouts = self.decomposition().layouts(&p);
        if self.encapsulated && !self.insecure {
            let log2_modulus = q.range(0..1).log2_product() + layouts[0].p.log2_product();
            let largest = largest_sparse(self.ring_degree).unwrap_or(0);
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

    /// This literal with the tiers that [`choose_tiers`] proposes.
    ///
    /// # Panics
    /// If there are no ciphertext primes or no digits.
    #[must_use]
    pub fn with_tiers(self) -> Self {
        Self { tiers: choose_tiers(&self.q_primes, &self.p_primes, self.digits), ..self }
    }

    /// The work of one key switch at each of the given levels, in conversions of one prime's residues to another prime;
    /// for comparing literals.
    ///
    /// # Panics
    /// If there are no digits.
    pub fn switch_work(&self, levels: impl IntoIterator<Item = Level>) -> u64 {
        self.decomposition().switch_work(levels)
    }

    fn decomposition(&self) -> Decomposition<'_> {
        let Self { q_primes, p_primes, digits, tiers, .. } = self;
        Decomposition { q_primes, p_primes, digits: *digits, tiers }
    }
}

impl RlweParams {
    /// The literal that these parameters were made from.
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

    /// The highest level, that of fresh ciphertexts.
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

    /// The special primes that the keys of any level have.
    pub fn p(&self) -> &Basis {
        &self.0.p
    }

    /// The special primes of the keys for ciphertexts of a level: the first ones of [`RlweParams::p`].
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`].
    pub fn special(&self, level: Level) -> &Basis {
        &self.0.levels[level.0].p
    }

    /// The number of ciphertext primes in each digit of a level, apart from the last digit, which may have fewer.
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`].
    pub fn digit_primes(&self, level: Level) -> usize {
        self.0.levels[level.0].digits[0].len()
    }

    /// The levels whose ciphertexts use the same keys as those of a level, at most one key of each name. Without tiers
    /// these are all levels. Levels above the highest count as the highest.
    pub fn levels_of_keys(&self, level: Level) -> RangeInclusive<Level> {
        let levels = &self.0.layouts[self.tier(level)].levels;
        Level(*levels.start())..=Level(*levels.end())
    }

    /// The index of the layout for a level.
    pub(crate) fn tier(&self, level: Level) -> usize {
        let above = self.0.layouts.partition_point(|layout| *layout.levels.end() < level.0);
        above.min(self.0.layouts.len() - 1)
    }

    /// The highest level of each layout, those of the tiers first.
    pub(crate) fn tier_levels(&self) -> impl DoubleEndedIterator<Item = Level> + ExactSizeIterator {
        self.0.layouts.iter().map(|layout| Level(*layout.levels.end()))
    }

    /// The largest number of special primes that keys of a level or of a lower one have.
    pub(crate) fn most_special(&self, level: Level) -> usize {
        let layouts = self.0.layouts.iter().take(self.tier(level) + 1);
        layouts.map(|layout| layout.p.len()).max().expect("there's one layout at least")
    }

    /// All primes, the ciphertext primes first.
    pub fn qp(&self) -> &Basis {
        &self.0.qp
    }

    /// log2 of the whole modulus, which decides the security.
    pub fn log2_qp(&self) -> f64 {
        self.0.qp.log2_product()
    }

    /// Bytes in memory of a key-switching key for ciphertexts up to a level, the uniform halves included.
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`].
    pub fn key_bytes(&self, level: Level) -> usize {
        let LevelParams { digits, qp, .. } = self.level(level.0);
        2 * digits.len() * PackedPoly::bytes(qp)
    }

    /// The classical security of these parameters in bits: the least of all keys, by the security table of 2024, or extrapolated from
    /// it (see [`crate::security_is_extrapolated`]), and for a key under a sparse secret by [`sparse_security_bits`].
    pub fn security_bits(&self) -> u32 {
        let dense = security_bits(self.ring_degree(), self.log2_qp());
        let sparse = self.log2_sparse_modulus().map(|log2| sparse_security_bits(self.ring_degree(), log2));
        sparse.map_or(dense, |sparse| dense.min(sparse))
    }

    /// log2 of the modulus of the key to the sparse secret, if the parameters allow one: that of q₀ and of the special primes at the
    /// lowest level.
    pub fn log2_sparse_modulus(&self) -> Option<f64> {
        let lowest = &self.0.layouts[0];
        self.0.literal.encapsulated.then(|| self.0.q.range(0..1).log2_product() + lowest.p.log2_product())
    }

    /// The noise factor: t in BGV, 1 elsewhere.
    pub fn noise_factor(&self) -> &BigUint {
        self.0.literal.noise_factor.value()
    }

    /// The noise model of these parameters; its bounds are in units of the noise factor.
    pub fn noise(&self) -> &NoiseModel {
        &self.0.noise
    }

    /// The primes of public keys: all ciphertext primes and the first special prime, by which encryption divides.
    pub(crate) fn public_key_basis(&self) -> Basis {
        self.0.qp.range(0..self.0.q.len() + 1)
    }

    /// The norm of the noise of a public-key encryption, by a noise model, in units of the noise factor: the noise of
    /// the public key's and the encryption's errors over the first special prime, plus that of the rounding.
    pub fn fresh_public_noise(&self, model: &NoiseModel) -> f64 {
        model.fresh_public() / self.p().modulus(0).value() as f64 + model.rounding(2)
    }

    /// The norm of the noise that one key switch adds at a level, in units of the noise factor.
    pub fn key_switch_noise(&self, level: Level) -> f64 {
        self.switch_sum_noise(self.noise(), level, 1)
    }

    /// The norm of the noise that `switches` key switches with one mod-down add at a level, by a noise model, in units
    /// of the noise factor. No two of them use the same key, so the norm grows with the square root of their number.
    pub fn switch_sum_noise(&self, model: &NoiseModel, level: Level, switches: usize) -> f64 {
        self.extended_switch_noise(model, level, switches) + model.rounding(2)
    }

    /// As [`RlweParams::switch_sum_noise`], but before the mod-down.
    pub(crate) fn extended_switch_noise(&self, model: &NoiseModel, level: Level, switches: usize) -> f64 {
        model.key_switches(switches, &self.log2_digits(level), self.special(level).log2_product())
    }

    /// The norm of the noise that a sum of products with images has beside the terms', in units of the noise factor: the
    /// division's rounding, and two key switches' with one mod-down.
    pub fn image_product_noise(&self, model: &NoiseModel, to: Level) -> f64 {
        model.rounding_image_product() + self.switch_sum_noise(model, to, 2)
    }

    /// The same if parts are switched by images that have some noise, their mod-down's included. The last part's image is
    /// multiplied by s, and so is its noise.
    pub(crate) fn image_noise(&self, model: &NoiseModel, to: Level, image: f64) -> f64 {
        let relinearisation = self.extended_switch_noise(model, to, 1);
        model.rounding_image_product() + (1.0 + model.secret()) * image + relinearisation
    }

    /// The norm of the noise that an image has beside its source's when it is masked, in units of the noise factor.
    pub fn masked_image_noise(&self, model: &NoiseModel, level: Level) -> f64 {
        self.extended_switch_noise(model, level, 1)
    }

    /// The sizes of the digits of a level, as log2.
    pub(crate) fn log2_digits(&self, level: Level) -> Vec<f64> {
        let LevelParams { q, digits, .. } = self.level(level.0);
        digits.iter().map(|range| q.range(range.clone()).log2_product()).collect()
    }

    /// The parameters of the keys that give those of a level: the level's primes, its special ones among them, are ciphertext
    /// primes there, in some digits, beside further special primes. Secrets are the same ones.
    ///
    /// # Errors
    /// [`ParamsError`]: all primes together must be as secure as these parameters are, and the special modulus exceed the
    /// digits.
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`].
    pub fn of_master_keys(
        &self,
        level: Level,
        special: Vec<u64>,
        digits: usize,
    ) -> Result<Self, ParamsError> {
        let primes = self.level(level.0).qp.primes().collect();
        let literal = RlweLiteral {
            noise_factor: self.literal().noise_factor.clone(),
            insecure: self.literal().insecure,
            ..RlweLiteral::new(self.ring_degree(), primes, special, digits)
        };
        literal.check(self.qp().backend())
    }

    /// The header of a file of the given kind that belongs to these parameters. `digest` is that of the scheme's
    /// parameters.
    pub fn file_header(&self, digest: &str, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader {
        FileHeader {
            kind: kind.into(),
            params: digest.into(),
            key,
            security_bits: self.security_bits(),
            security_extrapolated: security_is_extrapolated(self.ring_degree()),
            insecure: self.literal().insecure,
            seeded: key.is_seeded(),
            fields,
        }
    }

    /// Division by D, the product of the primes above level `to`, which keeps the residue modulo the noise factor up to
    /// the factor D⁻¹: modulus switching and rescaling.
    pub fn divide(
        &self,
        x: asanoha_ring::Poly<asanoha_ring::Evaluation>,
        to: Level,
    ) -> asanoha_ring::Poly<asanoha_ring::Evaluation> {
        let from = Level(x.basis().len() - 1);
        if to == from { x } else { self.divider(from, to).divide(x) }
    }

    /// Division by the primes above level `to`, up to those of level `from`.
    pub(crate) fn divider(&self, from: Level, to: Level) -> &Divider {
        self.tables(from.0).dividers[to.0].get_or_init(|| {
            let dropped = self.q(from).range(to.0 + 1..from.0 + 1);
            Divider::new(self.q(to), &dropped, |prime| residue(self.noise_factor(), prime))
        })
    }

    /// Division by P and the primes above level `to`, up to those of level `from`, at once.
    pub(crate) fn special_divider(&self, from: Level, to: Level) -> &Divider {
        self.tables(from.0).special_dividers[to.0].get_or_init(|| {
            let qp = &self.level(from.0).qp;
            let dropped = qp.range(to.0 + 1..qp.len());
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
        params.tables.get_or_init(|| LevelTables::new(params, self.noise_factor()))
    }
}
