//! What is CKKS's own: scales and bounds, and how noise grows.

use asanoha_lattice::{
    DiagonalNoise, DiagonalSteps, Level, LevelTooLow, NoiseModel, Norm, RlweParams, SecretKey,
};
use asanoha_ring::{Basis, Evaluation, Poly, Scalar};
use asanoha_scheme::{
    Approximate, BootstrapShape, Bootstrappable, Ciphertext, ProductLevel, Scheme, SchemeError, State,
    scale_difference,
};
use num_bigint::BigInt;
use num_traits::FromPrimitive;

use crate::{
    CkksParams, CkksPlaintext, Complex64, Decryptor, Scaled, ScaledConstant, TransformState,
    scaled::{ROUNDING, valid_scale},
};

/// Whole factors up to this size multiply without a scale of their own.
const LARGEST_UNSCALED_FACTOR: f64 = (1 << 20) as f64;

/// A ciphertext decrypts to scale·z + e; the bound on the norm of e in the canonical embedding lets each slot be wrong by at
/// most noise/scale. What must fit half the modulus is bound·scale + noise.
impl Scheme for CkksParams {
    type Value = f64;
    type Message = Scaled;
    type Plaintext = CkksPlaintext;
    type Public = Scaled;
    type PlainState = Scaled;
    type TransformState = TransformState;
    type Constant = f64;
    type Factor = ScaledConstant;

    const NAME: &'static str = "CKKS";
    const SWITCHES_BY_DIVISION: bool = false;
    const PRODUCT_LEVEL: ProductLevel = ProductLevel::Below;

    fn rlwe(&self) -> &RlweParams {
        &self.0.rlwe
    }

    fn digest(&self) -> &str {
        &self.0.digest
    }

    fn slots(&self) -> usize {
        self.0.rlwe.ring_degree() / 2
    }

    fn row_slots(&self) -> Option<usize> {
        Some(self.slots())
    }

    fn max_level(&self) -> Level {
        self.fresh_level()
    }

    fn describe(&self) -> String {
        format!("CKKS of ring degree {} and digest {}", self.rlwe().ring_degree(), self.digest())
    }

    fn decryption_bound(&self, state: &State<Self>) -> Norm {
        Norm::from_or_huge(state.message.size() + state.noise.to_f64())
    }

    fn check_message(&self, message: &Scaled) -> Result<(), &'static str> {
        if !(message.scale.is_finite() && message.scale > 0.0) {
            return Err("the scale must be positive and finite");
        }
        if !(message.bound.is_finite() && message.bound >= 0.0) {
            return Err("bound and noise must be finite and not negative");
        }
        Ok(())
    }

    fn encoded(&self, public: &Scaled) -> (Scaled, Norm) {
        (*public, Norm::from_or_huge(self.encoding_error(*public)))
    }

    fn public(&self, plaintext: &CkksPlaintext) -> Scaled {
        plaintext.scaled()
    }

    /// The bounds and the noises add up; a difference of the scales within the tolerance is noise of the right operand.
    fn sum(
        &self,
        left: &State<Self>,
        right: &State<Self>,
    ) -> Result<(State<Self>, Option<[BigInt; 2]>), SchemeError> {
        let (a, b) = (left.message, right.message);
        let drift = b.bound * scale_difference(a.scale, b.scale)?;
        let noise = left.noise + right.noise + Norm::from_or_huge(drift);
        let message = Scaled { bound: a.bound + b.bound, ..a };
        Ok((State { level: left.level, noise, message }, None))
    }

    fn repeated(&self, message: &Scaled, count: usize) -> Scaled {
        Scaled { bound: message.bound * count as f64, ..*message }
    }

    /// The encoding's error is added.
    fn plain_sum(&self, a: &State<Self>, plain: &Scaled) -> Result<State<Self>, SchemeError> {
        let drift = plain.bound * scale_difference(a.message.scale, plain.scale)?;
        let noise = a.noise + Norm::from_or_huge(self.encoding_error(*plain)) + Norm::from_or_huge(drift);
        Ok(State {
            level: a.level,
            noise,
            message: Scaled { bound: a.message.bound + plain.bound, ..a.message },
        })
    }

    /// With the encoding's error ε, noise·(bound'·scale' + ε) + bound·scale·ε.
    fn plain_product(&self, a: &State<Self>, plain: &Scaled) -> State<Self> {
        let encoding = self.encoding_error(*plain);
        let noise = a.noise.to_f64() * (plain.size() + encoding) + a.message.size() * encoding;
        times(a, *plain, noise)
    }

    /// c·scale is rounded to an integer.
    fn constant_sum(&self, a: &State<Self>, constant: &f64) -> Result<State<Self>, SchemeError> {
        let constant = finite(*constant)?.abs();
        let added = Norm::from_or_huge(constant * a.message.scale * ROUNDING);
        let noise = a.noise + Norm::from(0.5) + added;
        Ok(State {
            level: a.level,
            noise,
            message: Scaled { bound: a.message.bound + constant, ..a.message },
        })
    }

    fn add_constant_to(&self, c0: &mut Poly<Evaluation>, a: &State<Self>, constant: &f64) {
        let rounded = integer((constant * a.message.scale).round());
        c0.add_scalar_assign(&Scalar::new(c0.basis(), &rounded));
    }

    /// c·s is rounded to the integer k, so |k|·noise + bound·scale·|k − c·s|.
    fn constant_product(
        &self,
        a: &State<Self>,
        factor: &ScaledConstant,
    ) -> Result<(State<Self>, BigInt), SchemeError> {
        let ScaledConstant { value, scale } = *factor;
        let exact = finite(value)?.abs() * valid_scale(scale)?;
        let whole = exact.round();
        let error = (whole - exact).abs() + exact * ROUNDING;
        let noise = whole * a.noise.to_f64() + a.message.size() * error;
        let state = times(a, Scaled { scale, bound: value.abs() }, noise);
        // What has overflowed fits no modulus.
        let rounded = (value * scale).round();
        Ok((state, if rounded.is_finite() { integer(rounded) } else { BigInt::ZERO }))
    }

    /// bound₁·scale₁·noise₂ + bound₂·scale₂·noise₁ + noise₁·noise₂.
    fn product(&self, _: &NoiseModel, left: &State<Self>, right: &State<Self>) -> State<Self> {
        let (a, b) = (left.noise.to_f64(), right.noise.to_f64());
        let noise = left.message.size() * b + right.message.size() * a + a * b;
        times(left, right.message, noise)
    }

    /// With ρ the row sum, k diagonals and their encodings' error ε each, a slot of the result takes ρ·scale' + k·ε of the
    /// operand's noise and of an image's, k·ε of its message, and the sum's own.
    fn transformed(
        &self,
        a: &State<Self>,
        steps: &DiagonalSteps,
        transform: &TransformState,
        growth: DiagonalNoise,
    ) -> State<Self> {
        let TransformState { entries, row_sum } = *transform;
        // Equal diagonals have equal errors, so these add up and not their squares.
        let encoding = steps.diagonals() as f64 * self.encoding_error(entries);
        let noise = (a.noise.to_f64() + growth.image) * (row_sum * entries.scale + encoding)
            + a.message.size() * encoding
            + growth.sum;
        times(a, Scaled { scale: entries.scale, bound: row_sum }, noise)
    }

    /// Divided from the last prime on, as single rescalings do, so that the scales are the same to the bit.
    fn divided(&self, message: &Scaled, dropped: &Basis) -> Scaled {
        let divide = |scale, i| scale / dropped.modulus(i).value() as f64;
        Scaled { scale: (0..dropped.len()).rev().fold(message.scale, divide), ..*message }
    }

    /// Operands that agree already stay as they are. Others are brought to the canonical scale of the lower level, or, where
    /// the operand there has another one, of the level below.
    fn meeting_level(&self, left: &State<Self>, right: &State<Self>) -> Result<Level, SchemeError> {
        let alike = scale_difference(left.message.scale, right.message.scale).is_ok();
        if left.level == right.level && alike {
            return Ok(left.level);
        }
        let is_canonical =
            |state: &State<Self>| scale_difference(state.message.scale, self.scale_at(state.level)).is_ok();
        let lowest = left.level.min(right.level);
        let fits = [left, right].iter().all(|state| state.level > lowest || is_canonical(state));
        let below = lowest.0.checked_sub(usize::from(!fits));
        Ok(below.map(Level).ok_or(LevelTooLow { needed: 1, found: 0 })?)
    }

    /// The integer is k = round(S·q/scale) for the canonical scale S ([`CkksParams::scale_at`]) and the prime q above the
    /// level. The scale after rescaling is off S by at most scale/2q, which counts as noise.
    fn multiple_for(
        &self,
        a: &State<Self>,
        level: Level,
    ) -> Result<Option<(BigInt, State<Self>)>, SchemeError> {
        let Scaled { scale, bound } = a.message;
        let (target, above) = (self.scale_at(level), Level(level.0 + 1));
        let q = self.rlwe().q(above).modulus(above.0).value() as f64;
        let factor = (target * q / scale).round();
        if !(factor >= 1.0 && factor.is_finite()) {
            return Err(SchemeError::ScaleMismatch { left: scale, right: target });
        }
        let message = Scaled { scale: scale * factor, bound };
        Ok(Some((integer(factor), State { level: above, noise: a.noise * factor, message })))
    }

    fn canonical(&self, a: State<Self>) -> State<Self> {
        let Scaled { scale, bound } = a.message;
        let target = self.scale_at(a.level);
        let noise = a.noise + Norm::from_or_huge(bound * (scale - target).abs());
        State { level: a.level, noise, message: Scaled { scale: target, bound } }
    }

    /// A whole factor of few bits needs no scale, and so no level.
    fn constant_factor(
        &self,
        a: &State<Self>,
        &constant: &f64,
    ) -> Result<(ScaledConstant, bool), SchemeError> {
        if constant.fract() == 0.0 && constant.abs() <= LARGEST_UNSCALED_FACTOR {
            return Ok(((constant, 1.0).into(), false));
        }
        Ok(((constant, self.constant_scale(a)?).into(), true))
    }

    fn narrowed(message: &Scaled, bound: f64) -> Result<Scaled, SchemeError> {
        let is_bound = bound >= 0.0;
        if !is_bound {
            return Err(SchemeError::InvalidBound { bound });
        }
        Ok(Scaled { bound: message.bound.min(bound), ..*message })
    }
}

impl Approximate for CkksParams {
    fn scale(message: &Scaled) -> f64 {
        message.scale
    }

    fn bound(message: &Scaled) -> f64 {
        message.bound
    }

    fn canonical_scale(&self, level: Level) -> f64 {
        self.scale_at(level)
    }
}

impl Bootstrappable for CkksParams {
    fn bootstrap_shape(&self) -> Option<&BootstrapShape> {
        self.literal().bootstrap.as_ref()
    }

    fn raised(&self, lattice: &NoiseModel) -> Scaled {
        let q0 = self.rlwe().q(Level(0)).modulus(0).value() as f64;
        Scaled { scale: q0, bound: lattice.raised() }
    }

    fn known_transform(
        &self,
        steps: &DiagonalSteps,
        scale: f64,
        diagonal: impl Fn(usize) -> Vec<Complex64>,
    ) -> Result<TransformState, SchemeError> {
        let offsets = steps
            .giants()
            .iter()
            .flat_map(|(giant, places)| places.iter().map(move |&place| giant + steps.babies()[place]));
        let diagonals: Vec<Vec<Complex64>> = offsets.map(diagonal).collect();
        TransformState::of_diagonals(self.slots(), valid_scale(scale)?, &diagonals)
    }
}

/// A product with something of a scale and a bound.
fn times(a: &State<CkksParams>, other: Scaled, noise: f64) -> State<CkksParams> {
    let (scale, bound) = (a.message.scale * other.scale, a.message.bound * other.bound);
    State { level: a.level, noise: Norm::from_or_huge(noise), message: Scaled { scale, bound } }
}

fn finite(value: f64) -> Result<f64, SchemeError> {
    if value.is_finite() { Ok(value) } else { Err(SchemeError::NotFinite { value }) }
}

/// The integer that a double is.
///
/// # Panics
/// If it isn't finite: noise prediction has looked before.
fn integer(value: f64) -> BigInt {
    BigInt::from_f64(value).expect("finite")
}

/// The noise as it is: the largest error of a slot against the expected values (zeros beyond them), times the scale.
///
/// The decoding's own rounding, about 2^−50 of the values, is in it.
///
/// # Errors
/// Those of [`Decryptor::decrypt`].
pub fn measure(
    secret: &SecretKey,
    ciphertext: &Ciphertext<CkksParams>,
    expected: &[Complex64],
) -> Result<f64, SchemeError> {
    let slots = Decryptor::new(ciphertext.scheme()).decrypt(secret, ciphertext)?;
    let padded = expected.iter().copied().chain(std::iter::repeat(Complex64::default()));
    let error = slots.into_iter().zip(padded).map(|(found, expected)| (found - expected).abs());
    Ok(error.fold(0.0, f64::max) * ciphertext.scale())
}
