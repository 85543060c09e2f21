//! Signs of real numbers, by polynomials that approach them.

use std::cell::RefCell;

use asanoha_circuits::polynomial::{self, Sign};
use num_rational::BigRational;
use num_traits::One;

use super::{
    Real,
    polynomial::{Building, NO_NOISE, free_half},
};
use crate::{
    error::ExpandError,
    expander::{Expander, Value},
    ir::Op,
};

/// The sign of a value up to `bound`, to within `error` (of at most 1/4) where its magnitude is `gap` or more.
///
/// Noise that a sign is taken of doesn't grow with the steepness of its polynomials: what a ciphertext holds when a stage
/// begins is taken for its value, as long as the noise is within the margin that the stage was fitted for. What comes
/// out is within the error of the sign, with that noise and without it; so twice the error bounds what the noise
/// made of it. That is stated as noise again, for whatever depends on noise being known, such as its flooding.
pub(super) fn sign(
    e: &mut Expander<'_, Real<'_>>,
    name: &'static str,
    value: &Value,
    bound: f64,
    gap: f64,
    error: f64,
) -> Result<Value, ExpandError> {
    // A quarter of the gap is left to the noise.
    let gap = gap.min(bound / 2.0);
    let value = e.padded(value);
    let half = free_half((bound + gap / 4.0) * (1.0 + 8.0 * f64::EPSILON), 0.0, &value, f64::INFINITY);
    let within = gap / 4.0 / half;
    let asked = [(3.0 * within).to_bits(), error.to_bits()];
    let sign = match e.target.sign_polynomials.get(&asked) {
        Some(sign) => sign.clone(),
        None => e.target.sign_polynomials.entry(asked).or_insert(Sign::fit(3.0 * within, error)?).clone(),
    };
    let exactly = |x: f64| BigRational::from_float(x).ok_or(ExpandError::MissingFit(name));
    let one = BigRational::one();
    let scaled = Value { factor: &value.factor / exactly(half)?, ..value };
    let mut at = e.with_factor(&scaled, &one);
    e.graph.tighten(at, 1.0);
    at = e.graph.push(Op::AbsorbNoise { a: at, within, left: NO_NOISE });
    for (place, stage) in sign.stages.iter().enumerate() {
        let y = Value { node: at, factor: one.clone() };
        let sum = polynomial::evaluate(&Building(RefCell::new(e)), stage, &y)?;
        at = e.with_factor(&sum, &one);
        let (bound, within, left) = match sign.margins.get(place) {
            Some(&margin) => (1.0, margin, NO_NOISE),
            None => (1.0 + error, error, 3.0 * error),
        };
        e.graph.tighten(at, bound);
        at = e.graph.push(Op::AbsorbNoise { a: at, within, left });
    }
    Ok(Value { node: at, factor: one })
}
