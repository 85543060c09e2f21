//! What a schedule says of ciphertexts before there are any.

use std::ops::ControlFlow;

use asanoha_compile::{Circuit, Layout, Op};
use asanoha_scheme::{Model, Predictor, SchemeError, State};

use crate::contents::Contents;
use crate::reencryptions::Reencryptions;
use crate::slots::ended::Ended;
use crate::slots::engine::{CiphertextsOf, Columns};
use crate::slots::numbers::Planned;
use crate::slots::walk::run::walk;

/// What is known of a schedule's inputs and outputs before there are any, by its scheme's noise model: the states of every input
/// column and of every output (two for a column, of a full ciphertext and of the last), after some re-encryptions.
pub(crate) fn states<S: Planned>(
    scheme: &S,
    circuit: &Circuit,
    layout: Layout,
    contents: Contents,
    reencryptions: Reencryptions,
) -> Result<Vec<CiphertextsOf<State<S>>>, SchemeError> {
    match contents {
        Contents::Inputs => input_states(scheme, circuit, layout, reencryptions),
        Contents::Outputs => {
            let outputs = states_of(scheme, circuit, layout, reencryptions)?;
            switched(scheme, outputs, reencryptions.results)
        }
    }
}

/// The states after so many key switchings.
fn switched<S: Planned>(
    scheme: &S,
    values: Vec<CiphertextsOf<State<S>>>,
    times: u32,
) -> Result<Vec<CiphertextsOf<State<S>>>, SchemeError> {
    let model = Model::new(scheme);
    let switch = |state: &State<S>| (0..times).try_fold(state.clone(), |state, _| model.key_switch(&state));
    let value = |value: CiphertextsOf<State<S>>| value.iter().map(switch).collect();
    values.into_iter().map(value).collect()
}

fn input_states<S: Planned>(
    scheme: &S,
    circuit: &Circuit,
    layout: Layout,
    reencryptions: Reencryptions,
) -> Result<Vec<CiphertextsOf<State<S>>>, SchemeError> {
    let predictor = Columns::new(Predictor::new(scheme), layout);
    let mut inputs = vec![CiphertextsOf::new(); circuit.inputs.len()];
    for step in &circuit.steps {
        if let Op::Input(input) = step.instruction {
            inputs[input] = predictor.fresh_column(step.bound, step.level)?;
        }
    }
    switched(scheme, inputs, reencryptions.inputs)
}

/// The states of the outputs of a circuit.
pub(crate) fn states_of<S: Planned>(
    scheme: &S,
    circuit: &Circuit,
    layout: Layout,
    reencryptions: Reencryptions,
) -> Result<Vec<CiphertextsOf<State<S>>>, SchemeError> {
    let inputs = input_states(scheme, circuit, layout, reencryptions)?;
    let predictor = Columns::new(Predictor::new(scheme), layout);
    let walked = walk(&predictor, layout, circuit, inputs, |_| ControlFlow::Continue(()));
    walked.map_err(|ended| match ended {
        Ended::Failed(error) => error,
        Ended::Stopped => unreachable!("nothing stops it"),
    })
}
