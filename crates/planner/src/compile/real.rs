//! Real arithmetic on values with factors: nodes hold values of about 1, and the factors, which the decrypting side
//! multiplies by, hold their magnitudes. A factor is brought into a node where that costs no level, and where values
//! of different factors meet.

use std::cell::RefCell;

use asanoha_circuits::polynomial::{self, Chebyshev};
use asanoha_scheme::capability;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{
    ExpandError, Expansion,
    expand::{Expander, Value},
    graph::Operation,
    sign::NO_NOISE,
};
use crate::program::{NodeId, Smooth, number};

/// Most bits that nodes' values may have above the point, which the bottom of the modulus has to hold, too; beyond,
/// they're divided, at the cost of a level.
const LARGEST_NODE_BITS: i32 = 20;
/// Values of fewer bits below the point are multiplied before a product, so that its noise isn't large beside it.
const SMALLEST_NODE: f64 = 0.25;
/// So much of the interval of a smooth function is left to the noise of its operand, at most.
const NOISE_MARGIN: f64 = 1.0 / 64.0;
/// And so much of how far it can be widened.
const NOISE_SHARE: f64 = 0.25;
/// The interval of an approximation is widened by so much, relative to it, where that saves a level.
const WIDENED: f64 = 0.25;

fn is_power_of_two(value: &BigRational) -> bool {
    number::log2_ceil(value).is_some_and(|k| value.abs() == number::power_of_two(k))
}

impl Expander<'_> {
    fn depth(&self, value: &Value) -> usize {
        self.graph.nodes[value.node].depth
    }

    fn bound(&self, node: usize) -> f64 {
        self.graph.nodes[node].bound().min(f64::MAX)
    }

    /// A bound on the value.
    fn magnitude(&self, value: &Value) -> BigRational {
        let bound = BigRational::from_float(self.bound(value.node)).expect("it's finite");
        value.factor.abs() * bound
    }

    /// The least power of two that isn't below a magnitude; 1 for 0.
    fn power_above(magnitude: &BigRational) -> BigRational {
        number::power_of_two(number::log2_ceil(magnitude).unwrap_or(0))
    }

    /// Whether k times a node stays within the bits above the point.
    fn holds(&self, k: &BigRational, node: usize) -> bool {
        let largest = f64::from(LARGEST_NODE_BITS).exp2();
        let k = number::to_f64(&k.abs());
        k <= largest && k * self.bound(node) <= largest
    }

    /// k·node, which stands once.
    pub(super) fn multiplied(&mut self, node: usize, k: BigRational) -> usize {
        if k.is_one() {
            return node;
        }
        if let Some(&known) = self.multiples.get(&(node, k.clone())) {
            return known;
        }
        let multiple = self.graph.push(Operation::MulConstant(node, k.clone()));
        self.multiples.insert((node, k), multiple);
        multiple
    }

    /// A factor that two values that are added are brought to. Whole multiples are free; a fraction costs the
    /// shallower one nothing; else both share a power of two above them.
    pub(super) fn real_common_factor(&self, a: &Value, b: &Value) -> BigRational {
        if a.factor == b.factor || a.factor == -&b.factor {
            return b.factor.clone();
        }
        for (large, small) in [(a, b), (b, a)] {
            let k = &large.factor / &small.factor;
            let is_free = k.is_integer() || self.depth(large) < self.depth(small);
            if is_free && self.holds(&k, large.node) {
                return small.factor.clone();
            }
        }
        Self::power_above(&self.magnitude(a).max(self.magnitude(b)))
    }

    /// The same value in a node that isn't small, at no cost.
    fn lifted(&mut self, a: &Value) -> Value {
        let bound = self.bound(a.node);
        if bound == 0.0 || bound > SMALLEST_NODE {
            return a.clone();
        }
        let k = (-number::log2_ceil(&BigRational::from_float(bound).expect("it's finite")).unwrap_or(0))
            .min(LARGEST_NODE_BITS.into());
        let k = number::power_of_two(k);
        Value { factor: &a.factor / &k, node: self.multiplied(a.node, k) }
    }

    /// The same value in a node of at most 1, at the cost of a level.
    fn lowered(&mut self, a: &Value) -> Value {
        if self.bound(a.node) <= 1.0 {
            return a.clone();
        }
        let factor = Self::power_above(&self.magnitude(a));
        Value { node: self.multiplied(a.node, &a.factor / &factor), factor }
    }

    pub(super) fn real_mul(&mut self, a: &Value, b: &Value) -> Value {
        let (a, b) = (self.lifted(a), self.lifted(b));
        let factor = &a.factor * &b.factor;
        let fits = self.bound(a.node) * self.bound(b.node) <= f64::from(LARGEST_NODE_BITS).exp2();
        if fits && (is_power_of_two(&factor) || self.depth(&a) == self.depth(&b)) {
            return self.push(Operation::Mul(a.node, b.node), factor);
        }
        if self.depth(&a) == self.depth(&b) {
            let (a, b) = (self.lowered(&a), self.lowered(&b));
            return self.push(Operation::Mul(a.node, b.node), &a.factor * &b.factor);
        }
        // The shallower operand takes the factor at no cost.
        let (shallow, deep) = if self.depth(&a) < self.depth(&b) { (&a, &b) } else { (&b, &a) };
        self.scaled_product(shallow.node, deep.node, &factor)
    }

    /// factor·shallow·deep as a product of at most 1 and a power of two.
    pub(super) fn scaled_product(&mut self, shallow: usize, deep: usize, factor: &BigRational) -> Value {
        let (a, b) =
            [shallow, deep].map(|node| self.magnitude(&Value { node, factor: BigRational::one() })).into();
        let power = Self::power_above(&(factor.abs() * a * b));
        let scaled = self.multiplied(shallow, factor / &power);
        self.push(Operation::Mul(scaled, deep), power)
    }

    pub(super) fn real_offset(&mut self, a: &Value, c: &BigRational) -> Value {
        if a.factor.is_zero() {
            return self.constant_like(a, c);
        }
        // f·a + c = f·(a + c/f), unless c/f dwarfs a.
        let inside = c / &a.factor;
        if number::to_f64(&inside.abs()) <= f64::from(LARGEST_NODE_BITS).exp2() {
            return self.push(Operation::AddConstant(a.node, inside), a.factor.clone());
        }
        let factor = Self::power_above(&c.abs());
        let node = self.multiplied(a.node, &a.factor / &factor);
        self.push(Operation::AddConstant(node, c / &factor), factor)
    }

    /// log2 of how far the polynomials of an operation may be off.
    pub(super) fn fit_bits(&self, id: NodeId, name: &'static str) -> Result<i32, ExpandError> {
        let Expansion::Real { fit_bits, .. } = self.expansion else {
            return Err(ExpandError::NotExact(name));
        };
        let before = self.program.nodes()[..id.0].iter().filter(|node| node.is_fitted()).count();
        fit_bits.get(before).copied().ok_or(ExpandError::MissingFit(name))
    }

    /// A smooth function, of the operation `id`, as its polynomial.
    ///
    /// Noise of the operand isn't multiplied product by product: it goes on with the polynomial's slope. What a ciphertext holds
    /// is taken for its value, whose noise is 0, within the margin that the interval is widened by; the noise of
    /// before, times the slope, is counted again of the result.
    pub(super) fn smooth(
        &mut self,
        id: NodeId,
        function: &dyn Smooth,
        a: &Value,
        operand: NodeId,
    ) -> Result<Value, ExpandError> {
        let bits = self.fit_bits(id, function.name())?;
        // Outside of the interval a series grows without bound: no slot may hold anything else.
        let a = &self.padded(a);
        let (lo, hi) = self.ranges[operand.0].to_f64();
        let error = self.approximations[operand.0];
        let middle = f64::midpoint(lo, hi);
        // A little more than half the interval, for its ends are rounded.
        let taken = ((hi - lo) / 2.0 + error) * (1.0 + 8.0 * f64::EPSILON);
        let widest = function.widest((lo - error, hi + error));
        let margin = (NOISE_MARGIN * taken).min(NOISE_SHARE * widest);
        let half = Self::free_half(taken + margin, middle, a, widest - margin);
        // The range may be far from 1: so is the series, but for a power of two.
        let scale = self.ranges[id.0].log2_bound().unwrap_or(0);
        let value = |x: f64| number::times_power_of_two(function.value(x), -scale);
        let error = number::times_power_of_two(1.0, i64::from(bits) - scale);
        let series = Chebyshev::fit(function.name(), value, (middle, half), error)?;
        let exactly = |x: f64| BigRational::from_float(x).expect("ranges are finite");
        let mut centred = a.clone();
        if series.middle != 0.0 {
            centred = self.offset(a, &-exactly(series.middle));
        }
        centred.factor /= exactly(series.half);
        let one = BigRational::one();
        let y = Value { node: self.with_factor(&centred, &one), factor: one };
        self.graph.tighten(y.node, 1.0);
        let within = 1.0 - taken / series.half;
        let settled = self.graph.push(Operation::Settle { a: y.node, within, left: NO_NOISE });
        let y = Value { node: settled, ..y };
        let sum = polynomial::evaluate(&Building(RefCell::new(self)), &series, &y)?;
        let a = self.with_factor(&sum, &y.factor);
        let node = self.graph.push(Operation::Carry { a, settled, slope: series.steepest() });
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
}

/// Polynomials are evaluated on the graph as on anything else: a circuit sees an expander through a shared reference.
pub(super) struct Building<'b, 'a>(pub(super) RefCell<&'b mut Expander<'a>>);

impl capability::Values for Building<'_, '_> {
    type Value = Value;
    type Error = ExpandError;

    fn bounded(&self, a: Value, bound: f64) -> Result<Value, ExpandError> {
        let bound = bound / number::to_f64(&a.factor.abs());
        self.0.borrow_mut().graph.tighten(a.node, bound);
        Ok(a)
    }
}

impl capability::Additive for Building<'_, '_> {
    fn add(&self, a: &Value, b: &Value) -> Result<Value, ExpandError> {
        Ok(self.0.borrow_mut().sum_of_two(a, b, Operation::Add))
    }

    fn sub(&self, a: &Value, b: &Value) -> Result<Value, ExpandError> {
        Ok(self.0.borrow_mut().sum_of_two(a, b, Operation::Sub))
    }
}

impl capability::Multiplicative for Building<'_, '_> {
    fn multiply(&self, a: &Value, b: &Value) -> Result<Value, ExpandError> {
        // Terms of a series are about 1, or small beside it.
        Ok(self.0.borrow_mut().push(Operation::Mul(a.node, b.node), &a.factor * &b.factor))
    }
}

impl capability::RealArithmetic for Building<'_, '_> {
    /// Ranges are declared and checked at encryption, and polynomials are fitted on what they allow.
    fn check_interval(&self, y: &Value, _: f64, _: f64) -> Result<(), ExpandError> {
        let bound = self.0.borrow().graph.nodes[y.node].bound() * number::to_f64(&y.factor.abs());
        assert!(bound <= 1.0, "a polynomial's argument is tightened to its interval");
        Ok(())
    }
}

impl capability::Constants<f64> for Building<'_, '_> {
    fn mul_constant(&self, a: &Value, k: f64) -> Result<Value, ExpandError> {
        let k = BigRational::from_float(k).expect("series have finite coefficients");
        // Terms of a series are added, and need the same factor.
        let node = self.0.borrow_mut().multiplied(a.node, k * &a.factor);
        Ok(Value { node, factor: BigRational::one() })
    }

    fn add_constant(&self, a: &Value, c: f64) -> Result<Value, ExpandError> {
        let c = BigRational::from_float(c).expect("series have finite coefficients");
        Ok(if c.is_zero() { a.clone() } else { self.0.borrow_mut().offset(a, &c) })
    }
}
