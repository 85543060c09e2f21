//! What is BGV's own: how its polynomials carry messages, and how noise grows.

use std::borrow::Cow;

use asanoha_lattice::{
    DiagonalNoise, DiagonalSteps, NoiseAboveBound, NoiseModel, Norm, RlweParams, SecretKey,
};
use asanoha_ring::{Basis, Evaluation, GaloisElement, Poly, RelativeSize, Scalar};
use asanoha_scheme::{
    Ciphertext, Exact, ExactPlaintext, Plain, Plaintext, Scheme, SchemeError, Space, State,
};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive};

use crate::{BgvParams, factor::balance};

/// The noise of a ciphertext is v = c₀ + c₁·s + …, message included, which must stay below Q/2. The message is f⁻¹·v
/// modulo t for the correction factor f: switching the modulus by D multiplies v, modulo t, by D⁻¹, and so f; products
/// multiply the factors. Carried along, it costs no noise until two ciphertexts of different factors are added.
impl Scheme for BgvParams {
    type Value = i64;
    /// The correction factor f modulo t, a unit.
    type Message = BigUint;
    type Plaintext = ExactPlaintext<Self>;
    type Public = ();
    type PlainState = Norm;
    type TransformState = Norm;
    type Constant = BigInt;
    type Factor = BigInt;

    const NAME: &'static str = "BGV";

    fn rlwe(&self) -> &RlweParams {
        &self.0.rlwe
    }

    /// The ring's parameters hold t, so their digest is enough; the encoding isn't the ciphertexts' matter.
    fn digest(&self) -> &str {
        self.0.rlwe.digest()
    }

    fn slots(&self) -> usize {
        self.0.space.values()
    }

    fn row_slots(&self) -> Option<usize> {
        self.0.space.row_slots()
    }

    fn row_swap(&self) -> Option<GaloisElement> {
        self.0.space.row_swap()
    }

    fn describe(&self) -> String {
        format!(
            "BGV of ring degree {} and plaintext modulus {}",
            self.rlwe().ring_degree(),
            self.plaintext_modulus()
        )
    }

    fn check_message(&self, factor: &BigUint) -> Result<(), &'static str> {
        let t = self.plaintext_modulus();
        let is_unit = factor < t && factor.gcd(t).is_one();
        is_unit.then_some(()).ok_or("the correction factor must be a unit modulo t")
    }

    /// The worst message, which is nothing beside the noise of public-key encryption.
    fn encoded(&self, (): &()) -> (BigUint, Norm) {
        (BigUint::one(), self.largest_norm())
    }

    fn public(&self, _: &ExactPlaintext<Self>) {}

    /// a·v₁ ± b·v₂ with multipliers that make the factors equal (1 and 1 where they are), so |a|·B₁ + |b|·B₂.
    fn sum(
        &self,
        left: &State<Self>,
        right: &State<Self>,
    ) -> Result<(State<Self>, Option<[BigInt; 2]>), SchemeError> {
        if left.message == right.message {
            return Ok((left.with_noise(left.noise + right.noise), None));
        }
        let t = self.plaintext_modulus();
        let (a, b) = balance(t, (&left.message, left.noise), (&right.message, right.noise));
        let noise = left.noise * Norm::from(a.magnitude()) + right.noise * Norm::from(b.magnitude());
        let message = a.magnitude() * &left.message % t;
        Ok((State { level: left.level, noise, message }, Some([a, b])))
    }

    fn plain_sum(&self, a: &State<Self>, norm: &Norm) -> Result<State<Self>, SchemeError> {
        Ok(a.with_noise(a.noise + *norm))
    }

    /// f·m modulo t, whose norm is its own and whose making costs a number-theoretic transform a prime.
    fn adapted<'p>(
        &self,
        plain: &'p ExactPlaintext<Self>,
        factor: &BigUint,
    ) -> Cow<'p, ExactPlaintext<Self>> {
        if factor.is_one() {
            return Cow::Borrowed(plain);
        }
        let scaled = self.space().scale(plain.plain(), &factor.clone().into());
        Cow::Owned(ExactPlaintext::new(self, scaled, plain.level()))
    }

    fn plain_product(&self, a: &State<Self>, norm: &Norm) -> State<Self> {
        a.with_noise(a.noise * *norm)
    }

    /// |c·f modulo t| is added.
    fn constant_sum(&self, a: &State<Self>, constant: &BigInt) -> Result<State<Self>, SchemeError> {
        let norm = Norm::from(constant_on(self, &a.message, constant).magnitude());
        Ok(a.with_noise(a.noise + norm))
    }

    fn add_constant_to(&self, c0: &mut Poly<Evaluation>, a: &State<Self>, constant: &BigInt) {
        let scalar = Scalar::new(c0.basis(), &constant_on(self, &a.message, constant));
        c0.add_scalar_assign(&scalar);
    }

    /// Times |k modulo t|.
    fn constant_product(
        &self,
        a: &State<Self>,
        factor: &BigInt,
    ) -> Result<(State<Self>, BigInt), SchemeError> {
        let factor = self.centred(factor);
        Ok((a.with_noise(a.noise * Norm::from(factor.magnitude())), factor))
    }

    fn constant_factor(&self, _: &State<Self>, constant: &BigInt) -> Result<(BigInt, bool), SchemeError> {
        Ok((constant.clone(), true))
    }

    /// The noises' product and the factors' product.
    fn product(&self, _: &NoiseModel, left: &State<Self>, right: &State<Self>) -> State<Self> {
        let message = &left.message * &right.message % self.plaintext_modulus();
        State { level: left.level, noise: left.noise * right.noise, message }
    }

    fn transformed(
        &self,
        a: &State<Self>,
        _: &DiagonalSteps,
        norm: &Norm,
        growth: DiagonalNoise,
    ) -> State<Self> {
        let factor = Norm::from(self.rlwe().noise_factor());
        a.with_noise((a.noise + factor * growth.image) * *norm + factor * growth.sum)
    }

    /// Times D⁻¹.
    fn divided(&self, factor: &BigUint, dropped: &Basis) -> BigUint {
        let t = self.plaintext_modulus();
        let inverse = dropped.product().modinv(t).expect("t has no common factor with the modulus");
        factor * inverse % t
    }
}

impl Exact for BgvParams {
    fn space(&self) -> &Space {
        &self.0.space
    }

    fn plain_message(&self) -> BigUint {
        BigUint::one()
    }

    /// f⁻¹·v modulo t. The conversion to t is exact but next to ±Q/2, where the noise bound, held against the size of v, keeps v
    /// away from.
    ///
    /// The canonical norm that the bound speaks of is at least the Euclidean norm of the coefficients, which for uniform ones
    /// is about √(N/12)·Q, far above any bound below Q/2.
    fn decrypted(&self, secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> Result<Plain, SchemeError> {
        let v = secret.decrypt(ciphertext.rlwe());
        let error = (v.basis().ring_degree() as f64).sqrt() * RelativeSize::ERROR;
        let basis = v.basis().clone();
        let inverse = ciphertext.message().modinv(self.plaintext_modulus()).expect("factors are units");
        let (plain, size) = self.space().reduce_scaled(v, &inverse);
        NoiseAboveBound::check(&basis, size.euclidean, error, ciphertext.noise())?;
        Ok(plain)
    }

    /// The inverse of the correction factor.
    fn form_unit(&self, factor: &BigUint, t: u64) -> u64 {
        let inverse = factor.modinv(&t.into()).expect("factors are units");
        inverse.to_u64().expect("below a word")
    }
}

/// c·f modulo t, centred.
fn constant_on(params: &BgvParams, factor: &BigUint, constant: &BigInt) -> BigInt {
    params.centred(&(constant * BigInt::from(factor.clone())))
}

/// The noise as it is, log2 of the largest coefficient of v = c₀ + c₁·s + … (−∞ for none). The coefficients are at
/// most the canonical norm that the ciphertext's bound speaks of.
pub fn measure(secret: &SecretKey, ciphertext: &Ciphertext<BgvParams>) -> f64 {
    let v = secret.decrypt(ciphertext.rlwe()).to_integers();
    v.iter().map(BigInt::magnitude).max().map_or(f64::NEG_INFINITY, |largest| Norm::from(largest).log2())
}
