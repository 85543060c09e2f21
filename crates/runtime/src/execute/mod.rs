//! Execution: a plan's circuit walked by an engine. Nothing is decided here.

mod backup;
mod canaries;
mod checkpoints;
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

pub use asanoha_planner::plan::Centres;
pub use backup::{Backup, back_up};
pub use canaries::{Canaries, CanaryError, MAX_CANARIES};
pub use checkpoints::{CheckpointError, Checkpoints};
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
    evaluate_with_checkpoints,
};
pub use walk::Resumed;

use std::ops::ControlFlow;

use asanoha_scheme::{Model, SchemeError, State};

use walk::{Ended, walk};

use crate::plan::Plan;
use asanoha_backends::slots::{Columns, Planned, Values};
use asanoha_compile::{Circuit, Op};

/// What is known of a plan's inputs and outputs before there are any, by its scheme's noise model: the states of every input
/// column and of every output (two for a column, of a full ciphertext and of the last), after some re-encryptions.
pub(crate) fn states<S: Planned>(
    plan: &Plan,
    scheme: &S,
    contents: Contents,
    reencryptions: Reencryptions,
) -> Result<Vec<Values<State<S>>>, SchemeError> {
    match contents {
        Contents::Inputs => input_states(plan, scheme, reencryptions),
        Contents::Outputs => {
            let outputs = states_of(plan, scheme, &plan.circuit, reencryptions)?;
            switched(plan, scheme, outputs, reencryptions.results)
        }
    }
}

/// The states after so many key switchings.
fn switched<S: Planned>(
    plan: &Plan,
    scheme: &S,
    values: Vec<Values<State<S>>>,
    times: u32,
) -> Result<Vec<Values<State<S>>>, SchemeError> {
    let model = Columns::new(Model::new(scheme), plan.layout());
    let switch = |state: &State<S>| {
        (0..times).try_fold(state.clone(), |state, _| model.operations().key_switch(&state))
    };
    let value = |value: Values<State<S>>| value.iter().map(switch).collect();
    values.into_iter().map(value).collect()
}

fn input_states<S: Planned>(
    plan: &Plan,
    scheme: &S,
    reencryptions: Reencryptions,
) -> Result<Vec<Values<State<S>>>, SchemeError> {
    let model = Columns::new(Model::new(scheme), plan.layout());
    let mut inputs = vec![Values::new(); plan.circuit.inputs.len()];
    for step in &plan.circuit.steps {
        if let Op::Input(input) = step.instruction {
            inputs[input] = model.fresh_column(step.bound, step.level)?;
        }
    }
    switched(plan, scheme, inputs, reencryptions.inputs)
}

/// The states of the outputs of a circuit, which is that of a plan or has other outputs.
fn states_of<S: Planned>(
    plan: &Plan,
    scheme: &S,
    circuit: &Circuit,
    reencryptions: Reencryptions,
) -> Result<Vec<Values<State<S>>>, SchemeError> {
    let (layout, inputs) = (plan.layout(), input_states(plan, scheme, reencryptions)?);
    let model = Columns::new(Model::new(scheme), layout);
    let walked = walk(&model, layout, circuit, inputs, |_| ControlFlow::Continue(()));
    walked.map_err(|ended| match ended {
        Ended::Failed(error) => error,
        Ended::Stopped => unreachable!("nothing stops it"),
    })
}
