//! Hybrid key switching (Gentry, Halevi, Smart 2012; Han, Ki 2020) in its three parts, each usable alone:
//! decompose, inner product with the key, mod-down.

use std::collections::{BTreeMap, BTreeSet};

use asanoha_ring::{
    Basis, Coefficient, Evaluation, EvaluationPermutation, GaloisElement, Poly, Sampler, Scalar, Seed,
    uniform_from_seed,
};
use num_bigint::BigInt;
use rayon::prelude::*;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::{KeyId, Level, RlweCiphertext, RlweParams, SecretKey};

/// A key that isn't there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MissingKey {
    /// The relinearisation key.
    #[error("the keys hold no relinearisation key: generate them with one")]
    Relinearisation,
    /// The key of a rotation, in slots.
    #[error("the keys hold none for rotation by {rotation}; present are {present:?}: generate it too")]
    Rotation {
        /// The rotation asked for.
        rotation: i64,
        /// The rotations that there are keys for.
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

/// A key for the automorphism X → X^g: it switches from s to s(X^(1/g)), so that the automorphism, applied
/// last, gives a ciphertext under s. One decomposition then serves any number of automorphisms.
#[derive(Clone, Debug)]
pub struct GaloisKey {
    pub(crate) key: KeySwitchKey,
    pub(crate) permutation: EvaluationPermutation,
}

/// A polynomial cut into digits, each extended to the primes q₀ … q_level and P.
#[derive(Clone, Debug)]
pub struct Decomposed {
    digits: Vec<Poly<Evaluation>>,
    level: Level,
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

    pub(crate) fn from_parts(params: &RlweParams, parts: Vec<(Poly<Evaluation>, Seed)>) -> Self {
        let pair = |(b, seed): (Poly<Evaluation>, Seed)| {
            let a = uniform_from_seed(params.qp(), &seed);
            KeySwitchPair { b, a, seed }
        };
        Self { digits: parts.into_iter().map(pair).collect() }
    }

    /// The inner product with a decomposed polynomial c, modulo q₀ … q_level and P: (u₀, u₁) with
    /// u₀ + u₁·s' ≈ P·c·s.
    pub fn inner_product(&self, params: &RlweParams, c: &Decomposed) -> (Poly<Evaluation>, Poly<Evaluation>) {
        let basis = &params.level(c.level.0).qp;
        let (kept, dropped) = (c.level.0 + 1, params.max_level().0 - c.level.0);
        let position = move |i: usize| if i < kept { i } else { i + dropped };
        let product = |part: fn(&KeySwitchPair) -> &Poly<Evaluation>| {
            let pairs: Vec<_> = c.digits.iter().zip(self.digits.iter().map(part)).collect();
            Poly::inner_product(basis, &pairs, position)
        };
        (product(|pair| &pair.b), product(|pair| &pair.a))
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
        let to = secret.automorphism(g.inverse(params.ring_degree()));
        Self::new(params, g, KeySwitchKey::generate(params, secret.full(), &to, sampler))
    }

    pub(crate) fn new(params: &RlweParams, g: GaloisElement, key: KeySwitchKey) -> Self {
        Self { key, permutation: EvaluationPermutation::new(params.ring_degree(), g) }
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.key.bytes() + self.permutation.bytes()
    }
}

impl Decomposed {
    /// Cuts a polynomial into digits and extends each to P ("`ModUp`"). The digits are centred, so each is at most
    /// half its modulus.
    pub fn new(params: &RlweParams, c: &Poly<Evaluation>) -> Self {
        let level = Level(c.basis().len() - 1);
        let (params, tables) = (params.level(level.0), params.tables(level.0));
        let coefficients = c.clone().into_coefficient();
        let digits = params
            .digits
            .iter()
            .zip(&tables.mod_up)
            .map(|(range, converter)| converter.extend(&params.qp, range.clone(), c, &coefficients));
        Self { digits: digits.collect(), level }
    }

    /// The level of the polynomial.
    pub fn level(&self) -> Level {
        self.level
    }
}

impl RlweParams {
    /// Divides by P, rounding: the last part of a key switch.
    pub fn mod_down(&self, x: Poly<Evaluation>) -> Poly<Evaluation> {
        let level = x.basis().len() - self.p().len() - 1;
        self.tables(level).mod_down.divide(x)
    }

    /// Relinearises a product of three parts. Noise: one key switch's is added.
    pub fn relinearise(&self, product: RlweCiphertext, key: &KeySwitchKey) -> RlweCiphertext {
        let Ok([mut c0, mut c1, c2]) = <[Poly<Evaluation>; 3]>::try_from(product.parts) else {
            panic!("relinearisation takes a ciphertext of three parts")
        };
        let (u0, u1) = key.inner_product(self, &Decomposed::new(self, &c2));
        c0.add_assign(&self.mod_down(u0));
        c1.add_assign(&self.mod_down(u1));
        RlweCiphertext { parts: vec![c0, c1] }
    }

    /// Applies an automorphism to a ciphertext of two parts. Noise: one key switch's is added.
    pub fn automorphism(&self, ciphertext: &RlweCiphertext, key: &GaloisKey) -> RlweCiphertext {
        self.automorphism_hoisted(ciphertext, &Decomposed::new(self, &ciphertext.parts[1]), key)
    }

    /// Applies an automorphism to a ciphertext whose c₁ was decomposed before.
    pub fn automorphism_hoisted(
        &self,
        ciphertext: &RlweCiphertext,
        decomposed: &Decomposed,
        key: &GaloisKey,
    ) -> RlweCiphertext {
        assert_eq!(ciphertext.parts.len(), 2);
        let (u0, u1) = key.key.inner_product(self, decomposed);
        let mut c0 = self.mod_down(u0);
        c0.add_assign(&ciphertext.parts[0]);
        let parts = vec![c0.permute(&key.permutation), self.mod_down(u1).permute(&key.permutation)];
        RlweCiphertext { parts }
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

    /// The key of a rotation by so many slots to the left.
    pub fn rotation(&self, params: &RlweParams, rotation: i64) -> Result<&GaloisKey, MissingKey> {
        let n = params.ring_degree();
        self.galois.get(&GaloisElement::rotation(n, rotation)).ok_or_else(|| {
            let half = n as i64 / 2;
            let present = (1..half).filter(|&k| self.galois.contains_key(&GaloisElement::rotation(n, k)));
            MissingKey::Rotation { rotation, present: present.collect() }
        })
    }

    /// The key of the conjugation or row swap.
    pub fn conjugation(&self, params: &RlweParams) -> Result<&GaloisKey, MissingKey> {
        self.galois.get(&GaloisElement::conjugation(params.ring_degree())).ok_or(MissingKey::Conjugation)
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.relinearisation.iter().map(KeySwitchKey::bytes).sum::<usize>()
            + self.galois.values().map(GaloisKey::bytes).sum::<usize>()
    }
}
