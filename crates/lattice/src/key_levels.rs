//! Keys that are needed, and the levels at which they are.

use std::{collections::BTreeMap, ops::RangeInclusive};

use asanoha_ring::GaloisElement;

use crate::{KeyName, Level, RlweParams};

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

    /// The keys to the sparse ephemeral secret and back are needed, for [`crate::raise`].
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
    pub fn bytes(&self, params: &RlweParams) -> u64 {
        self.0.values().map(|&level| params.key_bytes(level) as u64).sum()
    }
}
