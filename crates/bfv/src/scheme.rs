//! What is BFV's own: how its polynomials carry messages, how noise grows, and how ciphertexts are multiplied.

use asanoha_lattice::{
    DiagonalNoise, DiagonalSteps, Level, NoiseAboveBound, NoiseModel, Norm, RlweCiphertext, RlweParams,
    SecretKey,
};
use asanoha_ring::{Basis, Evaluation, GaloisElement, Poly, RelativeSize};
use asanoha_scheme::{
    Ciphertext, Exact, ExactPlaintext, Plain, ProductLevel, Scheme, SchemeError, Space, State,
};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use crate::BfvParams;

/// The noise of a ciphertext is e = v − Q/t·m, with v = c₀ + c₁·s + … and m any representative of the message modulo t: another
/// one changes Q/t·m by a multiple of Q. |t| is here t itself, or the norm b + 1 of the polynomial X^k − b.
impl Scheme for BfvParams {
    type Value = i64;
    /// The message stands at the top of the modulus, without any correction.
    type Message = ();
    type Plaintext = ExactPlaintext<Self>;
    type Public = ();
    type PlainState = Norm;
    type TransformState = Norm;
    type Constant = BigInt;
    type Factor = BigInt;

    const NAME: &'static str = "BFV";
    /// A product adds about the same to the noise at every level, so that what a switch wastes is missing at the end.
    const PRODUCT_LEVEL: ProductLevel = ProductLevel::Lossless;

    fn rlwe(&self) -> &RlweParams {
        &self.0.rlwe
    }

    /// Keys belong to the ring's parameters, which have a digest of their own: they don't depend on the plaintext modulus.
    fn digest(&self) -> &str {
        &self.0.digest
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
        let t = &self.literal().plaintext_modulus;
        format!("BFV of ring degree {} and plaintext modulus {t}", self.rlwe().ring_degree())
    }

    /// The coefficients of the noise must stay below Q/2t, and they're a part of the norm.
    fn reserved_bits(&self, model: &NoiseModel) -> f64 {
        self.modulus_norm().log2() + model.coefficient().log2()
    }

    /// The rounding of Q/t·m, of the worst message: nothing beside the noise of public-key encryption.
    fn encoded(&self, (): &()) -> ((), Norm) {
        ((), self.encoding_noise())
    }

    fn public(&self, _: &ExactPlaintext<Self>) {}

    fn sum(
        &self,
        left: &State<Self>,
        right: &State<Self>,
    ) -> Result<(State<Self>, Option<[BigInt; 2]>), SchemeError> {
        Ok((left.with_noise(left.noise + right.noise), None))
    }

    /// The encoding's rounding is added, whatever the plaintext.
    fn plain_sum(&self, a: &State<Self>, _: &Norm) -> Result<State<Self>, SchemeError> {
        Ok(a.with_noise(a.noise + self.encoding_noise()))
    }

    fn plain_product(&self, a: &State<Self>, norm: &Norm) -> State<Self> {
        a.with_noise(a.noise * *norm)
    }

    /// The rounding of Q/t·c is added.
    fn constant_sum(&self, a: &State<Self>, _: &BigInt) -> Result<State<Self>, SchemeError> {
        Ok(a.with_noise(a.noise + self.encoding_noise()))
    }

    fn add_constant_to(&self, c0: &mut Poly<Evaluation>, a: &State<Self>, constant: &BigInt) {
        c0.add_assign(&self.scaled_plain(&self.space().constant(constant), a.level));
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

    /// The digits of a constant in base b, where their norm is below the constant.
    fn factor_plaintext(&self, factor: &BigInt, level: Level) -> Option<ExactPlaintext<Self>> {
        let Space::Binomial(_) = self.space() else { return None };
        let integer = Norm::from(self.centred(factor).magnitude());
        let plain = ExactPlaintext::new(self, self.space().constant(factor), level);
        (plain.norm() < integer).then_some(plain)
    }

    /// With a(s) = Q·A + e_a, A ≡ m_a/t modulo 1, and so for b, the product t/Q·a(s)·b(s) is Q/t·m_a·m_b modulo Q and
    /// t/Q·(a(s)·e_b + b(s)·e_a − e_a·e_b). The a_i being uniform, |a(s)| ≤ Q·α with α the norm of r₀ + r₁·s, the rᵢ
    /// uniform in [−½, ½]. Rounding R/Q·b adds t/R·a(s)·ε(s), |ε(s)| ≤ α; that of the result r₀ + r₁·s + r₂·s².
    ///
    /// a(s) and e_b aren't taken for independent, though they are if a is a fresh encryption, or the relinearisation of a
    /// product, that b wasn't made of. A bound on independent factors would be lower by half of log2(k!) bits or so after
    /// k products. But a ciphertext doesn't show what it was made of: that of x·(y + 1) − x·y has the parts of x, whatever
    /// its depth, and as a factor of x^k it multiplies the noise by the same a(s) at the same root once more.
    fn product(&self, model: &NoiseModel, left: &State<Self>, right: &State<Self>) -> State<Self> {
        let (level, uniform) = (left.level, Norm::from(model.rounding(2)));
        let (a, b) = (left.noise, right.noise);
        let log2_q = self.rlwe().q(level).log2_product();
        let both = a * b * Norm::from_log2(-log2_q);
        let auxiliary = self.auxiliary(level).log2_product();
        let operand = uniform * uniform * Norm::from_log2(log2_q - auxiliary);
        let sum = uniform * a + uniform * b + both + operand;
        left.with_noise(sum * self.modulus_norm() + Norm::from(model.rounding(3)))
    }

    /// t/Q times the tensor product, rounded.
    fn tensor(&self, left: &RlweCiphertext, right: &RlweCiphertext) -> RlweCiphertext {
        let [a, b] = [left, right].map(|operand| [&operand.parts[0], &operand.parts[1]]);
        RlweCiphertext { parts: self.scaled_tensor(left.level()).product(a, b).into() }
    }

    fn tensor_sum(&self, left: &[&RlweCiphertext], right: &[&RlweCiphertext]) -> RlweCiphertext {
        let mut products = left.iter().zip(right).map(|(left, right)| self.tensor(left, right));
        let first = products.next().expect("there is a product");
        products.fold(first, |mut sum, product| {
            sum.add_assign(&product);
            sum
        })
    }

    fn tensor_square(&self, a: &RlweCiphertext) -> RlweCiphertext {
        let parts = self.scaled_tensor(a.level()).square([&a.parts[0], &a.parts[1]]).into();
        RlweCiphertext { parts }
    }

    fn transformed(
        &self,
        a: &State<Self>,
        _: &DiagonalSteps,
        norm: &Norm,
        growth: DiagonalNoise,
    ) -> State<Self> {
        a.with_noise((a.noise + Norm::from(growth.image)) * *norm + Norm::from(growth.sum))
    }

    fn divided(&self, (): &(), _: &Basis) {}
}

impl Exact for BfvParams {
    const FORMS_TIMES_T: bool = true;

    fn space(&self) -> &Space {
        &self.0.space
    }

    fn plain_message(&self) {}

    fn scaled(&self, plain: &Plain, level: Level) -> Option<Poly<Evaluation>> {
        Some(self.scaled_plain(plain, level))
    }

    /// round(t/Q·v) modulo t.
    ///
    /// The noise is held against its bound by the size of t·e, which is rounded away: the canonical norm that the bound speaks
    /// of is at least the Euclidean norm of the coefficients, and decryption counts on coefficients that are a part of it. Of
    /// uniform ones the largest is next to Q/2, and the Euclidean norm about √(N/12)·Q.
    fn decrypted(&self, secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> Result<Plain, SchemeError> {
        let rlwe = self.rlwe();
        let rounding = self.rounding(ciphertext.level());
        let (m, size) = rounding.round(secret.decrypt(ciphertext.rlwe()), self.space());
        let basis = rlwe.q(ciphertext.level());
        let bound = ciphertext.noise() * self.modulus_norm();
        let error = (rlwe.ring_degree() as f64).sqrt() * RelativeSize::ERROR;
        NoiseAboveBound::check(basis, size.euclidean, error, bound)?;
        let coefficient = bound * rlwe.noise().coefficient();
        NoiseAboveBound::check(basis, size.largest, RelativeSize::ERROR, coefficient)?;
        Ok(self.space().reduce(m))
    }

    /// −1/Q modulo t.
    fn bilinear_unit(&self, level: Level, t: u64) -> u64 {
        let inverse = self.rlwe().q(level).product().modinv(&BigUint::from(t));
        t - inverse.and_then(|inverse| inverse.to_u64()).expect("no prime of Q divides t")
    }
}

/// The noise as it is, log2 of the largest coefficient of t·e over |t| (−∞ for none): decryption fails where that
/// reaches Q/2t. It's at most the canonical norm that the ciphertext's bound speaks of, mostly about √N below it.
pub fn measure(secret: &SecretKey, ciphertext: &Ciphertext<BfvParams>) -> f64 {
    let params = ciphertext.scheme();
    let rest = params.space().times_modulus(secret.decrypt(ciphertext.rlwe())).to_integers();
    let largest = rest.iter().map(BigInt::magnitude).max().map_or(Norm::ZERO, Norm::from);
    largest.log2() - params.modulus_norm().log2()
}
