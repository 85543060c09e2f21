//! Execution: a plan's circuit walked by an engine. Nothing is decided here.

mod encrypted;
mod exact;
mod integers;
mod keys;
mod measure;
mod publish;
mod record;
mod run;
mod side_by_side;

pub use encrypted::{Ciphertexts, Contents, Encrypted, plan_of};
pub use keys::{DecryptionKey, EncryptionKey, EvaluationKey, Keys, generate_keys, generate_stored_keys};
pub use measure::measure_noise;
pub use publish::{Publication, publish, publish_once};
pub use record::{PublicationRecord, RecordError, RecordProblem};
pub use run::{Decrypted, ExecuteError, Noise, Progress, decrypt, encrypt, evaluate};

use std::{
    borrow::Cow,
    mem,
    sync::atomic::{AtomicUsize, Ordering},
};

use asanoha_circuits::parallel::try_map_owned;
use asanoha_scheme::{Model, SchemeError, State};

use crate::{
    compile::{Circuit, Columns, Engine, Instruction, Layout, Output, Values, apply},
    plan::Plan,
    schemes::Planned,
};

/// Walks a circuit from the inputs' values to the outputs'. Steps that don't wait for one another run side by side.
/// A value is dropped after its last use. `done` hears how many steps are done.
pub(crate) fn walk<E: Engine>(
    engine: &E,
    layout: Layout,
    circuit: &Circuit,
    mut inputs: Vec<Values<E::Value>>,
    done: impl Fn(usize) + Sync,
) -> Result<Vec<Values<E::Value>>, E::Error> {
    let waves = circuit.waves();
    let mut uses = circuit.use_counts();
    let operands = |at: usize| circuit.steps[at].instruction.operands();

    let mut values: Vec<Values<E::Value>> = vec![Vec::new(); circuit.steps.len()];
    let finished = AtomicUsize::new(0);
    for wave in waves {
        for &at in &wave {
            if let Instruction::Input { input } = circuit.steps[at].instruction {
                // Every column is read once.
                values[at] = mem::take(&mut inputs[input]);
            }
        }
        // What nothing else takes any more is given away, to be overwritten.
        let given: Vec<_> = wave
            .iter()
            .map(|&at| {
                let give = |operand: usize| (uses[operand] == 1).then(|| mem::take(&mut values[operand]));
                operands(at).map(give).collect::<Vec<_>>()
            })
            .collect();
        let carry_out = |of: usize, given: Vec<Option<_>>| {
            let (at, step) = (wave[of], &circuit.steps[wave[of]]);
            let operand =
                |(at, given): (usize, Option<_>)| given.map_or(Cow::Borrowed(&values[at][..]), Cow::Owned);
            let result = match step.instruction {
                Instruction::Input { .. } => Ok(None),
                _ => apply(engine, layout, step, operands(at).zip(given).map(operand).collect()).map(Some),
            };
            done(finished.fetch_add(1, Ordering::Relaxed) + 1);
            result
        };
        let results: Vec<Option<Values<E::Value>>> = try_map_owned(given, &carry_out)?;
        for (&at, result) in wave.iter().zip(results) {
            values[at] = result.unwrap_or_else(|| mem::take(&mut values[at]));
            for operand in operands(at) {
                uses[operand] -= 1;
                if uses[operand] == 0 {
                    values[operand] = Vec::new();
                }
            }
        }
    }
    let output = |output: &Output| {
        uses[output.step] -= 1;
        if uses[output.step] == 0 { mem::take(&mut values[output.step]) } else { values[output.step].clone() }
    };
    Ok(circuit.outputs.iter().map(output).collect())
}

/// What is known of a plan's inputs and outputs before there are any, by its scheme's noise model: the states of every input
/// column and of every output (two for a column, of a full ciphertext and of the last).
pub(crate) fn states<S: Planned>(
    plan: &Plan,
    scheme: &S,
    contents: Contents,
) -> Result<Vec<Values<State<S>>>, SchemeError> {
    let (layout, circuit) = (plan.layout(), &plan.circuit);
    let model = Columns::new(Model::new(scheme), layout);
    let mut inputs = vec![Values::new(); circuit.inputs.len()];
    for step in &circuit.steps {
        if let Instruction::Input { input } = step.instruction {
            inputs[input] = model.fresh_column(step.bound)?;
        }
    }
    match contents {
        Contents::Inputs => Ok(inputs),
        Contents::Outputs => walk(&model, layout, circuit, inputs, |_| ()),
    }
}
