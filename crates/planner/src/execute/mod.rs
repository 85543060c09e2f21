//! Execution: a plan's circuit walked by an engine. Nothing is decided here.

mod backup;
mod canaries;
mod centre;
mod client_record;
mod collect;
mod correction;
mod encrypted;
mod error;
mod exact;
mod folder_error;
mod integers;
mod keys;
mod measure;
mod merge;
mod progress;
mod publish;
mod record;
mod reencryption;
mod run;
mod sealed;
mod side_by_side;
mod walk;

pub use backup::{Backup, back_up};
pub use canaries::{Canaries, CanaryError, MAX_CANARIES};
pub use centre::Centres;
pub use client_record::{ClientRecord, ClientRecordError, ClientRecordProblem};
pub use encrypted::{Ciphertexts, Contents, Encrypted, plan_of};
pub use error::ExecuteError;
pub use folder_error::FolderError;
pub use keys::{
    DecryptionKey, EncryptionKey, EvaluationKey, Keys, generate_keys, generate_keys_with_progress,
    generate_stored_keys,
};
pub use measure::measure_noise;
pub use merge::{MergeError, Merging, Part, decrypt_part};
pub use progress::{Progress, unwatched};
pub use publish::{Publication, publish, publish_once};
pub use record::{PublicationRecord, RecordError, RecordProblem};
pub use reencryption::{MOST_REENCRYPTIONS, ReencryptionError, ReencryptionKey, Reencryptions, reencrypt};
pub use run::{
    Decrypted, Noise, check, decrypt, decrypt_with_progress, encrypt, encrypt_with_progress, evaluate,
};

use std::ops::ControlFlow;

use asanoha_scheme::{Model, SchemeError, State};

use walk::{Ended, walk};

use crate::{
    compile::{Columns, Instruction, Values},
    plan::Plan,
    schemes::Planned,
};

/// What is known of a plan's inputs and outputs before there are any, by its scheme's noise model: the states of every input
/// column and of every output (two for a column, of a full ciphertext and of the last), after some re-encryptions.
pub(crate) fn states<S: Planned>(
    plan: &Plan,
    scheme: &S,
    contents: Contents,
    reencryptions: Reencryptions,
) -> Result<Vec<Values<State<S>>>, SchemeError> {
    let (layout, circuit) = (plan.layout(), &plan.circuit);
    let model = Columns::new(Model::new(scheme), layout);
    let mut inputs = vec![Values::new(); circuit.inputs.len()];
    for step in &circuit.steps {
        if let Instruction::Input { input } = step.instruction {
            inputs[input] = model.fresh_column(step.bound, step.level)?;
        }
    }
    let switch = |state: &State<S>, times| {
        (0..times).try_fold(state.clone(), |state, _| model.operations().key_switch(&state))
    };
    let switched = |values: Vec<Values<State<S>>>, times: u32| {
        let value = |value: Values<State<S>>| value.iter().map(|state| switch(state, times)).collect();
        values.into_iter().map(value).collect::<Result<Vec<Values<State<S>>>, SchemeError>>()
    };
    let inputs = switched(inputs, reencryptions.inputs)?;
    if contents == Contents::Inputs {
        return Ok(inputs);
    }
    match walk(&model, layout, circuit, inputs, |_| ControlFlow::Continue(())) {
        Ok(outputs) => switched(outputs, reencryptions.results),
        Err(Ended::Failed(error)) => Err(error),
        Err(Ended::Stopped) => unreachable!("nothing stops it"),
    }
}
