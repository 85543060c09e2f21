//! TFHE: the parameters are fixed, and the schedule says how wide the integers are.

use asanoha_compile::{Circuit, CircuitInput, Expansion, Op, Step, expand};
use asanoha_kernels::Backend;
use asanoha_lang::{Analysed, Shape};
use asanoha_tfhe::{Ciphertext, EncryptedInteger, Integers, Model, TfheError, TfheLiteral, TfheParams};

use crate::error::GenerateError;
use crate::hints::{ScheduleHints, SearchResult};
use crate::progress::SearchProgress;
use crate::rings::NO_SECURITY;
use crate::tfhe::rows::{apply_integers, integer_type};
use crate::tfhe::schedule::schedule_integers;

/// The most rows, each of which has ciphertexts of its own.
const MAX_ROWS: usize = 1 << 14;
/// The most bootstrappings of a row, and of a sum over rows: a plan out of a file may hold any program.
const MAX_BOOTSTRAPS: usize = 1 << 20;
/// The most threads that a row is planned for.
const MAX_THREADS: usize = 1024;

/// The standard parameters and a program's schedule at them, for a number of threads.
pub(crate) fn generate_tfhe(
    analysed: &Analysed<'_>,
    security: u32,
    backend: Backend,
    threads: usize,
    progress: &SearchProgress,
) -> Result<SearchResult<TfheParams>, GenerateError> {
    let literal = if security == NO_SECURITY {
        TfheLiteral::message_2_carry_2_insecure()
    } else {
        TfheLiteral::message_2_carry_2()
    };
    let params = literal.check(backend);
    let params = params.map_err(|error| GenerateError::Refused(error.to_string()))?;
    if security > params.security_bits() {
        return Err(GenerateError::OneSecurity { asked: security, found: params.security_bits() });
    }
    let threads = threads.div_ceil(analysed.rows()).min(MAX_THREADS);
    let hints = ScheduleHints { threads, ..ScheduleHints::default() };
    progress.add_schedule()?;
    let circuit = schedule_tfhe_at(analysed, &params, &hints)?;
    Ok(SearchResult { params, circuit, hints })
}

/// The schedule of a program at given parameters.
pub(crate) fn schedule_tfhe_at(
    analysed: &Analysed<'_>,
    params: &TfheParams,
    hints: &ScheduleHints,
) -> Result<Circuit, GenerateError> {
    let ScheduleHints { threads, fewer_rows, views, .. } = *hints;
    if *hints != (ScheduleHints { fewer_rows, views, threads, ..ScheduleHints::default() })
        || !(1..=MAX_THREADS).contains(&threads)
    {
        return Err(GenerateError::Unfit(format!(
            "TFHE is planned for 1 to {MAX_THREADS} threads, and nothing else is chosen"
        )));
    }
    let schema = analysed.schema();
    if schema.rows > MAX_ROWS {
        return Err(GenerateError::TooManyRows { found: schema.rows, most: MAX_ROWS });
    }
    let graph = expand(analysed, Expansion::Integers)?;
    let column = |input: &CircuitInput| {
        let column = schema.column(&input.column).expect("the program's ranges were found");
        input.range(&column.range).into_owned()
    };
    let mut circuit = schedule_integers(&graph, column)?;
    walk(&mut circuit, params, threads, schema.rows)?;
    Ok(circuit)
}

/// Walks a schedule as execution does, with the noise model in the key's place: finds every step's noise and bootstrappings,
/// and refuses what can't be computed.
fn walk(
    circuit: &mut Circuit,
    params: &TfheParams,
    threads: usize,
    rows: usize,
) -> Result<(), GenerateError> {
    let unfit = |error: TfheError| GenerateError::Unfit(error.to_string());
    let model = Model::new(params);
    let mut values: Vec<Vec<Option<EncryptedInteger>>> = Vec::with_capacity(circuit.steps.len());
    let (mut of_row, mut of_sums) = (0, 0);
    for step in &mut circuit.steps {
        let integers = Integers::with_threads(&model, threads).map_err(unfit)?;
        let value = state_of(step, &model, &integers, rows, &values).map_err(unfit)?;
        let variance = value.blocks().iter().map(Ciphertext::variance).fold(0.0, f64::max);
        step.noise_bits = params.noise_bits(variance.max(params.fresh_variance()));
        let bootstraps = integers.cost().bootstraps;
        step.bootstraps = Some(bootstraps);
        *(if step.shape == Shape::Column { &mut of_row } else { &mut of_sums }) += bootstraps;
        if let Some(found) = [of_row, of_sums].into_iter().find(|found| *found > MAX_BOOTSTRAPS) {
            return Err(GenerateError::TooManyBootstraps { found, most: MAX_BOOTSTRAPS });
        }
        values.push(vec![Some(value)]);
    }
    Ok(())
}

/// What is known of a step's integers, given those of the steps before.
fn state_of(
    step: &Step,
    model: &Model,
    integers: &Integers,
    rows: usize,
    values: &[Vec<Option<EncryptedInteger>>],
) -> Result<EncryptedInteger, TfheError> {
    match step.instruction {
        Op::Input(_) => model.integer(integer_type(step.width.expect("integers have a width"))),
        Op::Sum(a, _) => {
            let all = vec![values[a][0].clone(); rows];
            apply_integers(integers, step, 0, &|_| &all)
        }
        _ => apply_integers(integers, step, 0, &|at| &values[at]),
    }
}

/// What is known of the integers of every step of a schedule, by the noise model.
///
/// # Errors
/// What can't be computed.
pub fn integer_states(
    circuit: &Circuit,
    params: &TfheParams,
    threads: usize,
    rows: usize,
) -> Result<Vec<EncryptedInteger>, TfheError> {
    let model = Model::new(params);
    let mut values: Vec<Vec<Option<EncryptedInteger>>> = Vec::with_capacity(circuit.steps.len());
    for step in &circuit.steps {
        let integers = Integers::with_threads(&model, threads)?;
        values.push(vec![Some(state_of(step, &model, &integers, rows, &values)?)]);
    }
    Ok(values.into_iter().flatten().flatten().collect())
}
