//! How many noise bounds a run has, any of which may fail.

use asanoha_circuits::{StageCount, bootstrap::BOOTSTRAP_OPERATIONS};
use asanoha_compile::{Circuit, Layout, LevelOp, Op, Step};
use asanoha_lang::Shape;
use asanoha_lattice::{BOUNDED_POLYNOMIALS, FAILURE_BITS};

/// log2 of a bound on the probability that any noise bound of a run fails, by the union of all polynomials that it bounds:
/// those of every encryption and of every operation, on every ciphertext of a column.
pub(crate) fn log2_failure(circuit: &Circuit, layout: Layout) -> f64 {
    let operations: f64 = circuit.steps.iter().map(|step| operations(step, layout)).sum();
    (operations * BOUNDED_POLYNOMIALS).log2() - FAILURE_BITS
}

/// The operations of a step.
fn operations(step: &Step, layout: Layout) -> f64 {
    let chunks = layout.chunks() as f64;
    match &step.instruction {
        Op::Own(LevelOp::Total(_)) => chunks,
        Op::Sum(_, factors) => factors.iter().map(|&factor| factor as f64).sum(),
        Op::Functions(_, operation) => {
            // Sums have the sum of the bounds.
            let StageCount { products, tensor_products, constant_products, switches, additions: _ } =
                operation.cost().total();
            (products + tensor_products + constant_products + switches) as f64 * chunks
        }
        Op::Own(LevelOp::Bootstrap(_)) => {
            BOOTSTRAP_OPERATIONS * if step.shape == Shape::Column { chunks } else { 1.0 }
        }
        _ if step.shape == Shape::Column => chunks,
        _ => 1.0,
    }
}
