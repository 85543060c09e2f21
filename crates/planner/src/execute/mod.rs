//! Execution: a plan's circuit walked by an engine. Nothing is decided here.

mod bgv;
mod ckks;
mod encrypted;
mod engine;
mod measure;
mod plain;
mod run;

pub use bgv::{BgvEngine, BgvModel};
pub use ckks::{CkksEngine, CkksModel};
pub use encrypted::{CiphertextFileError, Ciphertexts, Contents, Encrypted};
pub use engine::{Engine, Values, apply};
pub use measure::measure_noise;
pub use plain::PlainEngine;
pub use run::{
    Decrypted, ExecuteError, Keys, Noise, Progress, decrypt, encrypt, evaluate, generate_keys, publish,
};

use crate::{
    circuit::{Circuit, Instruction, Layout},
    plan::{Plan, SchemeParams},
};

/// Walks a circuit from the inputs' values to the outputs'. A value is dropped after its last use. `done` hears
/// how many steps are done.
pub fn walk<E: Engine>(
    engine: &E,
    layout: Layout,
    circuit: &Circuit,
    mut inputs: Vec<Values<E::Value>>,
    done: impl Fn(usize),
) -> Result<Vec<Values<E::Value>>, E::Error> {
    let last_uses = circuit.last_uses();
    let mut values: Vec<Values<E::Value>> = Vec::with_capacity(circuit.steps.len());
    for (at, step) in circuit.steps.iter().enumerate() {
        let value = match step.instruction {
            // Every column is read once.
            Instruction::Input { input } => std::mem::take(&mut inputs[input]),
            _ => apply(engine, layout, step, |at| circuit.steps[at].shape, |at| &values[at])?,
        };
        values.push(value);
        for operand in step.instruction.operands() {
            if last_uses[operand] == at {
                values[operand] = Vec::new();
            }
        }
        done(at + 1);
    }
    Ok(circuit.outputs.iter().map(|output| values[output.step].clone()).collect())
}

/// Walks a plan's circuit by its noise model and holds it against the levels and the noise that the plan states: a
/// plan that came out of a file proves itself.
pub(crate) fn replay(plan: &Plan) -> Result<(), String> {
    let layout = plan.layout();
    match &plan.params {
        SchemeParams::Bgv(params) => {
            let model = BgvModel::new(params, layout);
            let fresh = model.fresh().map_err(|error| error.to_string())?;
            compare(plan, &model, |_| Ok(fresh), |state| (state.level.0, state.noise))
        }
        SchemeParams::Ckks(params) => {
            let model = CkksModel::new(params, layout);
            let fresh = |bound| model.fresh(bound).map_err(|error| error.to_string());
            compare(plan, &model, fresh, |state| (state.level.0, state.noise))
        }
    }
}

fn compare<E: Engine>(
    plan: &Plan,
    model: &E,
    fresh: impl Fn(f64) -> Result<E::Value, String>,
    facts: impl Fn(&E::Value) -> (usize, f64),
) -> Result<(), String>
where
    E::Error: std::fmt::Display,
{
    let layout = plan.layout();
    let steps = &plan.circuit.steps;
    let mut values: Vec<Values<E::Value>> = Vec::with_capacity(steps.len());
    for step in steps {
        let value = match step.instruction {
            Instruction::Input { .. } => vec![fresh(step.bound)?; layout.chunks()],
            _ => apply(model, layout, step, |at| steps[at].shape, |at| &values[at])
                .map_err(|error| error.to_string())?,
        };
        let level = facts(&value[0]).0;
        let noise_bits = value.iter().map(|value| facts(value).1).fold(0.0, f64::max).log2();
        if level != step.level.0 || (noise_bits - step.noise_bits).abs() > 1e-6 {
            return Err("its noise prediction isn't what its parameters give".to_owned());
        }
        values.push(value);
    }
    Ok(())
}
