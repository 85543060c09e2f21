//! Polynomials on the graph, and smooth functions by them.

use std::cell::RefCell;

use asanoha_circuits::polynomial::{self, Chebyshev};
use asanoha_lang::{NodeId, Smooth};
use asanoha_numeric::number;
use asanoha_scheme::capability;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{
    Real,
    arithmetic::{LARGEST_NODE_BITS, multiplied},
};
use crate::{
    error::ExpandError,
    expander::{Expander, Value},
    ir::{Carry, Op},
};

/// The noise bound of what is taken as it is, relative to values of about 1: less than any noise.
pub(super) const NO_NOISE: f64 = 1.0 / (1u128 << 64) as f64;
/// So much of the interval of a smooth function is left to the noise of its operand, at most.
const NOISE_MARGIN: f64 = 1.0 / 64.0;
/// And so much of how far it can be widened.
const NOISE_SHARE: f64 = 0.25;
/// The interval of an approximation is widened by so much, relative to it, where that saves a level.
const WIDENED: f64 = 0.25;

/// log2 of how far the polynomials of an operation may be off.
pub(super) fn fit_bits(
    e: &Expander<'_, Real<'_>>,
    id: NodeId,
    name: &'static str,
) -> Result<i32, ExpandError> {
    let before = e.analysed.program().nodes()[..id.0].iter().filter(|node| node.is_fitted()).count();
    e.target.fit_bits.get(before).copied().ok_or(ExpandError::MissingFit(name))
}

/// A smooth function, of the operation `id`, as its polynomial.
///
/// Noise of the operand isn't multiplied product by product: it goes on with the polynomial's slope. What a ciphertext holds
/// is taken for its value, whose noise is 0, within the margin that the interval is widened by; the noise of
/// before, times the slope, is counted again of the result.
pub(super) fn smooth(
    e: &mut Expander<'_, Real<'_>>,
    id: NodeId,
    function: &dyn Smooth,
    a: &Value,
    operand: NodeId,
) -> Result<Value, ExpandError> {
    let bits = fit_bits(e, id, function.name())?;
    // Outside of the interval a series grows without bound: no slot may hold anything else.
    let a = &e.padded(a);
    let (lo, hi) = e.range(operand).to_f64();
    let error = e.target.errors[operand.0];
    let middle = f64::midpoint(lo, hi);
    // A little more than half the interval, for its ends are rounded.
    let taken = ((hi - lo) / 2.0 + error) * (1.0 + 8.0 * f64::EPSILON);
    let widest = function.widest((lo - error, hi + error));
    let margin = (NOISE_MARGIN * taken).min(NOISE_SHARE * widest);
    let half = free_half(taken + margin, middle, a, widest - margin);
    // The range may be far from 1: so is the series, but for a power of two.
    let scale = e.range(id).log2_bound().unwrap_or(0);
    let value = |x: f64| number::times_power_of_two(function.value(x), -scale);
    let error = number::times_power_of_two(1.0, i64::from(bits) - scale);
    let series = Chebyshev::fit(function.name(), value, (middle, half), error)?;
    let exactly = |x: f64| BigRational::from_float(x).expect("ranges are finite");
    let mut centred = a.clone();
    if series.middle != 0.0 {
        centred = e.offset(a, &-exactly(series.middle));
    }
    centred.factor /= exactly(series.half);
    let one = BigRational::one();
    let y = Value { node: e.with_factor(&centred, &one), factor: one };
    e.graph.tighten(y.node, 1.0);
    let within = 1.0 - taken / series.half;
    let absorbed = e.graph.push(Op::AbsorbNoise { a: y.node, within, left: NO_NOISE });
    let y = Value { node: absorbed, ..y };
    let sum = polynomial::evaluate(&Building(RefCell::new(e)), &series, &y)?;
    let a = e.with_factor(&sum, &y.factor);
    let node = e.graph.push(Op::Own(Carry { a, absorbed, slope: series.steepest() }));
    Ok(Value { node, factor: number::power_of_two(scale) })
}

/// Half of the interval of an approximation: a little more than needed where that makes the operand a whole
/// multiple of its node, which costs no level.
pub(super) fn free_half(half: f64, middle: f64, a: &Value, widest: f64) -> f64 {
    let factor = number::to_f64(&a.factor.abs());
    if half == 0.0 {
        return factor;
    }
    let multiple = (factor / half).floor();
    let free = factor / multiple;
    let rounding = middle.abs() * f64::EPSILON;
    let is_near = free - half <= (WIDENED * half).min(widest) && half + rounding <= free;
    if (1.0..=f64::from(LARGEST_NODE_BITS).exp2()).contains(&multiple) && is_near { free } else { half }
}

/// Polynomials are evaluated on the graph as on anything else: a circuit sees an expander through a shared reference.
pub(super) struct Building<'b, 'a, 'r>(pub(super) RefCell<&'b mut Expander<'a, Real<'r>>>);

impl capability::ValueTypes for Building<'_, '_, '_> {
    type Value = Value;
    type Error = ExpandError;

    fn bounded(&self, a: Value, bound: f64) -> Result<Value, ExpandError> {
        let bound = bound / number::to_f64(&a.factor.abs());
        self.0.borrow_mut().graph.tighten(a.node, bound);
        Ok(a)
    }
}

impl capability::Additive for Building<'_, '_, '_> {
    fn add(&self, a: &Value, b: &Value) -> Result<Value, ExpandError> {
        Ok(self.0.borrow_mut().sum_of_two(a, b, Op::Add))
    }

    fn sub(&self, a: &Value, b: &Value) -> Result<Value, ExpandError> {
        Ok(self.0.borrow_mut().sum_of_two(a, b, Op::Sub))
    }
}

impl capability::Multiplicative for Building<'_, '_, '_> {
    fn multiply(&self, a: &Value, b: &Value) -> Result<Value, ExpandError> {
        // Terms of a series are about 1, or small beside it.
        Ok(self.0.borrow_mut().push(Op::Mul(a.node, b.node), &a.factor * &b.factor))
    }
}

impl capability::RealArithmetic for Building<'_, '_, '_> {
    /// Ranges are declared and checked at encryption, and polynomials are fitted on what they allow.
    fn check_interval(&self, y: &Value, _: f64, _: f64) -> Result<(), ExpandError> {
        let bound = self.0.borrow().graph.nodes[y.node].bound() * number::to_f64(&y.factor.abs());
        assert!(bound <= 1.0, "a polynomial's argument is tightened to its interval");
        Ok(())
    }
}

impl capability::Constants for Building<'_, '_, '_> {
    fn mul_constant(&self, a: &Value, k: f64) -> Result<Value, ExpandError> {
        let k = BigRational::from_float(k).expect("series have finite coefficients");
        // Terms of a series are added, and need the same factor.
        let node = multiplied(&mut self.0.borrow_mut(), a.node, k * &a.factor);
        Ok(Value { node, factor: BigRational::one() })
    }

    fn add_constant(&self, a: &Value, c: f64) -> Result<Value, ExpandError> {
        let c = BigRational::from_float(c).expect("series have finite coefficients");
        Ok(if c.is_zero() { a.clone() } else { self.0.borrow_mut().offset(a, &c) })
    }
}
