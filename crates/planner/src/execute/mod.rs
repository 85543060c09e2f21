//! Execution: a plan's circuit walked by an engine. Nothing is decided here.

#[macro_use]
mod exact_engine;

mod bfv;
mod bgv;
mod ckks;
mod encrypted;
mod engine;
mod exact;
mod keys;
mod measure;
mod plain;
mod run;

pub use bfv::{BfvEngine, BfvModel};
pub use bgv::{BgvEngine, BgvModel};
pub use ckks::{CkksEngine, CkksModel};
pub use encrypted::{CiphertextFileError, Ciphertexts, Contents, Encrypted};
pub use engine::{Engine, Values, apply};
pub use exact::{ExactModel, OperandOf};
pub use keys::{Keys, generate_keys, generate_stored_keys};
pub use measure::measure_noise;
pub use plain::PlainEngine;
pub use run::{Decrypted, ExecuteError, Noise, Progress, decrypt, encrypt, evaluate, publish};

use std::sync::atomic::{AtomicUsize, Ordering};

use asanoha_lattice::Norm;
use rayon::prelude::*;

use crate::{
    circuit::{Circuit, Instruction, Layout},
    plan::{Plan, SchemeParams},
};

/// Walks a circuit from the inputs' values to the outputs'. Steps that don't wait for one another run side by side.
/// A value is dropped after its last use. `done` hears how many steps are done.
pub fn walk<E: Engine>(
    engine: &E,
    layout: Layout,
    circuit: &Circuit,
    mut inputs: Vec<Values<E::Value>>,
    done: impl Fn(usize) + Sync,
) -> Result<Vec<Values<E::Value>>, E::Error> {
    let waves = circuit.waves();
    let mut uses = vec![0usize; circuit.steps.len()];
    let operands = |at: usize| circuit.steps[at].instruction.operands();
    (0..circuit.steps.len()).flat_map(operands).for_each(|operand| uses[operand] += 1);
    circuit.outputs.iter().for_each(|output| uses[output.step] += 1);

    let mut values: Vec<Values<E::Value>> = vec![Vec::new(); circuit.steps.len()];
    let finished = AtomicUsize::new(0);
    for wave in waves {
        for &at in &wave {
            if let Instruction::Input { input } = circuit.steps[at].instruction {
                // Every column is read once.
                values[at] = std::mem::take(&mut inputs[input]);
            }
        }
        let carry_out = |&at: &usize| {
            let step = &circuit.steps[at];
            let result = match step.instruction {
                Instruction::Input { .. } => Ok(None),
                _ => apply(engine, layout, step, |at| circuit.steps[at].shape, |at| &values[at]).map(Some),
            };
            done(finished.fetch_add(1, Ordering::Relaxed) + 1);
            result
        };
        let results: Vec<Option<Values<E::Value>>> =
            wave.par_iter().map(carry_out).collect::<Result<_, _>>()?;
        for (&at, result) in wave.iter().zip(results) {
            values[at] = result.unwrap_or_else(|| std::mem::take(&mut values[at]));
            for operand in operands(at) {
                uses[operand] -= 1;
                if uses[operand] == 0 {
                    values[operand] = Vec::new();
                }
            }
        }
    }
    Ok(circuit.outputs.iter().map(|output| values[output.step].clone()).collect())
}

/// Walks a plan's circuit by its noise model and holds it against the levels and the noise that the plan states: a
/// plan that came out of a file proves itself.
pub(crate) fn replay(plan: &Plan) -> Result<(), String> {
    let layout = plan.layout();
    match &plan.params {
        SchemeParams::Bgv(params) => compare_exact(plan, &BgvModel::new(params, layout)),
        SchemeParams::Bfv(params) => compare_exact(plan, &BfvModel::new(params, layout)),
        SchemeParams::Ckks(params) => {
            let model = CkksModel::new(params, layout);
            let fresh = |bound| model.fresh(bound).map_err(|error| error.to_string());
            compare(plan, &model, fresh, |state| (state.level.0, state.noise.into()))
        }
    }
}

fn compare_exact<M: ExactModel>(plan: &Plan, model: &M) -> Result<(), String>
where
    M::Error: std::fmt::Display,
{
    let fresh = model.fresh().map_err(|error| error.to_string())?;
    compare(plan, model, |_| Ok(fresh.clone()), |state| (M::level_of(state).0, M::noise_of(state)))
}

fn compare<E: Engine>(
    plan: &Plan,
    model: &E,
    fresh: impl Fn(f64) -> Result<E::Value, String>,
    facts: impl Fn(&E::Value) -> (usize, Norm),
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
        let noise_bits = value.iter().map(|value| facts(value).1).fold(Norm::ZERO, Norm::max).log2();
        if level != step.level.0 || (noise_bits - step.noise_bits).abs() > 1e-6 {
            return Err("its noise prediction isn't what its parameters give".to_owned());
        }
        values.push(value);
    }
    Ok(())
}
