//! Noise: the bounds that every operation's result carries, and the measurement that tests hold against them.

use asanoha_lattice::{DiagonalSteps, Level, LevelTooLow, SecretKey, Trace};

use crate::{CkksCiphertext, CkksError, CkksParams, Complex64, Decryptor, TransformState};

/// Between bound·scale + noise and Q/2, in bits: far more than double precision loses in sums of bounds or in finding
/// the centred representative, and nothing to a plan.
const MARGIN_BITS: f64 = 1.0 / (1u64 << 20) as f64;

/// Scales that differ by a smaller part than this count as equal; the difference times the bound is noise. Canonical
/// scales that were reached in different ways differ by some 2^−50; primes differ from one another by more than
/// 2^−40 in all but contrived sets.
const SCALE_TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// Half a unit in the last place of a double, relative.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// What noise prediction knows of a ciphertext. The evaluator asks [`CkksNoise`] for every result's state, so that a
/// plan that asks the same in the same order predicts every ciphertext's state exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseState {
    /// The level.
    pub level: Level,
    /// The factor between values and coefficients.
    pub scale: f64,
    /// Bound on the absolute values of the slots.
    pub bound: f64,
    /// Bound on the canonical norm of the error, in scaled units.
    pub noise: f64,
}

impl NoiseState {
    /// The state of the same ciphertext, whose values are known to be within a bound: a wider one changes nothing.
    ///
    /// # Errors
    /// [`CkksError::InvalidBound`] if it's negative or not a number.
    pub fn narrow_bound(self, bound: f64) -> Result<Self, CkksError> {
        let is_bound = bound >= 0.0;
        if !is_bound {
            return Err(CkksError::InvalidBound { bound });
        }
        Ok(Self { bound: self.bound.min(bound), ..self })
    }
}

/// The scale and the bound of a plaintext, which is all that noise prediction knows of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainState {
    /// The factor between values and coefficients.
    pub scale: f64,
    /// Bound on the absolute values of the slots.
    pub bound: f64,
}

/// The noise of every operation, from its operands' states. All fail with [`CkksError::OutOfModulus`] where the
/// result wouldn't be decryptable: bound·scale + noise must stay below Q/2.
#[derive(Clone, Debug)]
pub struct CkksNoise {
    params: CkksParams,
}

impl CkksNoise {
    /// For these parameters.
    pub fn new(params: &CkksParams) -> Self {
        Self { params: params.clone() }
    }

    /// log2 of half the modulus of a level.
    pub fn available_bits(&self, level: Level) -> f64 {
        self.params.rlwe().q(level).log2_product() - 1.0 - MARGIN_BITS
    }

    /// Whether a ciphertext of this state decrypts; gives the state back.
    pub fn check(&self, state: NoiseState) -> Result<NoiseState, CkksError> {
        let needed_bits = (state.bound * state.scale + state.noise).log2();
        let available_bits = self.available_bits(state.level);
        if needed_bits < available_bits {
            Ok(state)
        } else {
            Err(CkksError::OutOfModulus { needed_bits, available_bits, level: state.level.0 })
        }
    }

    /// The error of encoding: the coefficients' rounding, uniform in ±½ and independent as for any but contrived
    /// values, and that of the transform in double precision, at most log2(N) roundings of the bound, spread over
    /// the slots.
    pub fn encoding(&self, plain: PlainState) -> f64 {
        let noise = self.params.rlwe().noise();
        let n = self.params.rlwe().ring_degree() as f64;
        let transform = noise.independent(1.0 / n) * n.log2() * ROUNDING;
        noise.independent(1.0 / 12.0) + transform * plain.bound * plain.scale
    }

    /// A fresh encryption under the public key: e·u + e₀ + e₁·s over a special prime, the rounding, and the
    /// encoding's error.
    pub fn fresh_public(&self, level: Level, plain: PlainState) -> Result<NoiseState, CkksError> {
        let rlwe = self.params.rlwe();
        self.fresh(level, plain, rlwe.fresh_public_noise(rlwe.noise()))
    }

    /// A fresh encryption under the secret key: e, and the encoding's error.
    pub fn fresh_secret(&self, level: Level, plain: PlainState) -> Result<NoiseState, CkksError> {
        self.fresh(level, plain, self.params.rlwe().noise().fresh_secret())
    }

    fn fresh(&self, level: Level, plain: PlainState, noise: f64) -> Result<NoiseState, CkksError> {
        let noise = noise + self.encoding(plain);
        self.check(NoiseState { level, scale: plain.scale, bound: plain.bound, noise })
    }

    /// A sum or difference: the bounds and the noises add up; a difference of the scales within the tolerance is
    /// noise of the right operand.
    pub fn add(&self, left: NoiseState, right: NoiseState) -> Result<NoiseState, CkksError> {
        same_level(left.level, right.level)?;
        let drift = right.bound * scale_difference(left.scale, right.scale)?;
        self.check(NoiseState {
            bound: left.bound + right.bound,
            noise: left.noise + right.noise + drift,
            ..left
        })
    }

    /// A sum with or difference from a plaintext of the same level: the encoding's error is added.
    pub fn add_plain(&self, a: NoiseState, plain: PlainState) -> Result<NoiseState, CkksError> {
        let drift = plain.bound * scale_difference(a.scale, plain.scale)?;
        let noise = a.noise + self.encoding(plain) + drift;
        self.check(NoiseState { bound: a.bound + plain.bound, noise, ..a })
    }

    /// A product with a plaintext of the same level, not rescaled: with the encoding's error ε,
    /// noise·(bound'·scale' + ε) + bound·scale·ε.
    pub fn mul_plain(&self, a: NoiseState, plain: PlainState) -> Result<NoiseState, CkksError> {
        let encoding = self.encoding(plain);
        let noise = a.noise * (plain.bound * plain.scale + encoding) + a.bound * a.scale * encoding;
        let (scale, bound) = (a.scale * plain.scale, a.bound * plain.bound);
        self.check(NoiseState { scale, bound, noise, ..a })
    }

    /// A sum with a real constant c: c·scale is rounded to an integer.
    pub fn add_constant(&self, a: NoiseState, constant: f64) -> Result<NoiseState, CkksError> {
        let constant = finite(constant)?.abs();
        let noise = a.noise + 0.5 + constant * a.scale * ROUNDING;
        self.check(NoiseState { bound: a.bound + constant, noise, ..a })
    }

    /// A product with a real constant c at a scale s of its own, not rescaled: c·s is rounded to the integer k, so
    /// |k|·noise + bound·scale·|k − c·s|.
    pub fn mul_constant(
        &self,
        a: NoiseState,
        constant: f64,
        constant_scale: f64,
    ) -> Result<NoiseState, CkksError> {
        let exact = finite(constant)?.abs() * valid_scale(constant_scale)?;
        let integer = exact.round();
        let error = (integer - exact).abs() + exact * ROUNDING;
        let noise = integer * a.noise + a.bound * a.scale * error;
        let (scale, bound) = (a.scale * constant_scale, a.bound * constant.abs());
        self.check(NoiseState { scale, bound, noise, ..a })
    }

    /// A product that isn't relinearised: bound₁·scale₁·noise₂ + bound₂·scale₂·noise₁ + noise₁·noise₂.
    pub fn multiply_without_relinearise(
        &self,
        left: NoiseState,
        right: NoiseState,
    ) -> Result<NoiseState, CkksError> {
        same_level(left.level, right.level)?;
        let noise = left.bound * left.scale * right.noise
            + right.bound * right.scale * left.noise
            + left.noise * right.noise;
        let (scale, bound) = (left.scale * right.scale, left.bound * right.bound);
        self.check(NoiseState { scale, bound, noise, ..left })
    }

    /// A relinearised product.
    pub fn multiply(&self, left: NoiseState, right: NoiseState) -> Result<NoiseState, CkksError> {
        self.key_switch(self.multiply_without_relinearise(left, right)?)
    }

    /// A relinearisation, rotation or conjugation: one key switch's noise is added.
    pub fn key_switch(&self, a: NoiseState) -> Result<NoiseState, CkksError> {
        self.check(NoiseState { noise: a.noise + self.params.rlwe().key_switch_noise(a.level), ..a })
    }

    /// A trace: at every stage the bounds and the noises add up, and the stage's key switches' noise is added.
    pub fn trace(&self, a: NoiseState, trace: &Trace) -> Result<NoiseState, CkksError> {
        let rlwe = self.params.rlwe();
        let growth = trace.noise_growth(rlwe, rlwe.noise(), a.level);
        let (bound, noise) = growth.into_iter().fold((a.bound, a.noise), |(bound, noise), (count, added)| {
            (bound * count as f64, noise * count as f64 + added)
        });
        self.check(NoiseState { bound, noise, ..a })
    }

    /// A linear transform, not rescaled. With ρ the row sum, k diagonals and their encodings' error ε each, a slot of the
    /// result takes ρ·scale' + k·ε of the operand's noise and of an image's, k·ε of its message, and the sum's own.
    pub fn transform(
        &self,
        a: NoiseState,
        steps: &DiagonalSteps,
        transform: TransformState,
    ) -> Result<NoiseState, CkksError> {
        let rlwe = self.params.rlwe();
        let growth = steps.noise_growth(rlwe, rlwe.noise(), a.level);
        let TransformState { entries, row_sum } = transform;
        // Equal diagonals have equal errors, so these add up and not their squares.
        let encoding = steps.diagonals() as f64 * self.encoding(entries);
        let noise = (a.noise + growth.image) * (row_sum * entries.scale + encoding)
            + a.bound * a.scale * encoding
            + growth.sum;
        let (scale, bound) = (a.scale * entries.scale, a.bound * row_sum);
        self.check(NoiseState { scale, bound, noise, ..a })
    }

    /// A rescaling of a ciphertext of so many parts by its last prime q: noise/q and the rounding's r₀ + r₁·s.
    pub fn rescale(&self, a: NoiseState, parts: usize) -> Result<NoiseState, CkksError> {
        match a.level.0 {
            0 => Err(LevelTooLow { needed: 1, found: 0 }.into()),
            level => self.rescale_to(a, parts, Level(level - 1)),
        }
    }

    /// A rescaling by all primes above a level, at once: the noise over their product, and one rounding's.
    pub fn rescale_to(&self, a: NoiseState, parts: usize, level: Level) -> Result<NoiseState, CkksError> {
        not_above(level, a.level)?;
        if level == a.level {
            return Ok(a);
        }
        let rlwe = self.params.rlwe();
        let rounding = rlwe.noise().rounding(parts);
        let dropped = rlwe.q(a.level).range(level.0 + 1..a.level.0 + 1);
        // Divided from the last prime on, as single rescalings do, so that the scales are the same to the bit.
        let divide = |x: f64| (0..dropped.len()).rev().fold(x, |x, i| x / dropped.modulus(i).value() as f64);
        let (scale, noise) = (divide(a.scale), divide(a.noise) + rounding);
        self.check(NoiseState { level, scale, noise, ..a })
    }

    /// The primes above a level forgotten: only the room shrinks.
    pub fn drop_to(&self, a: NoiseState, level: Level) -> Result<NoiseState, CkksError> {
        not_above(level, a.level)?;
        self.check(NoiseState { level, ..a })
    }

    /// An adjustment to the canonical scale of a level.
    pub fn adjust_to(&self, a: NoiseState, parts: usize, level: Level) -> Result<NoiseState, CkksError> {
        Ok(self.adjustment(a, parts, level)?.0)
    }

    /// As [`CkksNoise::adjust_to`], with the integer to multiply by at the level above; `None` at the level itself.
    ///
    /// The integer is k = round(S·q/scale) for the canonical scale S and the prime q above the level. The scale
    /// after rescaling is off S by at most scale/2q, which counts as noise.
    pub(crate) fn adjustment(
        &self,
        a: NoiseState,
        parts: usize,
        level: Level,
    ) -> Result<(NoiseState, Option<f64>), CkksError> {
        not_above(level, a.level)?;
        let target = self.params.scale_at(level);
        if level == a.level {
            let noise = a.noise + a.bound * scale_difference(a.scale, target)?;
            return Ok((self.check(NoiseState { scale: target, noise, ..a })?, None));
        }
        let above = Level(level.0 + 1);
        let q = self.params.rlwe().q(above).modulus(above.0).value() as f64;
        let factor = (target * q / a.scale).round();
        if !(factor >= 1.0 && factor.is_finite()) {
            return Err(CkksError::ScaleMismatch { left: a.scale, right: target });
        }
        let dropped = self.drop_to(a, above)?;
        let scaled =
            self.check(NoiseState { scale: a.scale * factor, noise: a.noise * factor, ..dropped })?;
        let rescaled = self.rescale_to(scaled, parts, level)?;
        let noise = rescaled.noise + a.bound * (rescaled.scale - target).abs();
        Ok((self.check(NoiseState { scale: target, noise, ..rescaled })?, Some(factor)))
    }
}

fn same_level(left: Level, right: Level) -> Result<(), CkksError> {
    if left == right { Ok(()) } else { Err(CkksError::LevelMismatch { left: left.0, right: right.0 }) }
}

fn not_above(asked: Level, highest: Level) -> Result<(), CkksError> {
    if asked <= highest {
        Ok(())
    } else {
        Err(CkksError::LevelTooHigh { asked: asked.0, highest: highest.0 })
    }
}

fn scale_difference(left: f64, right: f64) -> Result<f64, CkksError> {
    let difference = (left - right).abs();
    if difference <= left.max(right) * SCALE_TOLERANCE {
        Ok(difference)
    } else {
        Err(CkksError::ScaleMismatch { left, right })
    }
}

fn finite(value: f64) -> Result<f64, CkksError> {
    if value.is_finite() { Ok(value) } else { Err(CkksError::NotFinite { value }) }
}

pub(crate) fn valid_scale(scale: f64) -> Result<f64, CkksError> {
    if scale.is_finite() && scale > 0.0 { Ok(scale) } else { Err(CkksError::InvalidScale { scale }) }
}

/// The noise as it is: the largest error of a slot against the expected values (zeros beyond them), times the scale.
///
/// The decoding's own rounding, about 2^−50 of the values, is in it.
///
/// # Errors
/// Those of [`Decryptor::decrypt`].
pub fn measure(
    params: &CkksParams,
    secret: &SecretKey,
    ciphertext: &CkksCiphertext,
    expected: &[Complex64],
) -> Result<f64, CkksError> {
    let slots = Decryptor::new(params).decrypt(secret, ciphertext)?;
    let padded = expected.iter().copied().chain(std::iter::repeat(Complex64::default()));
    let error = slots.into_iter().zip(padded).map(|(found, expected)| (found - expected).abs());
    Ok(error.fold(0.0, f64::max) * ciphertext.scale())
}
