//! The probability that any noise bound of a whole run fails.

use asanoha_circuits::StageCount;
use asanoha_lattice::FAILURE_BITS;
use asanoha_scheme::{BootstrapShape, Scheme, log2_raise_failure};

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
/// those of every encryption and of every operation, on every ciphertext of a column; and by that of all bootstrappings. In TFHE, by the union of all
/// bootstrappings.
pub fn log2_failure(circuit: &Circuit, params: &SchemeParams, rows: usize) -> f64 {
    if let SchemeParams::Tfhe(params) = params {
        return bootstraps::count(circuit, rows).max(1.0).log2() + params.literal().log2_failure;
    }
    let layout = Layout::new(rows, params.slots());
    let operations: f64 = circuit.steps.iter().map(|step| operations(step, layout)).sum();
    let bounds = operations * POLYNOMIALS * (-FAILURE_BITS).exp2();
    let SchemeParams::Ckks(params) = params else { return bounds.log2() };
    let raised =
        circuit.steps.iter().filter(|step| matches!(step.instruction, Instruction::Bootstrap { .. }));
    let ciphertexts = |step: &Step| if step.shape == Shape::Column { layout.chunks() as f64 } else { 1.0 };
    let raises: f64 = raised.map(ciphertexts).sum();
    let distance = params.literal().bootstrap.as_ref().map_or(0.0, BootstrapShape::distance);
    (bounds + raises * log2_raise_failure(params.rlwe().ring_degree(), distance).exp2()).log2()
}

/// The operations of a step.
fn operations(step: &Step, layout: Layout) -> f64 {
    let chunks = layout.chunks() as f64;
    match &step.instruction {
        Instruction::Total { .. } => chunks,
        Instruction::Sum { factors, .. } => factors.iter().map(|&factor| factor as f64).sum(),
        Instruction::Functions { operation, .. } => {
            // Sums have the sum of the bounds.
            let StageCount { products, tensor_products, constant_products, switches, additions: _ } =
                operation.cost().total();
            (products + tensor_products + constant_products + switches) as f64 * chunks
        }
        // As many operations as it has, and more.
        Instruction::Bootstrap { .. } => 1000.0 * if step.shape == Shape::Column { chunks } else { 1.0 },
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
