//! The keys that a server evaluates with.

use std::{collections::BTreeMap, ops::RangeInclusive};

use asanoha_ring::{GaloisElement, Sampler, Seed};
use rayon::prelude::*;
use thiserror::Error;

use crate::{GaloisKey, KeyId, KeyName, KeySwitchKey, Level, RlweParams, SecretKey};

/// A key that isn't there, or not as it's needed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MissingKey {
    /// The relinearisation key.
    #[error("the keys hold no relinearisation key: generate them with one")]
    Relinearisation,
    /// The key of a rotation, in slots.
    #[error(
        "the keys hold none for rotation by {rotation}{}; present are {present:?}: generate it too",
        if *swapped { " with the rows swapped" } else { "" }
    )]
    Rotation {
        /// The rotation asked for.
        rotation: i64,
        /// Whether the conjugation (the row swap) was asked for at once.
        swapped: bool,
        /// The rotations of that kind that there are keys for.
        present: Vec<i64>,
    },
    /// The key of the conjugation or row swap.
    #[error("the keys hold none for the conjugation (the row swap); generate it too")]
    Conjugation,
    /// The key was made for lower levels.
    #[error(
        "{key} is there for ciphertexts up to level {present}, and one of level {needed} needs it: generate it for level {needed}"
    )]
    Level {
        /// The key.
        key: KeyName,
        /// The highest level that it can be used at.
        present: usize,
        /// The level that it's needed at.
        needed: usize,
    },
    /// The key was made for ciphertexts of other levels, which have keys of their own.
    #[error(
        "{key} is there for other levels, and one of level {needed} needs it: levels {lowest} to {highest} have keys of their own; generate it for level {highest}"
    )]
    Tier {
        /// The key.
        key: KeyName,
        /// The level that it's needed at.
        needed: usize,
        /// The lowest level with the same keys.
        lowest: usize,
        /// The highest.
        highest: usize,
    },
    /// The key was made for another ring.
    #[error("{key} was made for another ring degree or other primes: use the keys of these parameters")]
    OtherParameters {
        /// The key.
        key: KeyName,
    },
    /// The key stands in a file that could be read before, and now can't; the message names it.
    #[error("{0}")]
    Unreadable(String),
}

impl MissingKey {
    /// The key of a name isn't there for a level, but for others.
    pub(crate) fn tier(params: &RlweParams, key: KeyName, needed: Level) -> Self {
        let levels = params.levels_of_keys(needed);
        Self::Tier { key, needed: needed.0, lowest: levels.start().0, highest: levels.end().0 }
    }

    // By value, as errors are mapped.
    #[allow(clippy::needless_pass_by_value)]
    pub(crate) fn unreadable(error: std::io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Which keys are needed, each up to which level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyLevels(BTreeMap<(KeyName, usize), Level>);

impl KeyLevels {
    /// The relinearisation key is needed at a level too.
    pub fn add_relinearisation(&mut self, params: &RlweParams, level: Level) {
        self.add(params, KeyName::Relinearisation, level);
    }

    /// The relinearisation keys are needed at every level of a range too.
    pub fn add_relinearisations(&mut self, params: &RlweParams, levels: RangeInclusive<Level>) {
        let (lowest, highest) = levels.into_inner();
        let tops = params.tier_levels().filter(|top| (lowest..highest).contains(top));
        tops.chain([highest]).for_each(|level| self.add_relinearisation(params, level));
    }

    /// The key of an automorphism is needed at a level too; the identity needs none.
    pub fn add_automorphism(&mut self, params: &RlweParams, element: GaloisElement, level: Level) {
        if element != GaloisElement(1) {
            self.add(params, KeyName::Galois(element), level);
        }
    }

    fn add(&mut self, params: &RlweParams, name: KeyName, level: Level) {
        let highest = self.0.entry((name, params.tier(level))).or_insert(level);
        *highest = level.max(*highest);
    }

    /// The keys and their levels; a name is there once for each tier of keys that is needed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (KeyName, Level)> + '_ {
        self.0.iter().map(|(&(name, _), &level)| (name, level))
    }

    /// Bytes of the keys, the uniform halves included.
    pub fn bytes(&self, params: &RlweParams) -> usize {
        self.0.values().map(|&level| params.key_bytes(level)).sum()
    }
}

/// Relinearisation and Galois keys: what a server needs to evaluate. Of every name there is a key for each tier of
/// levels ([`crate::KeyTier`]) at which it's needed.
#[derive(Clone, Debug, Default)]
pub struct EvaluationKeys {
    /// The name of their key generation.
    pub id: KeyId,
    /// For products, by tier.
    relinearisation: BTreeMap<usize, KeySwitchKey>,
    /// For rotations and the conjugation, by tier.
    galois: BTreeMap<(GaloisElement, usize), GaloisKey>,
}

impl EvaluationKeys {
    /// No keys, of a key generation.
    pub fn of(id: KeyId) -> Self {
        Self { id, ..Self::default() }
    }

    /// Keys of every level for the given automorphisms, but for the identity, and for products.
    pub fn generate(
        params: &RlweParams,
        secret: &SecretKey,
        elements: impl IntoIterator<Item = GaloisElement>,
        relinearisation: bool,
        sampler: &mut Sampler,
    ) -> Self {
        let mut levels = KeyLevels::default();
        for element in elements {
            params.tier_levels().for_each(|level| levels.add_automorphism(params, element, level));
        }
        if relinearisation {
            params.tier_levels().for_each(|level| levels.add_relinearisation(params, level));
        }
        Self::generate_levels(params, secret, &levels, sampler)
    }

    /// Keys up to the given levels; on all threads, each key from a stream of its own, which its name and level decide.
    ///
    /// # Panics
    /// If a level is above [`RlweParams::max_level`].
    pub fn generate_levels(
        params: &RlweParams,
        secret: &SecretKey,
        levels: &KeyLevels,
        sampler: &mut Sampler,
    ) -> Self {
        let (seed, levels): (Seed, Vec<_>) = (sampler.seed(), levels.iter().collect());
        let key = |&(name, level): &(KeyName, Level)| {
            KeySwitchKey::generate(params, name, level, secret, &mut Sampler::new(&seed))
        };
        let keys: Vec<KeySwitchKey> = levels.par_iter().map(key).collect();
        let mut all = Self::of(secret.id());
        keys.into_iter().for_each(|key| all.insert(params, key));
        all
    }

    /// Adds a key, in place of one of the same name and tier.
    pub fn insert(&mut self, params: &RlweParams, key: KeySwitchKey) {
        let tier = params.tier(key.level());
        match key.name() {
            KeyName::Relinearisation => _ = self.relinearisation.insert(tier, key),
            KeyName::Galois(g) => _ = self.galois.insert((g, tier), GaloisKey::new(params, g, key)),
        }
    }

    /// All keys, those for products first.
    pub fn iter(&self) -> impl Iterator<Item = &KeySwitchKey> {
        self.relinearisation.values().chain(self.galois.values().map(|key| &key.key))
    }

    /// The automorphisms that there are keys for, at one level at least, in rising order.
    pub fn elements(&self) -> Vec<GaloisElement> {
        let mut elements: Vec<GaloisElement> = self.galois.keys().map(|&(g, _)| g).collect();
        elements.dedup();
        elements
    }

    /// The relinearisation key for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Relinearisation`], [`MissingKey::Tier`].
    pub fn relinearisation(&self, params: &RlweParams, level: Level) -> Result<&KeySwitchKey, MissingKey> {
        self.relinearisation.get(&params.tier(level)).ok_or_else(|| {
            if self.relinearisation.is_empty() {
                MissingKey::Relinearisation
            } else {
                MissingKey::tier(params, KeyName::Relinearisation, level)
            }
        })
    }

    /// The key of an automorphism for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Rotation`], [`MissingKey::Conjugation`], [`MissingKey::Tier`].
    pub fn automorphism(
        &self,
        params: &RlweParams,
        g: GaloisElement,
        level: Level,
    ) -> Result<&GaloisKey, MissingKey> {
        let tier = params.tier(level);
        self.galois.get(&(g, tier)).ok_or_else(|| {
            if self.galois.range((g, 0)..=(g, usize::MAX)).next().is_some() {
                return MissingKey::tier(params, KeyName::Galois(g), level);
            }
            let n = params.ring_degree();
            let rotations = || 0..n as i64 / 2;
            let conjugation = GaloisElement::conjugation(n);
            if g == conjugation {
                return MissingKey::Conjugation;
            }
            let swapped = g.0 % 4 == 3;
            let element = |k| {
                let rotation = GaloisElement::rotation(n, k);
                if swapped { rotation.compose(conjugation, n) } else { rotation }
            };
            let present = rotations().filter(|&k| self.galois.contains_key(&(element(k), tier))).collect();
            let rotation = rotations().find(|&k| element(k) == g).expect("odd exponents are ±5^k");
            MissingKey::Rotation { rotation, swapped, present }
        })
    }

    /// The key of a rotation by so many slots to the left, for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Rotation`], [`MissingKey::Tier`].
    pub fn rotation(
        &self,
        params: &RlweParams,
        rotation: i64,
        level: Level,
    ) -> Result<&GaloisKey, MissingKey> {
        let g = GaloisElement::rotation(params.ring_degree(), rotation);
        self.automorphism(params, g, level).map_err(|missing| match missing {
            MissingKey::Rotation { swapped, present, .. } => {
                MissingKey::Rotation { rotation, swapped, present }
            }
            other => other,
        })
    }

    /// The key of the conjugation or row swap for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Conjugation`], [`MissingKey::Tier`].
    pub fn conjugation(&self, params: &RlweParams, level: Level) -> Result<&GaloisKey, MissingKey> {
        self.automorphism(params, GaloisElement::conjugation(params.ring_degree()), level)
    }

    /// Whether these keys are there, each of its level or a higher one.
    ///
    /// # Errors
    /// The first that isn't.
    pub fn require(&self, params: &RlweParams, levels: &KeyLevels) -> Result<(), MissingKey> {
        levels.iter().try_for_each(|(name, level)| {
            let key = match name {
                KeyName::Relinearisation => self.relinearisation(params, level)?,
                KeyName::Galois(g) => &self.automorphism(params, g, level)?.key,
            };
            key.at(params, level).map(|_| ())
        })
    }

    /// Bytes of the keys, the uniform halves included, wherever they stand.
    pub fn bytes(&self) -> usize {
        self.relinearisation.values().map(KeySwitchKey::bytes).sum::<usize>()
            + self.galois.values().map(GaloisKey::bytes).sum::<usize>()
    }
}
