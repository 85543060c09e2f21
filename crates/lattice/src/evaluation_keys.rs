//! The keys that a server evaluates with.

use std::{
    collections::BTreeMap,
    io,
    ops::{ControlFlow, RangeInclusive},
    sync::atomic::{AtomicUsize, Ordering},
};

use asanoha_ring::{GaloisElement, Sampler, Seed, SwitchKey};
use rayon::prelude::*;
use thiserror::Error;

use crate::{GaloisKey, KeyId, KeyName, KeySwitchKey, Level, RlweParams, SecretKey};

/// The error of an operation whose evaluation key is missing or doesn't fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MissingKey {
    /// The relinearisation key.
    #[error("the keys hold no relinearisation key: make them with evaluation_keys().relinearise()")]
    Relinearisation,
    /// The key of a rotation.
    #[error(
        "the keys hold none for rotation by {rotation}{}; present are {present:?}: make them with evaluation_keys().rotate([{rotation}])",
        if *swapped { " with the rows swapped" } else { "" }
    )]
    Rotation {
        /// The rotation that was asked for, in slots to the left.
        rotation: i64,
        /// Whether it was asked for together with the conjugation (the row swap).
        swapped: bool,
        /// The rotations of that kind that there are keys for, in slots.
        present: Vec<i64>,
    },
    /// A key for products with images, or one of bootstrapping.
    #[error("the keys don't hold {0}: generate it too")]
    Absent(KeyName),
    /// The key of the conjugation (the row swap).
    #[error(
        "the keys hold none for the conjugation (the row swap): make them with evaluation_keys().swap_rows()"
    )]
    Conjugation,
    /// The key was made for lower levels only.
    #[error(
        "{key} is there for ciphertexts up to level {present}, and one of level {needed} needs it: generate it for level {needed}"
    )]
    Level {
        /// The key.
        key: KeyName,
        /// The highest level at which it can be used.
        present: usize,
        /// The level at which it's needed.
        needed: usize,
    },
    /// The key was made for ciphertexts of other levels, which have another key.
    #[error(
        "{key} is there for other levels, and one of level {needed} needs it: levels {lowest} to {highest} have keys of their own; generate it for level {highest}"
    )]
    Tier {
        /// The key.
        key: KeyName,
        /// The level at which it's needed.
        needed: usize,
        /// The lowest level that uses the same key as `needed`.
        lowest: usize,
        /// The highest level that uses the same key as `needed`.
        highest: usize,
    },
    /// The key was made for another ring degree, other primes or digits, or another plaintext modulus.
    #[error(
        "{key} was made for another ring degree, other primes or digits, or another plaintext modulus: use the keys of these parameters"
    )]
    OtherParameters {
        /// The key.
        key: KeyName,
    },
    /// The key is in a file that was readable when it was opened and isn't any more; the message names the file.
    #[error("{0}")]
    Unreadable(String),
}

impl MissingKey {
    /// The error of a key that isn't there for the needed level, but is for others.
    pub(crate) fn tier(params: &RlweParams, key: KeyName, needed: Level) -> Self {
        let levels = params.levels_of_keys(needed);
        Self::Tier { key, needed: needed.0, lowest: levels.start().0, highest: levels.end().0 }
    }

    // Takes the error by value, for `map_err`.
    #[allow(clippy::needless_pass_by_value)]
    pub(crate) fn unreadable(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// The keys that are needed, each with the highest level at which it's needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyLevels(BTreeMap<(KeyName, usize), Level>);

impl KeyLevels {
    /// Adds the relinearisation key, needed at a level.
    pub fn add_relinearisation(&mut self, params: &RlweParams, level: Level) {
        self.add(params, KeyName::Relinearisation, level);
    }

    /// Adds the relinearisation keys, needed at every level of a range.
    pub fn add_relinearisations(&mut self, params: &RlweParams, levels: RangeInclusive<Level>) {
        let (lowest, highest) = levels.into_inner();
        let tops = params.tier_levels().filter(|top| (lowest..highest).contains(top));
        tops.chain([highest]).for_each(|level| self.add_relinearisation(params, level));
    }

    /// Adds the key of an automorphism, needed at a level; the identity needs none.
    pub fn add_automorphism(&mut self, params: &RlweParams, element: GaloisElement, level: Level) {
        if element != GaloisElement(1) {
            self.add(params, KeyName::Galois(element), level);
        }
    }

    /// The keys for products with images under an automorphism are needed at a level too: those that switch from s(X^g) and
    /// from s·s(X^g) to s, of which the identity's are one, the relinearisation key.
    pub fn add_image_product(&mut self, params: &RlweParams, element: GaloisElement, level: Level) {
        if element == GaloisElement(1) {
            return self.add_relinearisation(params, level);
        }
        self.add_automorphism(params, element, level);
        self.add(params, KeyName::ImageProduct(element), level);
    }

    /// The keys to the sparse ephemeral secret and back are needed, for [`RlweParams::raise`].
    pub fn add_encapsulation(&mut self, params: &RlweParams) {
        self.add(params, KeyName::ToSparse, Level(0));
        self.add(params, KeyName::FromSparse, params.max_level());
    }

    /// All keys of others too.
    pub fn extend(&mut self, params: &RlweParams, others: &Self) {
        others.iter().for_each(|(name, level)| self.add(params, name, level));
    }

    fn add(&mut self, params: &RlweParams, name: KeyName, level: Level) {
        let highest = self.0.entry((name, params.tier(level))).or_insert(level);
        *highest = level.max(*highest);
    }

    /// The keys and their levels; a name occurs once for each tier of keys that is needed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (KeyName, Level)> + '_ {
        self.0.iter().map(|(&(name, _), &level)| (name, level))
    }

    /// Bytes of the keys in memory, the uniform halves included.
    pub fn bytes(&self, params: &RlweParams) -> usize {
        self.0.values().map(|&level| params.key_bytes(level)).sum()
    }
}

/// Relinearisation and Galois keys: all that a server needs for evaluation. Under every name there is one key for each
/// tier of levels ([`crate::KeyTier`]) at which it's needed.
#[derive(Clone, Debug, Default)]
pub struct EvaluationKeys {
    /// The identifier of the key generation that the keys belong to.
    pub id: KeyId,
    /// The digest of the file that they were read from.
    digest: Option<String>,
    /// The relinearisation keys, by tier.
    relinearisation: BTreeMap<usize, KeySwitchKey>,
    /// The Galois keys for rotations and the conjugation, by automorphism and tier.
    galois: BTreeMap<(GaloisElement, usize), GaloisKey>,
    /// For products with images, by tier.
    image_products: BTreeMap<(GaloisElement, usize), KeySwitchKey>,
    /// To and from the sparse secret, by tier.
    encapsulation: BTreeMap<(KeyName, usize), KeySwitchKey>,
}

impl EvaluationKeys {
    /// Creates an empty set of keys of a key generation.
    pub fn of(id: KeyId) -> Self {
        Self { id, ..Self::default() }
    }

    /// Relinearisation keys, and Galois keys for the given automorphisms other than the identity, of every level.
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

    /// The given keys up to the given levels, generated on all threads. Each key has a random stream of its own, which
    /// depends on its name and level.
    ///
    /// # Panics
    /// If a level is above [`RlweParams::max_level`].
    pub fn generate_levels(
        params: &RlweParams,
        secret: &SecretKey,
        levels: &KeyLevels,
        sampler: &mut Sampler,
    ) -> Self {
        let unwatched = |_, _| ControlFlow::Continue(());
        Self::generate_levels_with_progress(params, secret, levels, sampler, &unwatched)
            .expect("nothing stops it")
    }

    /// Generates keys as [`EvaluationKeys::generate_levels`] does, and reports its progress. `progress` receives the number of
    /// finished keys and the total, and may stop the generation, which then returns `None`.
    ///
    /// # Panics
    /// If a level is above [`RlweParams::max_level`].
    pub fn generate_levels_with_progress(
        params: &RlweParams,
        secret: &SecretKey,
        levels: &KeyLevels,
        sampler: &mut Sampler,
        progress: &(dyn Fn(usize, usize) -> ControlFlow<()> + Sync),
    ) -> Option<Self> {
        let (seed, levels): (Seed, Vec<_>) = (sampler.seed(), levels.iter().collect());
        let made = AtomicUsize::new(0);
        let key = |&(name, level): &(KeyName, Level)| {
            let key = KeySwitchKey::generate(params, name, level, secret, &mut Sampler::new(&seed));
            let made = made.fetch_add(1, Ordering::Relaxed) + 1;
            progress(made, levels.len()).is_continue().then_some(key)
        };
        let keys: Vec<KeySwitchKey> = levels.par_iter().map(key).collect::<Option<_>>()?;
        let mut all = Self::of(secret.id());
        keys.into_iter().for_each(|key| all.insert(params, key));
        Some(all)
    }

    /// Returns the digest of the file that these keys were read from, in hexadecimal digits.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// These keys, which are all that a file of a digest holds.
    pub(crate) fn of_file(self, digest: &str) -> Self {
        Self { digest: Some(digest.to_owned()), ..self }
    }

    /// Adds a key, and replaces one of the same name and tier.
    ///
    /// # Panics
    /// For a re-encryption key, which isn't used for evaluation.
    pub fn insert(&mut self, params: &RlweParams, key: KeySwitchKey) {
        self.digest = None;
        let tier = params.tier(key.level());
        match key.name() {
            KeyName::Relinearisation => _ = self.relinearisation.insert(tier, key),
            KeyName::Galois(g) => _ = self.galois.insert((g, tier), GaloisKey::new(params, g, key)),
            KeyName::ImageProduct(g) => _ = self.image_products.insert((g, tier), key),
            name @ (KeyName::ToSparse | KeyName::FromSparse) => {
                _ = self.encapsulation.insert((name, tier), key);
            }
            KeyName::Reencryption => panic!("a re-encryption key isn't used for evaluation"),
        }
    }

    /// Returns all keys, the relinearisation keys first.
    pub fn iter(&self) -> impl Iterator<Item = &KeySwitchKey> {
        let galois = self.galois.values().map(|key| &key.key);
        let others = self.image_products.values().chain(self.encapsulation.values());
        self.relinearisation.values().chain(galois).chain(others)
    }

    /// Reads every row of keys that stay in their file, one after another, and checks its words. Keys in memory were checked when they
    /// were read.
    ///
    /// # Errors
    /// Words that aren't below their prime, and a file that was changed since it was opened; the message names the file.
    pub fn check_rows(&self) -> io::Result<()> {
        let row = |key: &KeySwitchKey, digit, position| key.limb(digit, 0, position).map(drop);
        self.iter().filter(|key| !key.in_memory()).try_for_each(|key| {
            let positions = || 0..key.basis().len();
            (0..key.digits()).try_for_each(|digit| positions().try_for_each(|at| row(key, digit, at)))
        })
    }

    /// Returns the automorphisms that have a key at one level at least, in rising order of their exponents.
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

    /// The Galois key of a rotation by `rotation` slots to the left, for ciphertexts of a level.
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

    /// The Galois key of the conjugation (the row swap) for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Conjugation`], [`MissingKey::Tier`].
    pub fn conjugation(&self, params: &RlweParams, level: Level) -> Result<&GaloisKey, MissingKey> {
        self.automorphism(params, GaloisElement::conjugation(params.ring_degree()), level)
    }

    /// The key that switches from s·s(X^g) to s, for ciphertexts of a level.
    ///
    /// # Errors
    /// [`MissingKey::Absent`], [`MissingKey::Tier`].
    pub fn image_product(
        &self,
        params: &RlweParams,
        g: GaloisElement,
        level: Level,
    ) -> Result<&KeySwitchKey, MissingKey> {
        let name = KeyName::ImageProduct(g);
        self.image_products.get(&(g, params.tier(level))).ok_or_else(|| {
            if self.image_products.range((g, 0)..=(g, usize::MAX)).next().is_some() {
                MissingKey::tier(params, name, level)
            } else {
                MissingKey::Absent(name)
            }
        })
    }

    /// The key to the sparse secret for ciphertexts of level 0, or the one from it for those of the highest.
    ///
    /// # Errors
    /// [`MissingKey::Absent`].
    pub(crate) fn encapsulation(
        &self,
        params: &RlweParams,
        name: KeyName,
        level: Level,
    ) -> Result<&KeySwitchKey, MissingKey> {
        self.encapsulation.get(&(name, params.tier(level))).ok_or(MissingKey::Absent(name))
    }

    /// Checks that the given keys are there, each of its level or a higher one.
    ///
    /// # Errors
    /// The error of the first key that is missing.
    pub fn require(&self, params: &RlweParams, levels: &KeyLevels) -> Result<(), MissingKey> {
        levels.iter().try_for_each(|(name, level)| {
            let key = match name {
                KeyName::Relinearisation => self.relinearisation(params, level)?,
                KeyName::Galois(g) => &self.automorphism(params, g, level)?.key,
                KeyName::ImageProduct(g) => self.image_product(params, g, level)?,
                KeyName::ToSparse | KeyName::FromSparse => self.encapsulation(params, name, level)?,
                KeyName::Reencryption => return Err(MissingKey::Absent(name)),
            };
            key.at(params, level).map(|_| ())
        })
    }

    /// Bytes of the keys, the uniform halves included, whether they are kept in memory or in a file.
    pub fn bytes(&self) -> usize {
        self.relinearisation.values().map(KeySwitchKey::bytes).sum::<usize>()
            + self.galois.values().map(GaloisKey::bytes).sum::<usize>()
            + self.image_products.values().map(KeySwitchKey::bytes).sum::<usize>()
            + self.encapsulation.values().map(KeySwitchKey::bytes).sum::<usize>()
    }
}
