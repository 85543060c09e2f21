//! Noise: the bound that every operation's result carries, and the measurement that tests hold against it.

use asanoha_lattice::{DiagonalSteps, Level, NoiseModel, Norm, SecretKey, Trace};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

use crate::{BgvCiphertext, BgvError, BgvParams, factor::balance};

/// Between the noise bound and Q/2, in bits: far more than double precision loses in sums of bounds or in finding
/// the centred representative, and nothing to a plan.
const MARGIN_BITS: f64 = 1.0 / (1u64 << 20) as f64;

/// What noise prediction knows of a ciphertext. The evaluator asks [`BgvNoise`] for every result's state, so that a
/// plan that asks the same in the same order predicts every ciphertext's bound exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseState {
    /// The level.
    pub level: Level,
    /// The correction factor modulo t.
    pub factor: BigUint,
    /// Bound on the canonical norm of v = c₀ + c₁·s + …, message included.
    pub noise: Norm,
}

/// The noise of every operation, from its operands' states. All fail with [`BgvError::OutOfModulus`] where the
/// result wouldn't be decryptable.
#[derive(Clone, Debug)]
pub struct BgvNoise {
    params: BgvParams,
    model: NoiseModel,
    /// The noise factor t.
    factor: Norm,
}

impl BgvNoise {
    /// For these parameters.
    pub fn new(params: &BgvParams) -> Self {
        Self::with_model(params, *params.rlwe().noise())
    }

    /// By another model of what the lattice operations add, for comparison (see [`NoiseModel::of_deviations`]);
    /// evaluators go by [`BgvNoise::new`].
    pub fn with_model(params: &BgvParams, model: NoiseModel) -> Self {
        Self { params: params.clone(), model, factor: Norm::from(params.rlwe().noise_factor()) }
    }

    /// The parameters.
    pub(crate) fn params(&self) -> &BgvParams {
        &self.params
    }

    /// log2 of half the modulus of a level: the noise must stay below.
    pub fn available_bits(&self, level: Level) -> f64 {
        self.params.rlwe().q(level).log2_product() - 1.0 - MARGIN_BITS
    }

    /// Whether a ciphertext of this state decrypts; gives the state back.
    pub fn check(&self, state: NoiseState) -> Result<NoiseState, BgvError> {
        let (noise_bits, available_bits) = (state.noise.log2(), self.available_bits(state.level));
        if noise_bits < available_bits {
            Ok(state)
        } else {
            Err(BgvError::OutOfModulus { noise_bits, available_bits, level: state.level.0 })
        }
    }

    /// The norm of the worst message: as many coefficients of t/2 as plaintexts hold numbers.
    pub fn message(&self) -> Norm {
        Norm::from(self.params.slots() as f64) * Norm::from(self.params.space().largest_value().magnitude())
    }

    /// What dividing a ciphertext of so many parts adds: t·(r₀ + r₁·s + …), the rᵢ uniform in [−½, ½].
    pub fn rounding(&self, parts: usize) -> Norm {
        self.factor * self.model.rounding(parts)
    }

    /// A fresh encryption under the public key: t·(e·u + e₀ + e₁·s) over a special prime, the rounding, and the worst
    /// message.
    pub fn fresh_public(&self, level: Level) -> Result<NoiseState, BgvError> {
        let fresh = self.params.rlwe().fresh_public_noise(&self.model);
        let noise = self.factor * fresh + self.message();
        self.check(NoiseState { level, factor: BigUint::one(), noise })
    }

    /// A fresh encryption under the secret key: t·e and the worst message.
    pub fn fresh_secret(&self, level: Level) -> Result<NoiseState, BgvError> {
        let noise = self.factor * self.model.fresh_secret() + self.message();
        self.check(NoiseState { level, factor: BigUint::one(), noise })
    }

    /// A sum or difference: a·v₁ ± b·v₂ with multipliers that make the factors equal (1 and 1 where they are), so
    /// |a|·B₁ + |b|·B₂.
    pub fn add(&self, left: &NoiseState, right: &NoiseState) -> Result<NoiseState, BgvError> {
        Ok(self.add_with_multipliers(left, right)?.0)
    }

    /// As [`BgvNoise::add`], with the multipliers a and b.
    pub(crate) fn add_with_multipliers(
        &self,
        left: &NoiseState,
        right: &NoiseState,
    ) -> Result<(NoiseState, (BigInt, BigInt)), BgvError> {
        same_level(left, right)?;
        let t = self.params.plaintext_modulus();
        let (a, b) = balance(t, (&left.factor, left.noise), (&right.factor, right.noise));
        let noise = left.noise * Norm::from(a.magnitude()) + right.noise * Norm::from(b.magnitude());
        let state = NoiseState { factor: a.magnitude() * &left.factor % t, noise, level: left.level };
        Ok((self.check(state)?, (a, b)))
    }

    /// A sum with a plaintext of the given norm, which has taken on the ciphertext's factor: the norms' sum.
    pub fn add_plain(&self, a: NoiseState, norm: Norm) -> Result<NoiseState, BgvError> {
        self.check(NoiseState { noise: a.noise + norm, ..a })
    }

    /// A product with a plaintext of the given norm: the norms' product.
    pub fn mul_plain(&self, a: NoiseState, norm: Norm) -> Result<NoiseState, BgvError> {
        self.check(NoiseState { noise: a.noise * norm, ..a })
    }

    /// A sum with a constant c: |c·f modulo t| is added.
    pub fn add_constant(&self, a: NoiseState, constant: &BigInt) -> Result<NoiseState, BgvError> {
        let norm = Norm::from(self.constant_on(&a.factor, constant).magnitude());
        self.add_plain(a, norm)
    }

    /// A product with a constant c: times |c modulo t|.
    pub fn mul_constant(&self, a: NoiseState, constant: &BigInt) -> Result<NoiseState, BgvError> {
        self.mul_plain(a, Norm::from(self.constant_on(&BigUint::one(), constant).magnitude()))
    }

    /// c·f modulo t, centred.
    pub(crate) fn constant_on(&self, factor: &BigUint, constant: &BigInt) -> BigInt {
        let t = self.params.space().wide_modulus();
        t.centred(&t.row(&(constant * BigInt::from(factor.clone()))))
    }

    /// A product that isn't relinearised: the noises' product and the factors' product.
    pub fn multiply_without_relinearise(
        &self,
        left: &NoiseState,
        right: &NoiseState,
    ) -> Result<NoiseState, BgvError> {
        same_level(left, right)?;
        let factor = &left.factor * &right.factor % self.params.plaintext_modulus();
        self.check(NoiseState { noise: left.noise * right.noise, factor, level: left.level })
    }

    /// A relinearised product.
    pub fn multiply(&self, left: &NoiseState, right: &NoiseState) -> Result<NoiseState, BgvError> {
        self.key_switch(self.multiply_without_relinearise(left, right)?)
    }

    /// A relinearisation, rotation or row swap: one key switch's noise is added.
    pub fn key_switch(&self, a: NoiseState) -> Result<NoiseState, BgvError> {
        let added = self.params.rlwe().switch_sum_noise(&self.model, a.level, 1);
        let noise = a.noise + self.factor * added;
        self.check(NoiseState { noise, ..a })
    }

    /// A trace: at every stage the noises add up, and the stage's key switches' noise is added.
    pub fn trace(&self, a: NoiseState, trace: &Trace) -> Result<NoiseState, BgvError> {
        let growth = trace.noise_growth(self.params.rlwe(), &self.model, a.level);
        let noise = growth
            .into_iter()
            .fold(a.noise, |noise, (count, added)| noise * count as f64 + self.factor * added);
        self.check(NoiseState { noise, ..a })
    }

    /// A linear transform by diagonals of the given sum of norms: what a diagonal is multiplied by has its image's noise,
    /// and the sum its key switches'.
    pub fn transform(
        &self,
        a: NoiseState,
        steps: &DiagonalSteps,
        norm: Norm,
    ) -> Result<NoiseState, BgvError> {
        let growth = steps.noise_growth(self.params.rlwe(), &self.model, a.level);
        let noise = (a.noise + self.factor * growth.image) * norm + self.factor * growth.sum;
        self.check(NoiseState { noise, ..a })
    }

    /// A switch to a lower level of a ciphertext of so many parts, dividing by the product D of the dropped primes:
    /// B/D and the rounding's t·(r₀ + r₁·s); the factor is multiplied by D⁻¹.
    pub fn switch_to(&self, a: NoiseState, parts: usize, level: Level) -> Result<NoiseState, BgvError> {
        if level > a.level {
            return Err(BgvError::LevelTooHigh { asked: level.0, highest: a.level.0 });
        }
        if level == a.level {
            return Ok(a);
        }
        let rlwe = self.params.rlwe();
        let dropped = rlwe.q(a.level).range(level.0 + 1..a.level.0 + 1);
        let noise = a.noise * Norm::from_log2(-dropped.log2_product()) + self.rounding(parts);
        let t = self.params.plaintext_modulus();
        let inverse = dropped.product().modinv(t).expect("t has no common factor with the modulus");
        let factor = a.factor * inverse % t;
        self.check(NoiseState { level, factor, noise })
    }
}

pub(crate) fn same_level(left: &NoiseState, right: &NoiseState) -> Result<(), BgvError> {
    if left.level == right.level {
        Ok(())
    } else {
        Err(BgvError::LevelMismatch { left: left.level.0, right: right.level.0 })
    }
}

/// The noise as it is, log2 of the largest coefficient of v = c₀ + c₁·s + … (−∞ for none). The coefficients are at
/// most the canonical norm that the ciphertext's bound speaks of.
pub fn measure(secret: &SecretKey, ciphertext: &BgvCiphertext) -> f64 {
    let v = secret.decrypt(&ciphertext.rlwe).to_integers();
    v.iter().map(BigInt::magnitude).max().map_or(f64::NEG_INFINITY, |largest| Norm::from(largest).log2())
}

/// What is left of the modulus: log2(Q/2) less the noise bound's log2, in bits.
pub fn budget_bits(params: &BgvParams, ciphertext: &BgvCiphertext) -> f64 {
    BgvNoise::new(params).available_bits(ciphertext.level()) - ciphertext.noise.log2()
}
