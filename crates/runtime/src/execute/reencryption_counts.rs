//! Which ciphertexts may be re-encrypted, and how often.

use asanoha_backends::{Contents, Reencryptions};
use asanoha_compile::{Instruction, LevelOp, Op};
use asanoha_lattice::RlweParams;

use super::reencryption_error::{MOST_REENCRYPTIONS, ReencryptionError};
use crate::plan::Plan;

/// The ring of a plan whose ciphertexts can be re-encrypted.
pub(super) fn ring(plan: &Plan) -> Result<&RlweParams, ReencryptionError> {
    let unsupported = |of: &str| ReencryptionError::Unsupported(format!("ciphertexts of {of}"));
    let scheme = || unsupported(&plan.params.scheme().to_string().to_uppercase());
    let rlwe = plan.params.rlwe().ok_or_else(scheme)?;
    if rlwe.literal().digits == 0 {
        return Err(unsupported("a plan without key switching"));
    }
    Ok(rlwe)
}

/// Refuses counts that no file of a plan's inputs or results can have.
///
/// # Errors
/// [`ReencryptionError::Unsupported`], [`ReencryptionError::TooMany`], [`ReencryptionError::Fitted`], and inputs with
/// re-encrypted results.
pub(super) fn check_counts(
    plan: &Plan,
    counts: Reencryptions,
    contents: Contents,
) -> Result<(), ReencryptionError> {
    if counts.is_none() {
        return Ok(());
    }
    ring(plan)?;
    let results = if contents == Contents::Inputs { 0 } else { MOST_REENCRYPTIONS };
    if counts.results > results || counts.count() > MOST_REENCRYPTIONS {
        return Err(ReencryptionError::TooMany);
    }
    let fitted = |instruction: &Instruction| {
        matches!(instruction, Op::AbsorbNoise { .. } | Op::Own(LevelOp::Bootstrap(_)))
    };
    if counts.inputs > 0 && plan.circuit.any(fitted) { Err(ReencryptionError::Fitted) } else { Ok(()) }
}

/// Refuses ciphertexts with more noise than a plan has room for: re-encrypted inputs of which the results wouldn't decrypt, and
/// re-encrypted results that wouldn't.
///
/// # Errors
/// Those of [`check_counts`], and [`ReencryptionError::NoRoom`].
pub(super) fn check_room(plan: &Plan, reencryptions: Reencryptions) -> Result<(), ReencryptionError> {
    if reencryptions.is_none() {
        return Ok(());
    }
    check_counts(plan, reencryptions, Contents::Outputs)?;
    let checked = plan.params.backend().check_noise(plan.scheduled(), reencryptions);
    let of_results = reencryptions.results > 0;
    let what = if of_results { "re-encrypted results" } else { "re-encrypted inputs" };
    checked.map_err(|error| ReencryptionError::NoRoom { what, error: Box::new(error) })
}

/// Refuses results that state another number of re-encryptions than the client replaced its keys: each one widens the bounds on noise
/// and errors, by which results and canaries are checked.
///
/// # Errors
/// [`ReencryptionError::Rotations`].
pub(super) fn check_rotations(reencryptions: Reencryptions, known: u32) -> Result<(), ReencryptionError> {
    let stated = reencryptions.count();
    if stated == known { Ok(()) } else { Err(ReencryptionError::Rotations { stated, known }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        data::{Column, ColumnValues, Schema, Table},
        plan::{PlanOptions, SchemeName, choose},
        program::Program,
    };

    fn plan(text: &str) -> Plan {
        let values = ColumnValues::Real(vec![-1.0, 0.5, 1.0]);
        let thresholds = ColumnValues::Real(vec![0.25, 0.5, -0.125]);
        let column = |name: &str, values| Column { name: name.to_owned(), values };
        let table = Table { columns: vec![column("x", values), column("t", thresholds)], rows: 3 };
        let schema = Schema::from_table(&table, &[]).unwrap();
        let options = PlanOptions { scheme: Some(SchemeName::Ckks), ..PlanOptions::default() };
        choose(&Program::parse(text).unwrap(), &schema, &options).unwrap().into_plan(&options).unwrap()
    }

    #[test]
    fn circuits_that_were_fitted_to_fresh_noise_take_no_reencrypted_inputs() {
        let (inputs, results) =
            (Reencryptions { inputs: 1, results: 0 }, Reencryptions { inputs: 0, results: 1 });
        let compared = plan("y = x > t");
        for contents in [Contents::Inputs, Contents::Outputs] {
            assert!(matches!(check_counts(&compared, inputs, contents), Err(ReencryptionError::Fitted)));
        }
        assert!(matches!(check_room(&compared, inputs), Err(ReencryptionError::Fitted)));
        // The noise of their results is known.
        assert!(check_counts(&compared, results, Contents::Outputs).is_ok());
        let squared = plan("y = x * x");
        assert!(
            check_counts(&squared, inputs, Contents::Inputs).is_ok() && check_room(&squared, inputs).is_ok()
        );
        assert!(matches!(check_counts(&squared, results, Contents::Inputs), Err(ReencryptionError::TooMany)));
    }
}
