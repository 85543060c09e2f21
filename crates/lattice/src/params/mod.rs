//! Ring parameters: an unchecked literal, and checked parameters with their bases and tables.

mod level;
mod literal;
mod noise_factor;
mod tiers;

use std::{ops::RangeInclusive, sync::Arc};

use asanoha_ring::{Basis, Divider, PackedPoly};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use self::level::{LevelParams, LevelTables};
use self::{level::residue, tiers::Layout};
pub use self::{
    literal::{ParamsError, RlweLiteral},
    noise_factor::NoiseFactor,
    tiers::{KeyTier, SPECIAL_MARGIN_BITS, choose_tiers},
};
use crate::{NoiseModel, security_bits, sparse_security_bits};

/// The level of a ciphertext whose polynomials are modulo q₀ … q_level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Level(pub usize);

/// The error of an operation that needs more levels than its operand has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the operation needs a ciphertext of level {needed}, and this one has level {found}: ask for parameters of more depth()"
)]
pub struct LevelTooLow {
    /// The lowest level at which the operation would be possible.
    pub needed: usize,
    /// The level of the operand.
    pub found: usize,
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
    layouts: Vec<Layout>,
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

    /// The sizes of the digits of a level, as log2.
    pub(crate) fn log2_digits(&self, level: Level) -> Vec<f64> {
        let LevelParams { q, digits, .. } = self.level(level.0);
        digits.iter().map(|range| q.range(range.clone()).log2_product()).collect()
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
