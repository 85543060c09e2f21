//! Sums of products of ciphertexts with images of others under the automorphisms that fix a power of X: products of many
//! matrices at once.

mod derive;
mod steps;
mod switch;

use std::collections::BTreeMap;

use asanoha_ring::{Evaluation, FixingAutomorphisms, GaloisElement, Poly};
use rayon::prelude::*;

use self::{
    derive::switch_by_derived_key,
    switch::{Parts, switch_by_steps, switch_by_two_keys, switch_identity},
};
pub use self::{
    derive::{DerivedKeys, MasterKeys},
    steps::ImageSteps,
};
use crate::{EvaluationKeys, Level, MissingKey, RlweCiphertext, RlweParams};

/// Sums Σₘ τₖ(leftₘ)·rightₘ of ciphertexts for every automorphism τₖ: X → X^(1 + 2k·N/d), of four parts each:
/// (Σ τₖ(a₀)·b₀, Σ τₖ(a₀)·b₁, Σ τₖ(a₁)·b₀, Σ τₖ(a₁)·b₁) over (1, s, τₖ(s), s·τₖ(s)).
#[derive(Debug)]
pub struct ImageSums {
    automorphisms: FixingAutomorphisms,
    parts: Vec<Vec<Poly<Evaluation>>>,
}

/// The keys that sums of products with images are switched to s with: the fewer bytes, the more time and noise.
#[derive(Clone, Copy, Debug)]
pub enum ImageKeys<'a> {
    /// Two keys for each automorphism but the identity, those of [`crate::KeyLevels::add_image_product`]: two key switches for
    /// each, with one mod-down. Noise: [`RlweParams::image_product_noise`].
    All(&'a EvaluationKeys),
    /// The keys of some automorphisms, which compose the others, and the relinearisation key: those of [`ImageSteps::keys`].
    /// Two key switches for each step on the way to an automorphism, and one. Noise: [`ImageSteps::noise`].
    Composed(&'a ImageSteps, &'a EvaluationKeys),
    /// Keys of all automorphisms that are derived when they're needed and then dropped, and the relinearisation key. Three
    /// key switches for each, beside the derivation. Noise: [`MasterKeys::noise`].
    Derived(&'a MasterKeys, &'a EvaluationKeys),
    /// The same with keys that were derived before.
    Kept(&'a DerivedKeys, &'a EvaluationKeys),
}

impl ImageSums {
    /// The sums of the products of these terms, added to those of earlier ones.
    ///
    /// # Panics
    /// Unless there are as many ciphertexts on both sides, at least one, all of two parts and one level, that of the
    /// earlier ones.
    pub fn new(
        automorphisms: FixingAutomorphisms,
        left: &[RlweCiphertext],
        right: &[RlweCiphertext],
        earlier: Option<Self>,
    ) -> Self {
        let ([a0, a1], [b0, b1]) = (components(left), components(right));
        let earlier = earlier.map(|earlier| earlier.parts);
        let parts = Poly::sums_of_image_products(&automorphisms, &[&a0, &a1], &[&b0, &b1], earlier);
        Self { automorphisms, parts }
    }

    /// As [`ImageSums::switch_with`], with all keys: [`ImageKeys::All`].
    ///
    /// # Errors
    /// [`MissingKey`].
    ///
    /// # Panics
    /// If the level is above that of the terms.
    pub fn switch_to(
        self,
        params: &RlweParams,
        level: Level,
        keys: &EvaluationKeys,
    ) -> Result<Vec<RlweCiphertext>, MissingKey> {
        self.switch_with(params, level, ImageKeys::All(keys))
    }

    /// The sums as ciphertexts of two parts at a level that is as low as the noise allows.
    ///
    /// They are divided by the primes above the level, which makes key switching cheap, and then the parts over τₖ(s) and s·τₖ(s)
    /// are switched to s, however many terms there are.
    ///
    /// The keys are those of the level. Noise: the sum of the products of the norms of the terms, divided; and that of the
    /// kind of [`ImageKeys`] in units of the noise factor.
    ///
    /// # Errors
    /// [`MissingKey`].
    ///
    /// # Panics
    /// If the level is above that of the terms, or the keys are for other automorphisms.
    pub fn switch_with(
        self,
        params: &RlweParams,
        level: Level,
        keys: ImageKeys<'_>,
    ) -> Result<Vec<RlweCiphertext>, MissingKey> {
        let Self { automorphisms, parts } = self;
        let divide = |parts: Vec<Poly<Evaluation>>| -> Parts {
            let divided: Vec<_> = parts.into_iter().map(|part| params.divide(part, level)).collect();
            divided.try_into().expect("there are four parts")
        };
        let each = |parts: Vec<_>, switch: &(dyn Fn(usize, Parts) -> Switched + Sync)| {
            let parts = parts.into_par_iter().enumerate();
            parts.map(|(k, parts)| switch(k, divide(parts))).collect()
        };
        match keys {
            ImageKeys::All(keys) => {
                // The identity's, before the others on whatever threads, so that one missing key is named always.
                keys.relinearisation(params, level)?;
                each(parts, &|k, parts| match automorphisms.element(k) {
                    GaloisElement(1) => switch_identity(params, parts, level, keys),
                    element => switch_by_two_keys(params, element, parts, level, keys),
                })
            }
            ImageKeys::Composed(steps, keys) => {
                assert_eq!(steps.automorphisms(), automorphisms);
                each(parts, &|k, parts| switch_by_steps(params, &steps.path(k), parts, level, keys))
            }
            ImageKeys::Kept(derived, keys) => {
                assert_eq!(derived.automorphisms(), automorphisms);
                derived.check(params, level)?;
                each(parts, &|k, parts| match k {
                    0 => switch_identity(params, parts, level, keys),
                    _ => switch_by_derived_key(params, derived.key(k), parts, level, keys),
                })
            }
            ImageKeys::Derived(master, keys) => {
                assert_eq!(master.automorphisms(), automorphisms);
                let mut parts = parts;
                let mut divided = |k: usize| divide(std::mem::take(&mut parts[k]));
                let first = switch_identity(params, divided(0), level, keys)?;
                let mut switched = BTreeMap::from([(0, first)]);
                master.for_each(params, level, |k, key| {
                    switched.insert(k, switch_by_derived_key(params, &key, divided(k), level, keys)?);
                    Ok(())
                })?;
                Ok(switched.into_values().collect())
            }
        }
    }
}

/// One of the sums, switched.
type Switched = Result<RlweCiphertext, MissingKey>;

/// The first parts, and the second ones.
fn components(side: &[RlweCiphertext]) -> [Vec<&Poly<Evaluation>>; 2] {
    assert!(
        side.iter().all(|ciphertext| ciphertext.parts.len() == 2),
        "products take ciphertexts of two parts"
    );
    [0, 1].map(|part| side.iter().map(|ciphertext| &ciphertext.parts[part]).collect())
}
