//! Noise: the bound that every operation's result carries, and the measurement that tests hold against it.

use asanoha_lattice::{Level, NoiseModel, Norm, SecretKey, Trace};
use num_bigint::BigInt;

use crate::{BfvCiphertext, BfvError, BfvParams};

/// Between the noise bound and Q/2t, in bits: far more than double precision loses in sums of bounds or in rounding at
/// decryption, and nothing to a plan.
const MARGIN_BITS: f64 = 1.0 / (1u64 << 20) as f64;

/// What noise prediction knows of a ciphertext. The evaluator asks [`BfvNoise`] for every result's state, so that a
/// plan that asks the same in the same order predicts every ciphertext's bound exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseState {
    /// The level.
    pub level: Level,
    /// Bound on the canonical norm of e = v − Q/t·m, with v = c₀ + c₁·s + … and m some representative of the message.
    pub noise: Norm,
}

/// The noise of every operation, from its operands' states. All fail with [`BfvError::OutOfModulus`] where the
/// result wouldn't be decryptable.
///
/// The message m may be any of its representatives modulo t: another one changes Q/t·m by a multiple of Q. |t| is here
/// t itself, or the norm b + 1 of the polynomial X^k − b.
#[derive(Clone, Debug)]
pub struct BfvNoise {
    params: BfvParams,
    model: NoiseModel,
}

impl BfvNoise {
    /// For these parameters; bounds fail with a probability of at most 2^−160.
    pub fn new(params: &BfvParams) -> Self {
        Self::with_model(params, *params.rlwe().noise())
    }

    /// By another model of what the lattice operations add, such as the literature's D = 6
    /// ([`NoiseModel::of_deviations`]), whose bounds fail more often. Evaluators and encryptors go by it if it's given to
    /// them.
    pub fn with_model(params: &BfvParams, model: NoiseModel) -> Self {
        Self { params: params.clone(), model }
    }

    /// The parameters.
    pub(crate) fn params(&self) -> &BfvParams {
        &self.params
    }

    /// log2 of what the noise's norm must stay below: its coefficients, below Q/2t.
    pub fn available_bits(&self, level: Level) -> f64 {
        let largest = self.params.rlwe().q(level).log2_product() - self.params.modulus_norm().log2() - 1.0;
        largest - self.model.coefficient().log2() - MARGIN_BITS
    }

    /// Whether a ciphertext of this state decrypts; gives the state back.
    pub fn check(&self, state: NoiseState) -> Result<NoiseState, BfvError> {
        let (noise_bits, available_bits) = (state.noise.log2(), self.available_bits(state.level));
        if noise_bits < available_bits {
            Ok(state)
        } else {
            Err(BfvError::OutOfModulus { noise_bits, available_bits, level: state.level.0 })
        }
    }

    /// No noise.
    pub(crate) fn zero(level: Level) -> NoiseState {
        NoiseState { level, noise: Norm::ZERO }
    }

    /// A fresh encryption under the public key: e·u + e₀ + e₁·s over a special prime, the division's rounding, and the
    /// encoding's.
    pub fn fresh_public(&self, level: Level) -> Result<NoiseState, BfvError> {
        self.fresh(level, self.params.rlwe().fresh_public_noise(&self.model))
    }

    /// A fresh encryption under the secret key: e and the encoding's rounding.
    pub fn fresh_secret(&self, level: Level) -> Result<NoiseState, BfvError> {
        self.fresh(level, self.model.fresh_secret())
    }

    fn fresh(&self, level: Level, encryption: f64) -> Result<NoiseState, BfvError> {
        self.check(NoiseState { level, noise: Norm::from(encryption) + self.params.encoding_noise() })
    }

    /// A sum or difference: the sum of the noises.
    pub fn add(&self, left: NoiseState, right: NoiseState) -> Result<NoiseState, BfvError> {
        same_level(left.level, right.level)?;
        self.check(NoiseState { noise: left.noise + right.noise, ..left })
    }

    /// A sum with a plaintext or a constant: the encoding's rounding is added, whatever the plaintext.
    pub fn add_plain(&self, a: NoiseState) -> Result<NoiseState, BfvError> {
        self.check(NoiseState { noise: a.noise + self.params.encoding_noise(), ..a })
    }

    /// A product with a plaintext of the given norm: times the norm.
    pub fn mul_plain(&self, a: NoiseState, norm: Norm) -> Result<NoiseState, BfvError> {
        self.check(NoiseState { noise: a.noise * norm, ..a })
    }

    /// A product that isn't relinearised.
    ///
    /// With a(s) = Q·A + e_a, A ≡ m_a/t modulo 1, and so for b, the product t/Q·a(s)·b(s) is Q/t·m_a·m_b modulo Q and
    /// t/Q·(a(s)·e_b + b(s)·e_a − e_a·e_b). The a_i being uniform, |a(s)| ≤ Q·α with α the norm of r₀ + r₁·s, the rᵢ
    /// uniform in [−½, ½]. Rounding R/Q·b adds t/R·a(s)·ε(s), |ε(s)| ≤ α; that of the result r₀ + r₁·s + r₂·s².
    ///
    /// a(s) and e_b aren't taken for independent, though they are if a is a fresh encryption, or the relinearisation of a
    /// product, that b wasn't made of. A bound on independent factors would be lower by half of log2(k!) bits or so after
    /// k products. But a ciphertext doesn't show what it was made of: that of x·(y + 1) − x·y has the parts of x, whatever
    /// its depth, and as a factor of x^k it multiplies the noise by the same a(s) at the same root once more.
    pub fn multiply_without_relinearise(
        &self,
        left: NoiseState,
        right: NoiseState,
    ) -> Result<NoiseState, BfvError> {
        same_level(left.level, right.level)?;
        let (level, uniform) = (left.level, Norm::from(self.model.rounding(2)));
        let (a, b) = (left.noise, right.noise);
        let log2_q = self.params.rlwe().q(level).log2_product();
        let both = a * b * Norm::from_log2(-log2_q);
        let auxiliary = self.params.auxiliary(level).log2_product();
        let operand = uniform * uniform * Norm::from_log2(log2_q - auxiliary);
        let sum = uniform * a + uniform * b + both + operand;
        let noise = sum * self.params.modulus_norm() + Norm::from(self.model.rounding(3));
        self.check(NoiseState { level, noise })
    }

    /// A relinearised product.
    pub fn multiply(&self, left: NoiseState, right: NoiseState) -> Result<NoiseState, BfvError> {
        self.key_switch(self.multiply_without_relinearise(left, right)?)
    }

    /// A relinearisation, rotation or row swap: one key switch's noise is added.
    pub fn key_switch(&self, a: NoiseState) -> Result<NoiseState, BfvError> {
        let key_switch = self.params.rlwe().switch_sum_noise(&self.model, a.level, 1);
        self.check(NoiseState { noise: a.noise + Norm::from(key_switch), ..a })
    }

    /// A trace: at every stage the noises add up, and the stage's key switches' noise is added.
    pub fn trace(&self, a: NoiseState, trace: &Trace) -> Result<NoiseState, BfvError> {
        let growth = trace.noise_growth(self.params.rlwe(), &self.model, a.level);
        let stage = |noise, (count, added)| noise * count as f64 + Norm::from(added);
        self.check(NoiseState { noise: growth.into_iter().fold(a.noise, stage), ..a })
    }

    /// A switch to a lower level of a ciphertext of so many parts, dividing by the product D of the dropped primes:
    /// B/D and the rounding's r₀ + r₁·s.
    pub fn switch_to(&self, a: NoiseState, parts: usize, level: Level) -> Result<NoiseState, BfvError> {
        if level > a.level {
            return Err(BfvError::LevelTooHigh { asked: level.0, highest: a.level.0 });
        }
        if level == a.level {
            return Ok(a);
        }
        let dropped = self.params.rlwe().q(a.level).range(level.0 + 1..a.level.0 + 1).log2_product();
        let noise = a.noise * Norm::from_log2(-dropped) + Norm::from(self.model.rounding(parts));
        self.check(NoiseState { level, noise })
    }
}

pub(crate) fn same_level(left: Level, right: Level) -> Result<(), BfvError> {
    if left == right { Ok(()) } else { Err(BfvError::LevelMismatch { left: left.0, right: right.0 }) }
}

/// What is left of the modulus in bits: [`BfvNoise::available_bits`] less the noise bound's.
pub fn budget_bits(params: &BfvParams, ciphertext: &BfvCiphertext) -> f64 {
    BfvNoise::new(params).available_bits(ciphertext.level()) - ciphertext.noise.log2()
}

/// The noise as it is, log2 of the largest coefficient of t·e over |t| (−∞ for none): decryption fails where that
/// reaches Q/2t. It's at most the canonical norm that the ciphertext's bound speaks of, mostly about √N below it.
pub fn measure(params: &BfvParams, secret: &SecretKey, ciphertext: &BfvCiphertext) -> f64 {
    let rest = params.space().times_modulus(secret.decrypt(&ciphertext.rlwe)).to_integers();
    let largest = rest.iter().map(BigInt::magnitude).max().map_or(Norm::ZERO, Norm::from);
    largest.log2() - params.modulus_norm().log2()
}
