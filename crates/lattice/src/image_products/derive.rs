//! Keys of all automorphisms, derived from those of a few by whoever evaluates with them.
//!
//! A key of the automorphism τ modulo Q·P is a ciphertext of P·Bⱼ·τ(s) under s for every digit. Its image under σ is one of
//! P·Bⱼ·στ(s) under σ(s), and a key switch modulo Q·P, with a special modulus P' beside, makes that one under s: a key of στ.
//! The identity's key is known to all: (0, P·Bⱼ). So the keys that Q·P·P' takes, the master keys, give those of all that their
//! automorphisms compose.
//!
//! Source: Lee, Lee, Kim, No, "Rotation key reduction for client-server systems of deep neural network on fully homomorphic
//! encryption" (ASIACRYPT 2023), where keys have such levels.

use std::{collections::BTreeMap, io};

use asanoha_ring::{Basis, FixingAutomorphisms, KeyWords, PackedPoly, Poly, Sampler, Scalar, SwitchKey};
use num_bigint::BigInt;

use super::{
    ImageSteps,
    switch::{Parts, switch_by_images, switched_image},
};
use crate::{
    EvaluationKeys, GaloisKey, KeyLevels, KeyName, Level, MissingKey, NoiseModel, OtherKey, RlweCiphertext,
    RlweParams, SecretKey, key_switch::automorphisms, params::LevelParams,
};

/// The keys whose decompositions are shared, where several are one step from another: more take more memory.
const HOISTED: usize = 8;

/// Keys of some automorphisms, modulo more than they're used with, which give the keys of all τₖ.
#[derive(Debug)]
pub struct MasterKeys {
    params: RlweParams,
    steps: ImageSteps,
    keys: EvaluationKeys,
}

/// The keys of all τₖ but the identity for ciphertexts of one level.
#[derive(Debug)]
pub struct DerivedKeys {
    params: RlweParams,
    level: Level,
    automorphisms: FixingAutomorphisms,
    keys: BTreeMap<usize, DerivedKey>,
}

/// A key of one automorphism, a pair for each digit.
#[derive(Debug)]
pub(super) struct DerivedKey {
    basis: Basis,
    pairs: Vec<[PackedPoly; 2]>,
}

impl MasterKeys {
    /// The keys of the steps out of those of the parameters of [`RlweParams::of_master_keys`].
    ///
    /// # Errors
    /// [`MissingKey`].
    pub fn new(params: RlweParams, steps: ImageSteps, keys: EvaluationKeys) -> Result<Self, MissingKey> {
        keys.require(&params, &levels(&params, &steps))?;
        Ok(Self { params, steps, keys })
    }

    /// Fresh keys of the steps, for the parameters of [`RlweParams::of_master_keys`] and a secret of the parameters that these
    /// were made from.
    ///
    /// # Errors
    /// [`OtherKey`] if the secret is of another ring degree.
    pub fn generate(
        params: RlweParams,
        steps: ImageSteps,
        secret: &SecretKey,
        sampler: &mut Sampler,
    ) -> Result<Self, OtherKey> {
        let same = SecretKey::from_checked_coefficients(&params, secret.id(), secret.coefficients());
        let same = same.ok_or(OtherKey { which: "secret" })?;
        let keys = EvaluationKeys::generate_levels(&params, &same, &levels(&params, &steps), sampler);
        Ok(Self { params, steps, keys })
    }

    /// The automorphisms whose keys they give.
    pub fn automorphisms(&self) -> FixingAutomorphisms {
        self.steps.automorphisms()
    }

    /// The parameters of the keys themselves.
    pub fn params(&self) -> &RlweParams {
        &self.params
    }

    /// The keys themselves, which may be written to a file.
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// The keys of all automorphisms at the level that the master keys are for.
    ///
    /// # Errors
    /// [`MissingKey::OtherParameters`] if they're for another level or other parameters; [`MissingKey::Unreadable`].
    pub fn derive(&self, params: &RlweParams, level: Level) -> Result<DerivedKeys, MissingKey> {
        let mut keys = BTreeMap::new();
        self.for_each(params, level, |k, key| {
            keys.insert(k, key);
            Ok(())
        })?;
        Ok(DerivedKeys { params: params.clone(), level, automorphisms: self.automorphisms(), keys })
    }

    /// Derives the key of each τₖ but the identity and hands it over. A few keys are in memory at a time.
    pub(super) fn for_each(
        &self,
        params: &RlweParams,
        level: Level,
        mut f: impl FnMut(usize, DerivedKey) -> Result<(), MissingKey>,
    ) -> Result<(), MissingKey> {
        let top = self.params.max_level();
        let mut open = vec![(0, self.identity(params, level)?)];
        while let Some((parent, pairs)) = open.pop() {
            for children in self.steps.children(parent).chunks(HOISTED) {
                let key = |(_, step): &(usize, _)| self.keys.automorphism(&self.params, *step, top);
                let keys: Vec<&GaloisKey> = children.iter().map(key).collect::<Result<_, _>>()?;
                let images = pairs.iter().map(|pair| {
                    let images = automorphisms(&self.params, pair, &keys)?;
                    Ok(images.into_iter())
                });
                let mut images: Vec<_> = images.collect::<Result<_, MissingKey>>()?;
                for &(k, _) in children {
                    let pairs: Vec<RlweCiphertext> = images.iter_mut().filter_map(Iterator::next).collect();
                    f(k, DerivedKey::new(&pairs))?;
                    if !self.steps.children(k).is_empty() {
                        open.push((k, pairs));
                    }
                }
            }
        }
        Ok(())
    }

    /// The key from s to s: (0, P·Bⱼ) for every digit, without any error.
    fn identity(&self, params: &RlweParams, level: Level) -> Result<Vec<RlweCiphertext>, MissingKey> {
        let LevelParams { p, qp, digits, .. } = params.level(level.0);
        let basis = self.params.q(self.params.max_level());
        if basis != qp || self.params.noise_factor() != params.noise_factor() {
            return Err(other_parameters(self.automorphisms()));
        }
        let special = Scalar::new(basis, &BigInt::from(p.product()));
        let pair = |range: &std::ops::Range<usize>| {
            let mut a = Poly::zero(basis);
            a.add_scalar_assign(&special.clone().keep(range.clone()));
            RlweCiphertext { parts: vec![Poly::zero(basis), a] }
        };
        Ok(digits.iter().map(pair).collect())
    }

    /// The norm of the noise that a sum of products with images has beside the terms' if it's switched with derived keys, in
    /// units of the noise factor: the keys' errors are the noise of a key switch modulo Q·P for each step.
    pub fn noise(&self, params: &RlweParams, model: &NoiseModel, to: Level) -> f64 {
        let switches = self.steps.depth().max(1) as f64;
        let key = switches * self.params.switch_sum_noise(model, self.params.max_level(), 1);
        let switch = model.key_switch_with(key, &params.log2_digits(to), params.special(to).log2_product());
        params.image_noise(model, to, switch + model.rounding(2))
    }
}

/// The keys of the steps.
fn levels(params: &RlweParams, steps: &ImageSteps) -> KeyLevels {
    let mut levels = KeyLevels::default();
    let top = params.max_level();
    steps.steps().iter().for_each(|&step| levels.add_automorphism(params, step, top));
    levels
}

/// The error of keys for other parameters or another level, which names the first of them.
fn other_parameters(automorphisms: FixingAutomorphisms) -> MissingKey {
    MissingKey::OtherParameters { key: KeyName::Galois(automorphisms.element(1 % automorphisms.count())) }
}

impl DerivedKeys {
    /// The automorphisms whose keys they are.
    pub fn automorphisms(&self) -> FixingAutomorphisms {
        self.automorphisms
    }

    /// Refuses keys that were derived for other parameters or another level.
    pub(super) fn check(&self, params: &RlweParams, level: Level) -> Result<(), MissingKey> {
        let same = self.params == *params && self.level == level;
        if same { Ok(()) } else { Err(other_parameters(self.automorphisms)) }
    }

    /// Bytes of the keys in memory.
    pub fn bytes(&self) -> usize {
        let bytes = |key: &DerivedKey| 2 * key.pairs.len() * PackedPoly::bytes(&key.basis);
        self.keys.values().map(bytes).sum()
    }

    /// The key of τₖ, k > 0.
    pub(super) fn key(&self, k: usize) -> &DerivedKey {
        &self.keys[&k]
    }
}

impl DerivedKey {
    fn new(pairs: &[RlweCiphertext]) -> Self {
        let pair = |pair: &RlweCiphertext| [0, 1].map(|half| PackedPoly::new(&pair.parts[half]));
        let basis = pairs[0].parts[0].basis().clone();
        Self { basis, pairs: pairs.iter().map(pair).collect() }
    }
}

impl SwitchKey for DerivedKey {
    fn basis(&self) -> &Basis {
        &self.basis
    }

    fn in_memory(&self) -> bool {
        true
    }

    fn limb(&self, digit: usize, half: usize, position: usize) -> io::Result<KeyWords<'_>> {
        Ok(KeyWords::There(self.pairs[digit][half].limb(position)))
    }
}

/// Switches the last two parts with the key of their automorphism.
pub(super) fn switch_by_derived_key(
    params: &RlweParams,
    key: &DerivedKey,
    parts: Parts,
    level: Level,
    keys: &EvaluationKeys,
) -> Result<RlweCiphertext, MissingKey> {
    let relinearisation = keys.relinearisation(params, level)?;
    switch_by_images(params, parts, level, relinearisation, |c| switched_image(params, c, level, None, key))
}
