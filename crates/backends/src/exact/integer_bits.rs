//! Bounds on the integers of a graph, computed without any modulus.

use asanoha_compile::{Graph, Op};
use asanoha_lang::Range;
use num_bigint::BigInt;
use num_rational::BigRational;

/// Returns a bound on log2 of the magnitudes of all outputs of a graph of sums and products, whose inputs have given ranges. `None`
/// for a graph with other operations.
pub(crate) fn integer_bits(graph: &Graph, inputs: &[&Range]) -> Option<f64> {
    let widest = inputs.iter().map(|range| bits(&range.max_abs().ceil().to_integer())).fold(0.0, f64::max);
    let mut all: Vec<f64> = Vec::with_capacity(graph.nodes.len());
    for node in &graph.nodes {
        let of = |at: &usize| all[*at];
        let constant = |c: &BigRational| bits(&c.ceil().to_integer());
        all.push(match &node.operation {
            // Bounds beyond all doubles are infinite.
            Op::Input(_) if node.bound().is_finite() => (node.bound().max(1.0).log2() + 1.0).min(widest),
            Op::Input(_) => widest,
            Op::Add(a, b) | Op::Sub(a, b) => of(a).max(of(b)) + 1.0,
            Op::Neg(a) | Op::MaskRows(a) | Op::KeepSlot(a, _) => of(a),
            Op::Mul(a, b) => of(a) + of(b),
            Op::AddConstant(a, c) => of(a).max(constant(c)) + 1.0,
            Op::MulConstant(a, k) => of(a) + constant(k),
            Op::Sum(a, ()) => of(a) + (graph.rows.max(1) as f64).log2() + 1.0,
            _ => return None,
        });
    }
    Some(graph.outputs.iter().map(|output| all[output.node]).fold(0.0, f64::max))
}

/// The bits of a magnitude.
fn bits(x: &BigInt) -> f64 {
    x.bits() as f64
}
