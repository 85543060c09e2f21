//! Key switching in three steps, each usable alone: digit decomposition, inner product with keys, mod-down. One
//! decomposition serves any number of automorphisms (hoisting), and a sum of their images takes one mod-down.

use asanoha_ring::{self as ring, Digits, Evaluation, Poly, SwitchPart};
use rayon::prelude::*;

use crate::{GaloisKey, KeySwitchKey, Level, MissingKey, RlweCiphertext, RlweParams};

/// A polynomial after digit decomposition. The digits are centred: each is at most half its modulus in size.
#[derive(Debug)]
pub struct Decomposed<'p> {
    pub(crate) digits: Digits<'p>,
    level: Level,
}

/// A ciphertext modulo the ciphertext primes and the P of their level, before the mod-down. It encrypts P times the
/// message.
#[derive(Clone, Debug)]
pub struct ExtendedCiphertext {
    pub(crate) parts: [Poly<Evaluation>; 2],
    pub(crate) level: Level,
}

/// A ciphertext prepared for several rotations (hoisting): c₁ decomposed and c₀ multiplied by P.
#[derive(Debug)]
pub struct Hoisted<'c> {
    pub(crate) decomposed: Decomposed<'c>,
    ciphertext: &'c RlweCiphertext,
    /// P·c₀.
    pub(crate) lifted: Poly<Evaluation>,
}

impl<'p> Decomposed<'p> {
    /// Decomposes a polynomial into digits. They're extended to P (mod-up), a few
    /// primes at a time, when they're multiplied.
    pub fn new(params: &RlweParams, c: &'p Poly<Evaluation>) -> Self {
        let level = Level(c.basis().len() - 1);
        let (ranges, converters) = (&params.level(level.0).digits, &params.tables(level.0).mod_up);
        let digits = Digits::new(c, ranges.iter().cloned().zip(converters.iter().cloned()));
        Self { digits, level }
    }

    /// Extends all digits to all primes now (mod-up). That takes several times the memory, and later multiplications by
    /// keys need no transforms.
    pub fn extend(self, params: &RlweParams) -> Self {
        Self { digits: self.digits.extend(&params.level(self.level.0).qp), ..self }
    }

    /// The level of the polynomial.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The inner product with a key from s to s', modulo q₀ … q_level and P: (u₀, u₁) with u₀ + u₁·s' ≈ P·c·s.
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
    pub fn inner_product(
        &self,
        params: &RlweParams,
        key: &KeySwitchKey,
    ) -> Result<ExtendedCiphertext, MissingKey> {
        let part = SwitchPart {
            permutation: None,
            addends: [None; 2],
            product: Some((0, key.at(params, self.level)?)),
        };
        let sums = switch_sums(params, self.level, std::slice::from_ref(&self.digits), &[vec![part]]);
        sums.map(|mut sums| sums.remove(0))
    }
}

impl<'c> Hoisted<'c> {
    /// Prepares a ciphertext of two parts.
    ///
    /// # Panics
    /// If the ciphertext has three parts.
    pub fn new(params: &RlweParams, ciphertext: &'c RlweCiphertext) -> Self {
        assert_eq!(ciphertext.parts.len(), 2);
        let decomposed = Decomposed::new(params, &ciphertext.parts[1]);
        let lifted = lift(params, &ciphertext.parts[0]);
        Self { decomposed, ciphertext, lifted }
    }

    /// As [`Decomposed::extend`]: for rotations that aren't all computed in one call.
    pub fn extend(self, params: &RlweParams) -> Self {
        Self { decomposed: self.decomposed.extend(params), ..self }
    }

    /// The level of the ciphertext.
    pub fn level(&self) -> Level {
        self.decomposed.level
    }

    /// The terms that one automorphism ψ adds to the sums: ψ(P·c₀) and the key switch of ψ(c₁).
    pub(crate) fn part<'a>(
        &'a self,
        params: &RlweParams,
        key: &'a GaloisKey,
    ) -> Result<SwitchPart<'a>, MissingKey> {
        key.part(params, [Some(&self.lifted), None], 0, self.level())
    }

    /// The sum of the images, before the mod-down; one accumulator serves all keys and digits.
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
    pub fn sum_of_images(
        &self,
        params: &RlweParams,
        keys: &[&GaloisKey],
    ) -> Result<ExtendedCiphertext, MissingKey> {
        let parts = keys.iter().map(|key| self.part(params, key)).collect::<Result<_, _>>()?;
        let sums = switch_sums(params, self.level(), std::slice::from_ref(&self.decomposed.digits), &[parts]);
        sums.map(|mut sums| sums.remove(0))
    }

    /// The ciphertext itself, multiplied by P.
    pub fn identity(&self, params: &RlweParams) -> ExtendedCiphertext {
        let c1 = lift(params, &self.ciphertext.parts[1]);
        let parts =
            vec![SwitchPart { permutation: None, addends: [Some(&self.lifted), Some(&c1)], product: None }];
        switch_sums(params, self.level(), &[], &[parts]).expect("no key is read").remove(0)
    }
}

impl ExtendedCiphertext {
    /// The mod-down of both parts.
    pub fn mod_down(self, params: &RlweParams) -> RlweCiphertext {
        let Self { parts: [u0, u1], level } = self;
        let (u0, u1) = rayon::join(|| mod_down(params, u0, level), || mod_down(params, u1, level));
        RlweCiphertext { parts: vec![u0, u1] }
    }
}

/// P·x modulo the ciphertext primes. Modulo P's primes it is 0, which isn't stored.
pub(crate) fn lift(params: &RlweParams, x: &Poly<Evaluation>) -> Poly<Evaluation> {
    let mut lifted = x.clone();
    lifted.mul_scalar_assign(&params.tables(x.basis().len() - 1).special);
    lifted
}

pub(crate) fn switch_sums(
    params: &RlweParams,
    level: Level,
    digits: &[Digits<'_>],
    sums: &[Vec<SwitchPart<'_>>],
) -> Result<Vec<ExtendedCiphertext>, MissingKey> {
    let results = ring::switch_sums(&params.level(level.0).qp, params.special(level).len(), digits, sums);
    let results = results.map_err(MissingKey::unreadable)?;
    Ok(results.into_iter().map(|parts| ExtendedCiphertext { parts, level }).collect())
}

/// The mod-down, the last step of a key switch: divides by the P of a level and rounds.
pub(crate) fn mod_down(params: &RlweParams, x: Poly<Evaluation>, level: Level) -> Poly<Evaluation> {
    params.tables(level.0).mod_down.divide(x)
}

/// Relinearises a product of three parts. It adds the noise of one key switch.
///
/// # Errors
/// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
///
/// # Panics
/// Unless the ciphertext has three parts.
pub fn relinearise(
    params: &RlweParams,
    product: RlweCiphertext,
    key: &KeySwitchKey,
) -> Result<RlweCiphertext, MissingKey> {
    let Ok([c0, c1, c2]) = <[Poly<Evaluation>; 3]>::try_from(product.parts) else {
        panic!("relinearisation takes a ciphertext of three parts")
    };
    let mut switched = Decomposed::new(params, &c2).inner_product(params, key)?.mod_down(params);
    switched.parts[0].add_assign(&c0);
    switched.parts[1].add_assign(&c1);
    Ok(switched)
}

/// The image of a ciphertext of two parts under an automorphism. It adds the noise of one key switch.
///
/// # Errors
/// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
pub fn automorphism(
    params: &RlweParams,
    ciphertext: &RlweCiphertext,
    key: &GaloisKey,
) -> Result<RlweCiphertext, MissingKey> {
    automorphisms(params, ciphertext, &[key]).map(|mut images| images.remove(0))
}

/// The images of a ciphertext of two parts under several automorphisms, from one decomposition (hoisting). They
/// equal those of [`automorphism`] bit for bit.
///
/// # Errors
/// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
pub fn automorphisms(
    params: &RlweParams,
    ciphertext: &RlweCiphertext,
    keys: &[&GaloisKey],
) -> Result<Vec<RlweCiphertext>, MissingKey> {
    let [c0, c1] = &ciphertext.parts[..] else { panic!("automorphisms take ciphertexts of two parts") };
    let decomposed = Decomposed::new(params, c1);
    let level = decomposed.level;
    let sums: Vec<_> =
        keys.iter().map(|key| Ok(vec![key.part(params, [None; 2], 0, level)?])).collect::<Result<_, _>>()?;
    let images = switch_sums(params, level, std::slice::from_ref(&decomposed.digits), &sums)?;
    // c₀ isn't multiplied by P first: (P·ψ(c₀) + u₀)/P is ψ(c₀) + u₀/P, with the same rounding.
    let divide = |(ExtendedCiphertext { parts: [u0, u1], .. }, key): (_, &&GaloisKey)| {
        let first = || params.tables(level.0).mod_down.divide_and_add(u0, c0, &key.permutation);
        let (first, second) = rayon::join(first, || mod_down(params, u1, level));
        RlweCiphertext { parts: vec![first, second] }
    };
    Ok(images.into_par_iter().zip(keys).map(divide).collect())
}

/// A ciphertext of two parts, switched to the secret that a key leads to.
pub(crate) fn switched(
    params: &RlweParams,
    ciphertext: &RlweCiphertext,
    key: &KeySwitchKey,
) -> Result<RlweCiphertext, MissingKey> {
    let product = Decomposed::new(params, &ciphertext.parts[1]).inner_product(params, key)?;
    let mut switched = product.mod_down(params);
    switched.parts[0].add_assign(&ciphertext.parts[0]);
    Ok(switched)
}

/// Relinearises a product of three parts and divides by the primes above level `to` in one step: the key switch
/// leaves P·(c₀ + c₁·s + c₂·s²) modulo Q·P, which is divided by P and those primes at once. That saves one rounding
/// and, for each part, one NTT of every prime kept and two of every prime dropped.
///
/// It adds less noise than [`relinearise`] followed by [`RlweCiphertext::divide_to`].
///
/// # Errors
/// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
///
/// # Panics
/// If `to` is above the level, or the ciphertext doesn't have three parts.
pub fn relinearise_to(
    params: &RlweParams,
    product: RlweCiphertext,
    key: &KeySwitchKey,
    to: Level,
) -> Result<RlweCiphertext, MissingKey> {
    let level = product.level();
    if to == level {
        return relinearise(params, product, key);
    }
    let Ok([c0, c1, c2]) = <[Poly<Evaluation>; 3]>::try_from(product.parts) else {
        panic!("relinearisation takes a ciphertext of three parts")
    };
    let [u0, u1] = Decomposed::new(params, &c2).inner_product(params, key)?.parts;
    let (divider, special) = (params.special_divider(level, to), &params.tables(level.0).special);
    let parts = vec![divider.quotient_of_sum(u0, special, &c0), divider.quotient_of_sum(u1, special, &c1)];
    Ok(RlweCiphertext { parts })
}
