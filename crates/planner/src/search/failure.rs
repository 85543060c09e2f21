//! The probability that any noise bound of a whole run fails.

use asanoha_circuits::StageCount;
use asanoha_lattice::FAILURE_BITS;

use super::{GenerateError, bootstraps};
use crate::{
    compile::{Circuit, Instruction, Layout, Step},
    program::Shape,
    schemes::SchemeParams,
};

/// The probability that plans promise, as log2: that of all bounds of a run together.
pub const LOG2_FAILURE: f64 = -128.0;

/// The probability that TFHE's plans promise, as log2, of all bootstrappings of a run together: parameters bound that of one.
pub const LOG2_RUN_FAILURE: f64 = -96.0;

/// The polynomials that an operation on ciphertexts bounds at most: of a product both operands, their rounding and the
/// result's, the digits and errors of a key switch and what its mod-down rounds; and the same again for a change of scale.
const POLYNOMIALS: f64 = 16.0;

/// log2 of a bound on the probability that any noise bound of a run fails, by the union of all polynomials that it bounds:
/// those of every encryption and of every operation, on every ciphertext of a column. In TFHE, by the union of all
/// bootstrappings.
pub fn log2_failure(circuit: &Circuit, params: &SchemeParams, rows: usize) -> f64 {
    if let SchemeParams::Tfhe(params) = params {
        return bootstraps::count(circuit, rows).max(1.0).log2() + params.literal().log2_failure;
    }
    let layout = Layout::new(rows, params.slots());
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

/// Refuses what fails more often than [`LOG2_FAILURE`]; in TFHE, that's what a single bootstrapping may, and a run what all of
/// its bootstrappings do ([`LOG2_RUN_FAILURE`]).
pub fn check(circuit: &Circuit, params: &SchemeParams, rows: usize) -> Result<(), GenerateError> {
    let most = if matches!(params, SchemeParams::Tfhe(_)) { LOG2_RUN_FAILURE } else { LOG2_FAILURE };
    let log2_failure = log2_failure(circuit, params, rows);
    if log2_failure <= most { Ok(()) } else { Err(GenerateError::Failure { log2_failure, most }) }
}
