//! Bootstrapping of approximate schemes.

use std::f64::consts::{SQRT_2, TAU};

use asanoha_lattice::{BOUNDED_POLYNOMIALS, FAILURE_BITS, Hoisting, KeyLevels, Level, Norm, Trace};
use asanoha_ring::GaloisElement;
use asanoha_scheme::{
    BootstrapShape, BootstrapValues, Bootstrappable, Coefficients, LARGEST_RAISED_INTEGER, Operand,
    Operations, SchemeError, capability::ValueTypes,
};

use super::{
    BootstrapError, EvalMod, EvalModShape, SlotTransform,
    error::MOST_PASSES,
    matrix::Matrix,
    scale_schedule::{At, Climb, ScaleSchedule},
};

/// What the slots of a ciphertext hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// Real numbers: half the work.
    Real,
    /// Complex numbers.
    Complex,
}

/// The operations on ciphertexts of a pass with any of the sets are fewer ([`Bootstrapper::operations`]), by a test.
pub const BOOTSTRAP_OPERATIONS: f64 = 2000.0;

/// What the polynomial does beside its products, for each part of complex slots.
const STEPS_BESIDE_PRODUCTS: usize = 16;

/// The deviation of the sums of 33 numbers of [−½, ½] whose integers the polynomial removes: √(33/12).
const DEVIATION: f64 = 1.658;

/// Gives ciphertexts of an approximate scheme their levels back.
///
/// Slots become the coefficients of a polynomial (`SlotsToCoeffs`), which is read modulo the whole modulus (the raise) and so has
/// multiples of q₀ in it; coefficients become slots again (`CoeffsToSlots`), where a polynomial near the identity modulo 1
/// removes them (`EvalMod`).
///
/// Numbers must be within the bound that it's made for. What it adds to the error is a part of that bound that the parameters
/// decide, and a rounding at the canonical scale; the noise bound of the result includes the approximation's error.
///
/// Bits must be 0 or 1 but for what the ciphertext's noise bound says: what a circuit leaves them off by is counted as noise
/// ([`Operations::with_noise`]). Small errors enter squared.
///
/// Source: Cheon, Han, Kim, Kim, Song, "Bootstrapping for approximate homomorphic encryption" (EUROCRYPT 2018); with
/// SlotsToCoeffs first, and for bits: Bae, Cheon, Kim, Stehlé, "Bootstrapping bits with CKKS" (EUROCRYPT 2024); [`EvalMod`] and
/// [`SlotTransform`] name those of its parts.
#[derive(Clone, Debug)]
pub struct Bootstrapper<S: Bootstrappable> {
    scheme: S,
    values: BootstrapValues,
    bound: f64,
    /// How many times slots repeat.
    repeats: f64,
    /// The matrices from slots to coefficients, the first first, each with its level.
    slots_to_coefficients: Vec<Matrix<S>>,
    coefficients_to_slots: Vec<Matrix<S>>,
    /// Sums the images of a raised ciphertext of fewer slots than there are.
    trace: Option<Trace>,
    schedule: ScaleSchedule,
    eval_mod: EvalMod,
    /// q₀ over the scale of the lowest level.
    ratio: f64,
    /// How far values are from those that are looked for, beside their noise: from 0 up to the bound, and bits from bits not at all.
    spread: f64,
    /// How many times values are bootstrapped, each time what the last left them off by.
    passes: u32,
}

/// Layers as evenly as they go on so many matrices, the larger shares first.
fn shares(layers: u32, matrices: usize) -> Vec<u32> {
    let matrices = (matrices as u32).min(layers.max(1));
    (0..matrices).map(|k| layers / matrices + u32::from(k < layers % matrices)).collect()
}

impl<S: Bootstrappable> Bootstrapper<S> {
    /// For ciphertexts whose values repeat after `slots`, a power of two, and are at most `bound` in size.
    ///
    /// # Errors
    /// [`BootstrapError`], of parameters for bits too.
    pub fn new(scheme: &S, slots: usize, bound: f64) -> Result<Self, BootstrapError> {
        let shape = scheme.bootstrap_shape().ok_or(BootstrapError::NoShape)?;
        if shape.values == BootstrapValues::Bits {
            return Err(BootstrapError::NoShape);
        }
        if !(bound.is_finite() && bound > 0.0) {
            return Err(BootstrapError::Bound(bound));
        }
        Self::of(scheme, shape, slots, [bound, bound, bound * f64::from(shape.log2_ratio).exp2()])
    }

    /// For ciphertexts whose values repeat after `slots`, a power of two, and are bits; of complex slots both parts are.
    ///
    /// # Errors
    /// [`BootstrapError`], of parameters for numbers too.
    pub fn for_bits(scheme: &S, slots: usize) -> Result<Self, BootstrapError> {
        let shape = scheme.bootstrap_shape().ok_or(BootstrapError::NoShape)?;
        if shape.values != BootstrapValues::Bits {
            return Err(BootstrapError::NoShape);
        }
        Self::of(scheme, shape, slots, [1.0, 0.0, 2.0])
    }

    fn of(
        scheme: &S,
        shape: &BootstrapShape,
        slots: usize,
        [bound, spread, ratio]: [f64; 3],
    ) -> Result<Self, BootstrapError> {
        let row = scheme.row_slots().ok_or(SchemeError::NoSlots)?;
        if !(slots.is_power_of_two() && (2..=row).contains(&slots)) {
            return Err(BootstrapError::Slots { asked: slots, slots: row });
        }
        let rlwe = scheme.rlwe();
        let q0 = rlwe.q(Level(0)).modulus(0).value() as f64;
        let eval_mod = EvalMod::fit(EvalModShape {
            values: shape.values,
            largest_integer: LARGEST_RAISED_INTEGER,
            distance: shape.distance(),
            doublings: shape.doublings,
            degree: shape.degree,
            deviation: DEVIATION,
        });
        let transform = SlotTransform::new(slots);

        // From the canonical scale of the lowest level to q₀/ratio.
        let matrices = transform.to_slots(&shares(transform.layers(), shape.slots_to_coefficients), 1.0)?;
        let lowest = Level(matrices.len());
        let factor = q0 / ratio / scheme.canonical_scale(lowest);
        let slots_to_coefficients = Matrix::chain(scheme, matrices, lowest, factor)?;

        // From q₀ to the scale that the polynomial begins with; w + w̄ is 2·Re w, and the trace multiplies.
        let highest = rlwe.max_level();
        let factor = 0.5 / eval_mod.cosine.half * slots as f64 / row as f64;
        let matrices =
            transform.to_coefficients(&shares(transform.layers(), shape.coefficients_to_slots), factor)?;
        let coefficients_to_slots = Matrix::chain(scheme, matrices, highest, shape.log2_scale.exp2() / q0)?;
        let doublings = vec![2; (row / slots).ilog2() as usize];
        let trace =
            (slots < row).then(|| Trace::strided(rlwe.ring_degree(), slots, &doublings, Hoisting::Lazy));
        let begin = Level(highest.0 - shape.coefficients_to_slots);
        let schedule = ScaleSchedule::new(scheme, begin, &shape.polynomial_primes);
        Ok(Self {
            scheme: scheme.clone(),
            values: shape.values,
            bound,
            repeats: row as f64 / slots as f64,
            slots_to_coefficients,
            coefficients_to_slots,
            trace,
            schedule,
            eval_mod,
            ratio,
            spread,
            passes: 1,
        })
    }

    /// The bound on bootstrapped values: of complex bits on each part.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// The keys that it takes, each with the highest level at which it's needed.
    pub fn keys(&self) -> KeyLevels {
        let rlwe = self.scheme.rlwe();
        let n = rlwe.ring_degree();
        let mut keys = KeyLevels::default();
        for matrix in self.slots_to_coefficients.iter().chain(&self.coefficients_to_slots) {
            for rotation in matrix.rotations() {
                keys.add_automorphism(rlwe, GaloisElement::rotation(n, rotation), matrix.level());
            }
        }
        for element in self.trace.iter().flat_map(Trace::elements) {
            keys.add_automorphism(rlwe, element, rlwe.max_level());
        }
        let begin = self.schedule.level(0);
        keys.add_automorphism(rlwe, GaloisElement::conjugation(n), begin);
        let end = Level(self.scheme.max_level().0 + 1);
        keys.add_relinearisations(rlwe, end..=begin);
        keys.add_encapsulation(rlwe);
        keys
    }

    /// log2 of a bound on the probability that a bootstrapping gives wrong values, whatever the values are: by the union of the
    /// bounds on the noise of all operations. No integer of a raised ciphertext is beyond the polynomial.
    pub fn log2_failure(&self) -> f64 {
        (f64::from(self.passes) * self.operations() as f64 * BOUNDED_POLYNOMIALS).log2() - FAILURE_BITS
    }

    /// The operations on ciphertexts of a pass, at most: the matrices', the trace's, and for both parts of complex slots the
    /// polynomial's, which has a product, a multiple and a change of scale for each coefficient and doubling.
    pub fn operations(&self) -> usize {
        let EvalMod { cosine, doublings, arcsine, .. } = &self.eval_mod;
        let matrices = self.slots_to_coefficients.iter().chain(&self.coefficients_to_slots);
        let matrices: usize = matrices.map(Matrix::operations).sum();
        let trace = self.trace.iter().flat_map(Trace::elements).count();
        let products = cosine.coefficients.len() / 2 + 1 + *doublings as usize + arcsine.len();
        matrices + trace + 2 * (3 * products + STEPS_BESIDE_PRODUCTS)
    }

    /// Encodes the matrices now: else the first ciphertext that is bootstrapped waits for that.
    ///
    /// # Errors
    /// [`SchemeError`] of entries that don't fit.
    pub fn prepare(&self) -> Result<(), SchemeError> {
        let mut matrices = self.slots_to_coefficients.iter().chain(&self.coefficients_to_slots);
        matrices.try_for_each(|matrix| matrix.encoded().map(|_| ()))
    }

    /// Bytes of the encoded matrices in memory, once they're encoded.
    pub fn bytes(&self) -> usize {
        let matrices = self.slots_to_coefficients.iter().chain(&self.coefficients_to_slots);
        matrices.map(Matrix::bytes).sum()
    }

    /// The ciphertext with all the levels of a fresh one, and its canonical scale.
    ///
    /// Noise: what it was, relative to the values, and of bits about 2.5 times its square; and, relative to the bound, what the
    /// parameters decide.
    ///
    /// # Errors
    /// [`SchemeError::BeyondBound`] if values may be above the bound that the bootstrapping is made for;
    /// [`SchemeError::LevelTooHigh`] of a ciphertext below the lowest level that it starts from; [`SchemeError::OutOfModulus`] if
    /// its noise is too large beside the bound; [`SchemeError::NothingToCorrect`] of more than one pass, if it's not proved that
    /// the first leaves less than half of the bound; a missing key by name.
    pub fn bootstrap<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        a: &V,
        kind: SlotKind,
    ) -> Result<V, SchemeError> {
        let bound = match (kind, self.values) {
            (SlotKind::Complex, BootstrapValues::Bits) => SQRT_2,
            _ => self.bound,
        };
        let parts = self.refreshed(operations, self.lowest(operations, a, bound)?, kind)?;
        ValueTypes::bounded(operations, joined(operations, &parts)?, bound)
    }

    /// Two ciphertexts of real slots, for little more than half of what two bootstrappings take.
    ///
    /// # Errors
    /// Those of [`Bootstrapper::bootstrap`].
    pub fn bootstrap_pair<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        a: &V,
        b: &V,
    ) -> Result<[V; 2], SchemeError> {
        let [a, b] = [a, b].map(|value| self.lowest(operations, value, self.bound));
        let (a, b) = (a?, b?);
        let parts = self.refreshed(operations, joined(operations, &[a, b])?, SlotKind::Complex)?;
        Ok(parts.try_into().expect("complex slots have two parts"))
    }

    /// One pass over a ciphertext of the lowest level: the parts of its slots, times a factor of at most 1.
    fn once<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        low: V,
        kind: SlotKind,
        factor: f64,
    ) -> Result<Vec<V>, SchemeError> {
        let Raised { value, error } = self.raised(operations, low)?;
        let conjugate = operations.conjugate(&value)?;
        let mut parts = vec![operations.add(&value, &conjugate)?];
        if kind == SlotKind::Complex {
            parts.push(operations.multiply_by_i(&operations.sub(&conjugate, &value)?)?);
        }
        // The polynomial takes most of the memory, and needs neither.
        drop((value, conjugate));
        parts.into_iter().map(|part| self.without_multiples(operations, part, error, factor)).collect()
    }

    /// At the level and of the scale that bootstrapping starts from, of values within a bound.
    fn lowest<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        a: &V,
        bound: f64,
    ) -> Result<V, SchemeError> {
        let is_within = a.state().bound() <= bound;
        if !is_within {
            return Err(SchemeError::BeyondBound { index: 0, bound });
        }
        operations.adjust_to(a, self.slots_to_coefficients[0].level())
    }

    /// (m/q₀ + I)/2·half in the slots, m the values as coefficients in reversed order, at the polynomial's first level.
    ///
    /// The noise of the slots becomes that of the coefficients, one by one, and the other way round. So it isn't taken through the
    /// matrices, whose bounds on any noise of a norm are √N times as large: the states between say what is added on the way.
    ///
    /// Of n slots of N/2 a trace keeps every r-th coefficient, r = N/2n, times r: their values at a root are √r times as large as
    /// all coefficients', for they're as few.
    ///
    /// What an operation adds between the raise and the slots reaches each of these through a row of the matrices that follow, as Σ wᵢ·v(ζᵢ) at
    /// roots ζᵢ that differ. A noise polynomial v of independent coefficients has values there that are uncorrelated, so the
    /// sum is a Gaussian with the norm ‖w‖ for a factor, not Σ|wᵢ|. Layers of the transform lead from a slot to another in one
    /// way only, and entries of a row have one size: ‖w‖ is the product of the matrices' row norms.
    fn raised<V: Operand<S>>(&self, operations: &Operations<S, V>, a: V) -> Result<Raised<V>, SchemeError> {
        let (last, matrices) = self.slots_to_coefficients.split_last().expect("there's a matrix");
        let before = a.state().error_bound();
        let mut value = operations.with_noise(a, Norm::ZERO)?;
        for matrix in matrices {
            value = matrix.apply(operations, &value)?;
        }
        let coefficients = Coefficients { bound: self.spread, error: before, most: self.distance() };
        value = last.raise(operations, &value, coefficients)?;
        let lattice = operations.model().lattice();
        let mut error = before / self.ratio + value.state().error_bound() * lattice.coefficient();

        value = operations.with_noise(value, Norm::ZERO)?;
        let mut added = 0.0;
        if let Some(trace) = &self.trace {
            let bound = value.state().bound() * self.repeats.sqrt();
            value = ValueTypes::bounded(operations, operations.trace(&value, trace)?, bound)?;
            added = value.state().error_bound();
        }
        for matrix in &self.coefficients_to_slots {
            value = matrix.apply(operations, &operations.with_noise(value, Norm::ZERO)?)?;
            added = matrix.row_norm() * added + value.state().error_bound();
        }
        // A real part is added to its conjugate.
        error += 2.0 * self.eval_mod.cosine.half * added;
        value = operations.with_noise(value, Norm::ZERO)?;
        value = operations.switch_to(&value, self.schedule.level(0))?;
        // w holds a real and an imaginary part of at most half each, halved.
        let value = ValueTypes::bounded(operations, value, f64::sqrt(0.5))?;
        Ok(Raised { value, error })
    }

    /// The value of x in every slot of y = x/half, x off by an error at most beside the noise of y: of numbers x modulo 1, times q₀ over
    /// the lowest scale and a factor.
    ///
    /// The error goes through the polynomial with its slope; through bounds on each product it would grow a hundredfold.
    fn without_multiples<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        y: V,
        error: f64,
        factor: f64,
    ) -> Result<V, SchemeError> {
        let EvalMod { shift, cosine, doublings, arcsine, .. } = &self.eval_mod;
        let climb = Climb { operations, schedule: &self.schedule };
        let error = error + y.state().error_bound() * cosine.half;
        self.within_reach(error)?;
        let mut value = operations.with_noise(y, Norm::ZERO)?;
        if *shift != 0.0 {
            value = operations.add_constant(&value, -shift / cosine.half)?;
        }
        let y = climb.bounded(At { value, depth: 0 }, 1.0)?;
        let fresh = self.scheme.max_level();
        let scale = self.scheme.canonical_scale(fresh);
        let (out, unit) = match self.values {
            BootstrapValues::Numbers { .. } => {
                let largest = (TAU * self.distance()).sin();
                let sine = climb.bounded(self.angle(&climb, y, *doublings, None)?, largest)?;
                let unit = self.ratio * factor;
                let coefficients: Vec<f64> = arcsine.iter().map(|c| c * unit).collect();
                (climb.odd(&sine, &coefficients, largest, scale)?, unit)
            }
            BootstrapValues::Bits => {
                let before = self.schedule.scale_before(*doublings, scale);
                (climb.complement(&self.angle(&climb, y, doublings - 1, Some(before))?)?, 1.0)
            }
        };
        let out = climb.bounded(out, self.bound * factor)?.value;
        let out = operations.adjust_to(&out, fresh)?;
        let noise = out.state().noise + Norm::from_or_huge(self.eval_mod.error_from(error) * unit * scale);
        operations.with_noise(out, noise)
    }

    /// The cosine of y's angle, of a scale if one is given, doubled so many times.
    fn angle<V: Operand<S>>(
        &self,
        climb: &Climb<'_, S, V>,
        y: At<V>,
        doublings: u32,
        scale: Option<f64>,
    ) -> Result<At<V>, SchemeError> {
        // T₂ₖ(y) = Tₖ(T₂(y)).
        let even: Vec<f64> = self.eval_mod.cosine.coefficients.iter().step_by(2).copied().collect();
        let twice = climb.double(&y)?;
        drop(y);
        let angle = climb.bounded(climb.series(twice, &even, scale)?, 1.0)?;
        (0..doublings).try_fold(angle, |angle, _| climb.double(&angle))
    }

    /// Refuses x that may be too far from where the polynomial is fitted.
    fn within_reach(&self, error: f64) -> Result<(), SchemeError> {
        let q0 = self.scheme.rlwe().q(Level(0)).log2_product();
        let farthest = self.spread / self.ratio + error;
        let fits = farthest <= self.distance();
        if fits {
            return Ok(());
        }
        let (needed_bits, available_bits) = (q0 + farthest.log2(), q0 + self.distance().log2());
        Err(SchemeError::OutOfModulus { needed_bits, available_bits, level: 0 })
    }

    /// What coefficients are at most, in parts of q₀.
    fn distance(&self) -> f64 {
        self.eval_mod.distance()
    }

    /// In so many passes, each of which takes as long as a bootstrapping and corrects what the last is off by: the bound on errors,
    /// relative to that on values, is nearly raised to the power of the passes, down to what rounding at the canonical scale adds.
    ///
    /// Source: Bae, Cheon, Cho, Kim, Kim, "META-BTS: Bootstrapping precision beyond the limit" (CCS 2022).
    ///
    /// # Errors
    /// [`BootstrapError::Passes`].
    pub fn with_passes(mut self, passes: u32) -> Result<Self, BootstrapError> {
        let corrects = self.values != BootstrapValues::Bits && self.trace.is_none();
        if !(1..=MOST_PASSES).contains(&passes) || (passes > 1 && !corrects) {
            return Err(BootstrapError::Passes(passes));
        }
        self.passes = passes;
        Ok(self)
    }

    /// All passes: the real parts of slots, and of complex ones the imaginary parts.
    ///
    /// What a ciphertext `low` holds, noise and all, is bootstrapped to s. Their difference, s brought down to the level of `low`, is at most
    /// what both are off by, so 2^k times it is within the bound on values. That is bootstrapped, divided by 2^k and added to s. Then s
    /// is off by 2^−k of what a bootstrapping is off by, by what bringing it down rounded, and by what `low` is.
    ///
    /// Parts must be real for that: the imaginary noise of one would be corrected in the other.
    fn refreshed<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        low: V,
        kind: SlotKind,
    ) -> Result<Vec<V>, SchemeError> {
        if self.passes == 1 {
            return self.once(operations, low, kind, 1.0);
        }
        let (mut parts, mut imaginary) = self.real_parts(operations, low.clone(), kind, 1.0)?;
        for _ in 1..self.passes {
            let sum = joined(operations, &parts)?;
            let error = sum.state().error_bound();
            let sum = operations.adjust_to(&operations.with_noise(sum, Norm::ZERO)?, low.state().level)?;
            let left = low.state().error_bound() + sum.state().error_bound() + imaginary;
            let most = error + left;
            let factor = (self.bound / most).log2().floor().exp2();
            let corrects = factor >= 2.0 && factor.is_finite();
            if !corrects {
                let (error_bits, bound_bits) = (most.log2(), self.bound.log2());
                return Err(SchemeError::NothingToCorrect { error_bits, bound_bits });
            }
            let difference = operations.with_noise(operations.sub(&low, &sum)?, Norm::ZERO)?;
            let difference = ValueTypes::bounded(operations, difference, most)?;
            let difference = operations.mul_constant_exact(&difference, (factor, 1.0))?;
            let (corrections, more) = self.real_parts(operations, difference, kind, factor.recip())?;
            for (part, correction) in parts.iter_mut().zip(&corrections) {
                let noise = correction.state().noise + Norm::from(left * correction.state().scale());
                let sum = operations.add(&operations.with_noise(part.clone(), Norm::ZERO)?, correction)?;
                *part = ValueTypes::bounded(operations, operations.with_noise(sum, noise)?, self.bound)?;
            }
            imaginary += more;
        }
        Ok(parts)
    }

    /// [`Bootstrapper::once`] without the imaginary noise of its parts, and how much is left of that at most.
    fn real_parts<V: Operand<S>>(
        &self,
        operations: &Operations<S, V>,
        low: V,
        kind: SlotKind,
        factor: f64,
    ) -> Result<(Vec<V>, f64), SchemeError> {
        let (mut parts, mut imaginary) = (self.once(operations, low, kind, factor / 2.0)?, 0.0);
        for part in &mut parts {
            let noise = part.state().noise;
            let conjugate = operations.conjugate(&operations.with_noise(part.clone(), Norm::ZERO)?)?;
            imaginary += conjugate.state().error_bound();
            let conjugate_noise = conjugate.state().noise + noise;
            let twice = operations.add(part, &operations.with_noise(conjugate, conjugate_noise)?)?;
            *part = ValueTypes::bounded(operations, twice, self.bound * factor)?;
        }
        Ok((parts, imaginary))
    }
}

/// A raised ciphertext back in slots, and what (m/q₀ + I) is off by, beside its noise.
struct Raised<V> {
    value: V,
    error: f64,
}

/// Complex slots of real parts, and of imaginary ones if there are any.
fn joined<S: Bootstrappable, V: Operand<S>>(
    operations: &Operations<S, V>,
    parts: &[V],
) -> Result<V, SchemeError> {
    match parts {
        [real, imaginary] => operations.add(real, &operations.multiply_by_i(imaginary)?),
        _ => Ok(parts[0].clone()),
    }
}
