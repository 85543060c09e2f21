//! Key switching in its three parts, each usable alone: decompose, inner product with keys, mod-down. One
//! decomposition serves any number of automorphisms ("hoisting"), and a sum of their images one mod-down.

use asanoha_ring::{Digits, Evaluation, Poly, SwitchPart, switch_sums};
use rayon::prelude::*;

use crate::{GaloisKey, KeySwitchKey, Level, MissingKey, RlweCiphertext, RlweParams};

/// A polynomial cut into digits, which are centred: each is at most half its modulus.
#[derive(Debug)]
pub struct Decomposed<'p> {
    pub(crate) digits: Digits<'p>,
    level: Level,
}

/// A ciphertext modulo the ciphertext primes and the P of their level: P times what it encrypts, before the mod-down.
#[derive(Clone, Debug)]
pub struct ExtendedCiphertext {
    pub(crate) parts: [Poly<Evaluation>; 2],
    pub(crate) level: Level,
}

/// A ciphertext of which rotations are wanted: c₁ decomposed and c₀ multiplied by P.
#[derive(Debug)]
pub struct Hoisted<'c> {
    pub(crate) decomposed: Decomposed<'c>,
    ciphertext: &'c RlweCiphertext,
    /// P·c₀.
    pub(crate) lifted: Poly<Evaluation>,
}

impl<'p> Decomposed<'p> {
    /// Cuts a polynomial into digits. They're extended to P ("`ModUp`") prime by prime when they're multiplied.
    pub fn new(params: &RlweParams, c: &'p Poly<Evaluation>) -> Self {
        let level = Level(c.basis().len() - 1);
        let (ranges, converters) = (&params.level(level.0).digits, &params.tables(level.0).mod_up);
        let digits = Digits::new(c, ranges.iter().cloned().zip(converters.iter().cloned()));
        Self { digits, level }
    }

    /// With all digits extended to all primes: several times the memory, and a multiplication by another key later
    /// takes no transform.
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
        let sums = params.switch_sums(self.level, std::slice::from_ref(&self.digits), &[vec![part]]);
        sums.map(|mut sums| sums.remove(0))
    }
}

impl GaloisKey {
    /// The images of the addends and of the key switch of what stands at a place among the decomposed polynomials, at a
    /// level.
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`].
    pub(crate) fn part<'a>(
        &'a self,
        params: &RlweParams,
        addends: [Option<&'a Poly<Evaluation>>; 2],
        place: usize,
        level: Level,
    ) -> Result<SwitchPart<'a>, MissingKey> {
        let product = Some((place, self.key.at(params, level)?));
        Ok(SwitchPart { permutation: Some(&self.permutation), addends, product })
    }
}

impl<'c> Hoisted<'c> {
    /// Of a ciphertext of two parts.
    ///
    /// # Panics
    /// If it has three.
    pub fn new(params: &RlweParams, ciphertext: &'c RlweCiphertext) -> Self {
        assert_eq!(ciphertext.parts.len(), 2);
        let decomposed = Decomposed::new(params, &ciphertext.parts[1]);
        let lifted = params.lift(&ciphertext.parts[0]);
        Self { decomposed, ciphertext, lifted }
    }

    /// As [`Decomposed::extend`]: for rotations that aren't all asked for in one call.
    pub fn extend(self, params: &RlweParams) -> Self {
        Self { decomposed: self.decomposed.extend(params), ..self }
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.decomposed.level
    }

    /// ψ(c₀)·P and the key switch of ψ(c₁).
    pub(crate) fn part<'a>(
        &'a self,
        params: &RlweParams,
        key: &'a GaloisKey,
    ) -> Result<SwitchPart<'a>, MissingKey> {
        key.part(params, [Some(&self.lifted), None], 0, self.level())
    }

    /// The images under several automorphisms, before the mod-down.
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
    pub fn images(
        &self,
        params: &RlweParams,
        keys: &[&GaloisKey],
    ) -> Result<Vec<ExtendedCiphertext>, MissingKey> {
        let sums: Vec<_> =
            keys.iter().map(|key| Ok(vec![self.part(params, key)?])).collect::<Result<_, _>>()?;
        params.switch_sums(self.level(), std::slice::from_ref(&self.decomposed.digits), &sums)
    }

    /// The sum of the images, before the mod-down; one accumulator for all keys and digits.
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
    pub fn sum_of_images(
        &self,
        params: &RlweParams,
        keys: &[&GaloisKey],
    ) -> Result<ExtendedCiphertext, MissingKey> {
        let parts = keys.iter().map(|key| self.part(params, key)).collect::<Result<_, _>>()?;
        let sums = params.switch_sums(self.level(), std::slice::from_ref(&self.decomposed.digits), &[parts]);
        sums.map(|mut sums| sums.remove(0))
    }

    /// The ciphertext itself, times P.
    pub fn identity(&self, params: &RlweParams) -> ExtendedCiphertext {
        let c1 = params.lift(&self.ciphertext.parts[1]);
        let parts =
            vec![SwitchPart { permutation: None, addends: [Some(&self.lifted), Some(&c1)], product: None }];
        params.switch_sums(self.level(), &[], &[parts]).expect("no key is read").remove(0)
    }
}

impl RlweParams {
    /// P·x modulo the ciphertext primes; it's 0 modulo P's.
    pub(crate) fn lift(&self, x: &Poly<Evaluation>) -> Poly<Evaluation> {
        let mut lifted = x.clone();
        lifted.mul_scalar_assign(&self.tables(x.basis().len() - 1).special);
        lifted
    }

    pub(crate) fn switch_sums(
        &self,
        level: Level,
        digits: &[Digits<'_>],
        sums: &[Vec<SwitchPart<'_>>],
    ) -> Result<Vec<ExtendedCiphertext>, MissingKey> {
        let results = switch_sums(&self.level(level.0).qp, self.special(level).len(), digits, sums);
        let results = results.map_err(MissingKey::unreadable)?;
        Ok(results.into_iter().map(|parts| ExtendedCiphertext { parts, level }).collect())
    }

    /// Divides by the P of a level, rounding: the last part of a key switch.
    pub(crate) fn mod_down(&self, x: Poly<Evaluation>, level: Level) -> Poly<Evaluation> {
        self.tables(level.0).mod_down.divide(x)
    }

    /// Divides both parts by P.
    pub fn mod_down_ciphertext(&self, x: ExtendedCiphertext) -> RlweCiphertext {
        let ExtendedCiphertext { parts: [u0, u1], level } = x;
        let (u0, u1) = rayon::join(|| self.mod_down(u0, level), || self.mod_down(u1, level));
        RlweCiphertext { parts: vec![u0, u1] }
    }

    /// Relinearises a product of three parts. Noise: one key switch's is added.
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
    ///
    /// # Panics
    /// If there aren't three parts.
    pub fn relinearise(
        &self,
        product: RlweCiphertext,
        key: &KeySwitchKey,
    ) -> Result<RlweCiphertext, MissingKey> {
        let Ok([c0, c1, c2]) = <[Poly<Evaluation>; 3]>::try_from(product.parts) else {
            panic!("relinearisation takes a ciphertext of three parts")
        };
        let mut switched = self.mod_down_ciphertext(Decomposed::new(self, &c2).inner_product(self, key)?);
        switched.parts[0].add_assign(&c0);
        switched.parts[1].add_assign(&c1);
        Ok(switched)
    }

    /// The image of a ciphertext of two parts under an automorphism. Noise: one key switch's is added.
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
    pub fn automorphism(
        &self,
        ciphertext: &RlweCiphertext,
        key: &GaloisKey,
    ) -> Result<RlweCiphertext, MissingKey> {
        self.automorphisms(ciphertext, &[key]).map(|mut images| images.remove(0))
    }

    /// The images of a ciphertext of two parts under several automorphisms, from one decomposition: the same, bit by
    /// bit, as one [`RlweParams::automorphism`] each.
    ///
    /// # Errors
    /// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
    pub fn automorphisms(
        &self,
        ciphertext: &RlweCiphertext,
        keys: &[&GaloisKey],
    ) -> Result<Vec<RlweCiphertext>, MissingKey> {
        let images = Hoisted::new(self, ciphertext).images(self, keys)?;
        Ok(images.into_par_iter().map(|image| self.mod_down_ciphertext(image)).collect())
    }
}
