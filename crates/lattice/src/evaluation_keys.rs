//! The keys that a server evaluates with.

use std::collections::BTreeMap;

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
    // By value, as errors are mapped.
    #[allow(clippy::needless_pass_by_value)]
    pub(crate) fn unreadable(error: std::io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Which keys are needed, each up to which level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyLevels(BTreeMap<KeyName, Level>);

impl KeyLevels {
    /// The relinearisation key is needed at a level too.
    pub fn add_relinearisation(&mut self, level: Level) {
        self.add(KeyName::Relinearisation, level);
    }

    /// The key of an automorphism is needed at a level too; the identity needs none.
    pub fn add_automorphism(&mut self, element: GaloisElement, level: Level) {
        if element != GaloisElement(1) {
            self.add(KeyName::Galois(element), level);
        }
    }

    fn add(&mut self, name: KeyName, level: Level) {
        let highest = self.0.entry(name).or_insert(level);
        *highest = level.max(*highest);
    }

    /// The keys and their levels.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (KeyName, Level)> + '_ {
        self.0.iter().map(|(&name, &level)| (name, level))
    }

    /// Bytes of the keys, the uniform halves included.
    pub fn bytes(&self, params: &RlweParams) -> usize {
        self.0.values().map(|&level| params.key_bytes(level)).sum()
    }
}

/// Relinearisation and Galois keys: what a server needs to evaluate.
#[derive(Clone, Debug, Default)]
pub struct EvaluationKeys {
    /// The name of their key generation.
    pub id: KeyId,
    /// For products.
    pub relinearisation: Option<KeySwitchKey>,
    /// For rotations and the conjugation.
    pub galois: BTreeMap<GaloisElement, GaloisKey>,
}

impl EvaluationKeys {
    /// Keys of the highest level for the given automorphisms, but for the identity, and for products.
    pub fn generate(
        params: &RlweParams,
        secret: &SecretKey,
        elements: impl IntoIterator<Item = GaloisElement>,
        relinearisation: bool,
        sampler: &mut Sampler,
    ) -> Self {
        let level = params.max_level();
        let mut levels = KeyLevels::default();
        elements.into_iter().for_each(|element| levels.add_automorphism(element, level));
        if relinearisation {
            levels.add_relinearisation(level);
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
        let mut all = Self { id: secret.id(), ..Self::default() };
        keys.into_iter().for_each(|key| all.insert(params, key));
        all
    }

    pub(crate) fn insert(&mut self, params: &RlweParams, key: KeySwitchKey) {
        match key.name() {
            KeyName::Relinearisation => self.relinearisation = Some(key),
            KeyName::Galois(g) => _ = self.galois.insert(g, GaloisKey::new(params, g, key)),
        }
    }

    /// The relinearisation key.
    pub fn relinearisation(&self) -> Result<&KeySwitchKey, MissingKey> {
        self.relinearisation.as_ref().ok_or(MissingKey::Relinearisation)
    }

    /// The key of an automorphism.
    pub fn automorphism(&self, params: &RlweParams, g: GaloisElement) -> Result<&GaloisKey, MissingKey> {
        self.galois.get(&g).ok_or_else(|| {
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
            let present = rotations().filter(|&k| self.galois.contains_key(&element(k))).collect();
            let rotation = rotations().find(|&k| element(k) == g).expect("odd exponents are ±5^k");
            MissingKey::Rotation { rotation, swapped, present }
        })
    }

    /// The key of a rotation by so many slots to the left.
    pub fn rotation(&self, params: &RlweParams, rotation: i64) -> Result<&GaloisKey, MissingKey> {
        self.automorphism(params, GaloisElement::rotation(params.ring_degree(), rotation)).map_err(
            |missing| match missing {
                MissingKey::Rotation { swapped, present, .. } => {
                    MissingKey::Rotation { rotation, swapped, present }
                }
                other => other,
            },
        )
    }

    /// The key of the conjugation or row swap.
    pub fn conjugation(&self, params: &RlweParams) -> Result<&GaloisKey, MissingKey> {
        self.automorphism(params, GaloisElement::conjugation(params.ring_degree()))
    }

    /// Whether these keys are there, each of its level or a higher one.
    ///
    /// # Errors
    /// The first that isn't.
    pub fn require(&self, params: &RlweParams, levels: &KeyLevels) -> Result<(), MissingKey> {
        levels.iter().try_for_each(|(name, level)| {
            let key = match name {
                KeyName::Relinearisation => self.relinearisation()?,
                KeyName::Galois(g) => &self.automorphism(params, g)?.key,
            };
            key.at(params, level).map(|_| ())
        })
    }

    /// Bytes of the keys, the uniform halves included, wherever they stand.
    pub fn bytes(&self) -> usize {
        self.relinearisation.iter().map(KeySwitchKey::bytes).sum::<usize>()
            + self.galois.values().map(GaloisKey::bytes).sum::<usize>()
    }
}
