//! The noise of results as it is, with the secret and the data at hand.

use super::{
    Ciphertexts, DecryptionKey, Encrypted, ExecuteError, integers,
    run::{decrypt_slots, same_keys},
    walk,
};
use crate::{
    compile::{CircuitInput, PlainEngine, scaled_input},
    data::Table,
    plan::{Plan, SchemeParams},
};

/// log2 of the noise of the noisiest result, to be held against [`super::Noise::predicted_bits`]: in BGV the largest
/// coefficient of c₀ + c₁·s; in BFV that of t·e over |t|; in TFHE the largest of a ciphertext, in units of 2^−64 of the torus; in CKKS the largest error of a slot, times the scale, against what the same schedule
/// gives on plain numbers.
pub fn measure_noise(
    plan: &Plan,
    secret: &DecryptionKey,
    encrypted: &Encrypted,
    table: &Table,
) -> Result<f64, ExecuteError> {
    same_keys("secret key", secret.id(), encrypted.key)?;
    match (&plan.params, &encrypted.values, secret) {
        (SchemeParams::Bgv(_), Ciphertexts::Bgv(values), DecryptionKey::Slots(secret)) => {
            let measured = values.iter().flatten().map(|ciphertext| asanoha_bgv::measure(secret, ciphertext));
            Ok(measured.fold(f64::NEG_INFINITY, f64::max))
        }
        (SchemeParams::Bfv(_), Ciphertexts::Bfv(values), DecryptionKey::Slots(secret)) => {
            let measure = |ciphertext| asanoha_bfv::measure(secret, ciphertext);
            Ok(values.iter().flatten().map(measure).fold(f64::NEG_INFINITY, f64::max))
        }
        (SchemeParams::Tfhe(_), Ciphertexts::Tfhe(values), DecryptionKey::Tfhe(secret)) => {
            Ok(integers::measure(secret, values)?)
        }
        (SchemeParams::Ckks(params), Ciphertexts::Ckks(values), DecryptionKey::Slots(secret)) => {
            let mut largest = 0.0f64;
            for (value, plain) in values.iter().zip(plain_slots(plan, table)) {
                let slots = decrypt_slots(params, secret, value)?;
                for ((ciphertext, found), exact) in value.iter().zip(slots).zip(plain) {
                    let error = found.iter().zip(&exact).map(|(found, exact)| (found - exact).abs());
                    largest = largest.max(error.fold(0.0, f64::max) * ciphertext.scale());
                }
            }
            Ok(largest.log2())
        }
        _ => Err(ExecuteError::OtherScheme),
    }
}

/// What the slots of the results would hold without any noise.
fn plain_slots(plan: &Plan, table: &Table) -> Vec<Vec<Vec<f64>>> {
    let layout = plan.layout();
    let input = |input: &CircuitInput| {
        let values = &table.column(&input.column).expect("encrypted before").values;
        let range = &plan.schema.column(&input.column).expect("checked with the plan").range;
        let (column, _) = scaled_input(values, range);
        (0..layout.chunks()).map(|chunk| layout.spread(chunk, &column)).collect()
    };
    let inputs = plan.circuit.inputs.iter().map(input).collect();
    match walk(&PlainEngine::new(layout), layout, &plan.circuit, inputs, |_| ()) {
        Ok(outputs) => outputs,
        Err(never) => match never {},
    }
}
