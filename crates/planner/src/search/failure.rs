//! The probability that any noise bound of a whole run fails.

use asanoha_circuits::StageCount;
use asanoha_lattice::FAILURE_BITS;

use super::GenerateError;
use crate::{
    compile::{Circuit, Instruction, Layout, Step},
    program::Shape,
};

/// The probability that plans promise, as log2: that of all bounds of a run together.
pub const LOG2_FAILURE: f64 = -128.0;

/// The polynomials that an operation on ciphertexts bounds at most: of a product both operands, their rounding and the
/// result's, the digits and errors of a key switch and what its mod-down rounds; and the same again for a change of scale.
const POLYNOMIALS: f64 = 16.0;

/// log2 of a bound on the probability that any noise bound of a run fails, by the union of all polynomials that it bounds:
/// those of every encryption and of every operation, on every ciphertext of a column.
pub fn log2_failure(circuit: &Circuit, layout: Layout) -> f64 {
    let operations: f64 = circuit.steps.iter().map(|step| operations(step, layout)).sum();
    (operations * POLYNOMIALS).log2() - FAILURE_BITS
}

/// The operations of a step.
fn operations(step: &Step, layout: Layout) -> f64 {
    let chunks = layout.chunks() as f64;
    match &step.instruction {
        // The ciphertexts of the column are added up first.
        Instruction::Sum { factors, .. } => factors.iter().map(|&factor| factor as f64).sum::<f64>() + chunks,
        Instruction::Functions { operation, .. } => {
            let StageCount { products, tensor_products, constant_products, switches } =
                operation.cost().total();
            (products + tensor_products + constant_products + switches) as f64 * chunks
        }
        _ if step.shape == Shape::Column => chunks,
        _ => 1.0,
    }
}

/// Refuses what fails more often than [`LOG2_FAILURE`].
pub fn check(circuit: &Circuit, layout: Layout) -> Result<(), GenerateError> {
    let log2_failure = log2_failure(circuit, layout);
    if log2_failure <= LOG2_FAILURE { Ok(()) } else { Err(GenerateError::Failure { log2_failure }) }
}
