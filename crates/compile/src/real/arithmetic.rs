//! Real arithmetic on values with factors: nodes hold values of about 1, and the factors, which the decrypting side
//! multiplies by, hold their magnitudes. A factor is brought into a node where that costs no level, and where values
//! of different factors meet.

use asanoha_numeric::number;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::Real;
use crate::{
    expander::{Expander, Value},
    ir::Op,
};

/// Most bits that nodes' values may have above the point, which the bottom of the modulus has to hold, too; beyond,
/// they're divided, at the cost of a level.
pub(super) const LARGEST_NODE_BITS: i32 = 20;
/// Values of fewer bits below the point are multiplied before a product, so that its noise isn't large beside it.
const SMALLEST_NODE: f64 = 0.25;

fn is_power_of_two(value: &BigRational) -> bool {
    number::log2_ceil(value).is_some_and(|k| value.abs() == number::power_of_two(k))
}

fn depth(e: &Expander<'_, Real<'_>>, value: &Value) -> usize {
    e.graph.nodes[value.node].depth
}

fn bound(e: &Expander<'_, Real<'_>>, node: usize) -> f64 {
    e.graph.nodes[node].bound().min(f64::MAX)
}

/// A bound on the value.
fn magnitude(e: &Expander<'_, Real<'_>>, value: &Value) -> BigRational {
    let bound = BigRational::from_float(bound(e, value.node)).expect("it's finite");
    value.factor.abs() * bound
}

/// The least power of two that isn't below a magnitude; 1 for 0.
fn power_above(magnitude: &BigRational) -> BigRational {
    number::power_of_two(number::log2_ceil(magnitude).unwrap_or(0))
}

/// Whether k times a node stays within the bits above the point.
fn holds(e: &Expander<'_, Real<'_>>, k: &BigRational, node: usize) -> bool {
    let largest = f64::from(LARGEST_NODE_BITS).exp2();
    let k = number::to_f64(&k.abs());
    k <= largest && k * bound(e, node) <= largest
}

/// k·node, which stands once.
pub(super) fn multiplied(e: &mut Expander<'_, Real<'_>>, node: usize, k: BigRational) -> usize {
    if k.is_one() {
        return node;
    }
    if let Some(&known) = e.target.multiples.get(&(node, k.clone())) {
        return known;
    }
    let multiple = e.graph.push(Op::MulConstant(node, k.clone()));
    e.target.multiples.insert((node, k), multiple);
    multiple
}

/// A factor that two values that are added are brought to. Whole multiples are free; a fraction costs the
/// shallower one nothing; else both share a power of two above them.
pub(super) fn common_factor(e: &Expander<'_, Real<'_>>, a: &Value, b: &Value) -> BigRational {
    if a.factor == b.factor || a.factor == -&b.factor {
        return b.factor.clone();
    }
    for (large, small) in [(a, b), (b, a)] {
        let k = &large.factor / &small.factor;
        let is_free = k.is_integer() || depth(e, large) < depth(e, small);
        if is_free && holds(e, &k, large.node) {
            return small.factor.clone();
        }
    }
    power_above(&magnitude(e, a).max(magnitude(e, b)))
}

/// The same value in a node that isn't small, at no cost.
fn lifted(e: &mut Expander<'_, Real<'_>>, a: &Value) -> Value {
    let bound = bound(e, a.node);
    if bound == 0.0 || bound > SMALLEST_NODE {
        return a.clone();
    }
    let k = (-number::log2_ceil(&BigRational::from_float(bound).expect("it's finite")).unwrap_or(0))
        .min(LARGEST_NODE_BITS.into());
    let k = number::power_of_two(k);
    Value { factor: &a.factor / &k, node: multiplied(e, a.node, k) }
}

/// The same value in a node of at most 1, at the cost of a level.
fn lowered(e: &mut Expander<'_, Real<'_>>, a: &Value) -> Value {
    if bound(e, a.node) <= 1.0 {
        return a.clone();
    }
    let factor = power_above(&magnitude(e, a));
    Value { node: multiplied(e, a.node, &a.factor / &factor), factor }
}

/// a·b.
pub(super) fn mul(e: &mut Expander<'_, Real<'_>>, a: &Value, b: &Value) -> Value {
    let (a, b) = (lifted(e, a), lifted(e, b));
    let factor = &a.factor * &b.factor;
    let fits = bound(e, a.node) * bound(e, b.node) <= f64::from(LARGEST_NODE_BITS).exp2();
    if fits && (is_power_of_two(&factor) || depth(e, &a) == depth(e, &b)) {
        return e.push(Op::Mul(a.node, b.node), factor);
    }
    if depth(e, &a) == depth(e, &b) {
        let (a, b) = (lowered(e, &a), lowered(e, &b));
        return e.push(Op::Mul(a.node, b.node), &a.factor * &b.factor);
    }
    // The shallower operand takes the factor at no cost.
    let (shallow, deep) = if depth(e, &a) < depth(e, &b) { (&a, &b) } else { (&b, &a) };
    scaled_product(e, shallow.node, deep.node, &factor)
}

/// factor·shallow·deep as a product of at most 1 and a power of two.
pub(super) fn scaled_product(
    e: &mut Expander<'_, Real<'_>>,
    shallow: usize,
    deep: usize,
    factor: &BigRational,
) -> Value {
    let (a, b) = [shallow, deep].map(|node| magnitude(e, &Value { node, factor: BigRational::one() })).into();
    let power = power_above(&(factor.abs() * a * b));
    let scaled = multiplied(e, shallow, factor / &power);
    e.push(Op::Mul(scaled, deep), power)
}

/// a + c.
pub(super) fn offset(e: &mut Expander<'_, Real<'_>>, a: &Value, c: &BigRational) -> Value {
    if a.factor.is_zero() {
        return e.constant_like(a, c);
    }
    // f·a + c = f·(a + c/f), unless c/f dwarfs a.
    let inside = c / &a.factor;
    if number::to_f64(&inside.abs()) <= f64::from(LARGEST_NODE_BITS).exp2() {
        return e.push(Op::AddConstant(a.node, inside), a.factor.clone());
    }
    let factor = power_above(&c.abs());
    let node = multiplied(e, a.node, &a.factor / &factor);
    e.push(Op::AddConstant(node, c / &factor), factor)
}

/// k·a. A constant that isn't whole costs a level, so it's kept as a factor where it can be, and moved into the operand of a
/// product that has a level to spare.
pub(super) fn scale(e: &mut Expander<'_, Real<'_>>, a: &Value, k: &BigRational, only_use: bool) -> Value {
    let is_last = a.node + 1 == e.graph.nodes.len();
    if let Op::Mul(x, y) = e.graph.nodes[a.node].operation
        && only_use
        && is_last
        && e.graph.nodes[x].depth != e.graph.nodes[y].depth
    {
        e.graph.nodes.pop();
        let (shallow, deep) = if e.graph.nodes[x].depth < e.graph.nodes[y].depth { (x, y) } else { (y, x) };
        return scaled_product(e, shallow, deep, &(k * &a.factor));
    }
    Value { node: a.node, factor: &a.factor * k }
}
