//! The keys of hybrid key switching (Gentry, Halevi, Smart 2012; Han, Ki 2020).

use std::collections::{BTreeMap, BTreeSet};

use asanoha_ring::{
    Basis, Coefficient, Evaluation, EvaluationPermutation, GaloisElement, Poly, Sampler, Scalar, Seed,
    uniform_from_seed,
};
use num_bigint::BigInt;
use rayon::prelude::*;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::{KeyId, Level, RlweParams, SecretKey, params::LevelParams};

/// A key that isn't there.
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
}

/// The pair (b, a) of one digit: b = −a·s' + f·e + P·Bⱼ·s, where Bⱼ is 1 modulo the digit's primes and 0 modulo
/// the others.
#[derive(Clone, Debug)]
pub struct KeySwitchPair {
    pub(crate) b: Poly<Evaluation>,
    pub(crate) a: Poly<Evaluation>,
    pub(crate) seed: Seed,
}

/// A key that switches ciphertexts under s to ciphertexts under s'.
#[derive(Clone, Debug)]
pub struct KeySwitchKey {
    pub(crate) digits: Vec<KeySwitchPair>,
}

/// A key for the automorphism ψ: X → X^g: it switches from ψ(s) to s. Digits of c₁ are permuted before they're
/// multiplied by it, so one decomposition serves any number of automorphisms.
#[derive(Clone, Debug)]
pub struct GaloisKey {
    pub(crate) key: KeySwitchKey,
    pub(crate) permutation: EvaluationPermutation,
}

/// f·e for a fresh error e.
pub(crate) fn scaled_error(
    params: &RlweParams,
    basis: &Basis,
    sampler: &mut Sampler,
) -> Zeroizing<Poly<Evaluation>> {
    let error = sampler.error(params.ring_degree());
    let mut e = Poly::<Coefficient>::from_small(basis, &error);
    if params.noise_factor() != &1u32.into() {
        e.mul_scalar_assign(&Scalar::new(basis, &BigInt::from(params.noise_factor().clone())));
    }
    Zeroizing::new(e.into_evaluation())
}

impl KeySwitchKey {
    /// The relinearisation key: from s² to s.
    pub fn relinearisation(params: &RlweParams, secret: &SecretKey, sampler: &mut Sampler) -> Self {
        let square = Zeroizing::new(secret.full().mul(secret.full()));
        Self::generate(params, &square, secret.full(), sampler)
    }

    /// A key from one secret to another, both modulo all primes.
    fn generate(
        params: &RlweParams,
        from: &Poly<Evaluation>,
        to: &Poly<Evaluation>,
        sampler: &mut Sampler,
    ) -> Self {
        let basis = params.qp();
        let level = params.level(params.max_level().0);
        let special = BigInt::from(params.p().product());
        let digits = level.digits.iter().map(|range| {
            let seed = sampler.seed();
            let a = uniform_from_seed(basis, &seed);
            let mut b = a.mul(to);
            b.neg_assign();
            b.add_assign(&scaled_error(params, basis, sampler));
            // P·Bⱼ: P modulo the digit's primes, 0 modulo the others.
            let indicator = Scalar::new(basis, &special).keep(range.clone());
            b.fma_scalar_assign(from, &indicator);
            KeySwitchPair { b, a, seed }
        });
        Self { digits: digits.collect() }
    }

    /// A key of random words for the digits of a level, to measure with.
    pub(crate) fn random(params: &RlweParams, level: Level, sampler: &mut Sampler) -> Self {
        let LevelParams { qp, digits, .. } = params.level(level.0);
        let pair = |_| {
            let seed = sampler.seed();
            KeySwitchPair { b: uniform_from_seed(qp, &sampler.seed()), a: uniform_from_seed(qp, &seed), seed }
        };
        Self { digits: digits.iter().map(pair).collect() }
    }

    pub(crate) fn from_parts(params: &RlweParams, parts: Vec<(Poly<Evaluation>, Seed)>) -> Self {
        let pair = |(b, seed): (Poly<Evaluation>, Seed)| {
            let a = uniform_from_seed(params.qp(), &seed);
            KeySwitchPair { b, a, seed }
        };
        Self { digits: parts.into_iter().map(pair).collect() }
    }

    /// Bytes in memory, the uniform halves included.
    pub fn bytes(&self) -> usize {
        self.digits.iter().map(|pair| size_of_val(pair.b.words()) + size_of_val(pair.a.words())).sum()
    }
}

impl GaloisKey {
    /// The key of an automorphism.
    pub fn generate(
        params: &RlweParams,
        secret: &SecretKey,
        g: GaloisElement,
        sampler: &mut Sampler,
    ) -> Self {
        let image = secret.automorphism(g);
        Self::new(params, g, KeySwitchKey::generate(params, &image, secret.full(), sampler))
    }

    pub(crate) fn new(params: &RlweParams, g: GaloisElement, key: KeySwitchKey) -> Self {
        Self { key, permutation: EvaluationPermutation::new(params.ring_degree(), g) }
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.key.bytes() + self.permutation.bytes()
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
    /// Keys for the given automorphisms, but for the identity, and for products; on all threads, each key from a seed
    /// of its own.
    pub fn generate(
        params: &RlweParams,
        secret: &SecretKey,
        elements: impl IntoIterator<Item = GaloisElement>,
        relinearisation: bool,
        sampler: &mut Sampler,
    ) -> Self {
        let product = relinearisation.then(|| sampler.seed());
        let elements: BTreeSet<GaloisElement> =
            elements.into_iter().filter(|element| *element != GaloisElement(1)).collect();
        let seeds: Vec<_> = elements.into_iter().map(|element| (element, sampler.seed())).collect();
        let galois = |(element, seed): &(GaloisElement, Seed)| {
            (*element, GaloisKey::generate(params, secret, *element, &mut Sampler::new(seed)))
        };
        let (relinearisation, galois) = rayon::join(
            || product.map(|seed| KeySwitchKey::relinearisation(params, secret, &mut Sampler::new(&seed))),
            || seeds.par_iter().map(galois).collect::<Vec<_>>(),
        );
        Self { id: secret.id(), relinearisation, galois: galois.into_iter().collect() }
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

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.relinearisation.iter().map(KeySwitchKey::bytes).sum::<usize>()
            + self.galois.values().map(GaloisKey::bytes).sum::<usize>()
    }
}
