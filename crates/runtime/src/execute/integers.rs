//! TFHE: columns as integers, row by row, and the walk of their schedule.

use std::{mem, ops::ControlFlow};

use asanoha_ring::{Sampler, Seed};
use asanoha_tfhe::{Bootstrapper, ClientKey, EncryptedInteger, Integers, TfheError};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rayon::prelude::*;

use super::{
    ExecuteError, Noise, Resumed,
    checkpoints::{Clock, Finished, Keeper, Needed, Part},
    progress::{Parts, go_on},
    run::InputColumn,
    side_by_side::{LANES, side_by_side},
};
use crate::{data::ColumnValues, plan::Plan, program::Shape};
use asanoha_backends::tfhe::{apply_integers, integer_type};
use asanoha_compile::{Circuit, Op, Output, Width};

/// The integers of every column, and the seeds of their digits.
type Seeded = (Vec<Vec<EncryptedInteger>>, Vec<Vec<Seed>>);

/// Encrypts columns, each row from a stream of its own.
pub(super) fn encrypt_columns(
    (plan, parts): (&Plan, &Parts),
    client: &ClientKey,
    columns: &[InputColumn],
    samplers: Vec<Sampler>,
) -> Result<Seeded, ExecuteError> {
    let width = |step: usize| plan.circuit.steps[step].width.expect("integers have a width");
    let widths: Vec<Width> = plan.circuit.input_steps().into_iter().map(width).collect();
    let encrypt = |(((name, values, _), width), mut sampler): ((&InputColumn, &Width), Sampler)| {
        let numbers: Vec<BigInt> = match values {
            ColumnValues::Whole(values) | ColumnValues::Categories { values, .. } => {
                values.iter().map(|&value| value.into()).collect()
            }
            ColumnValues::Integers(values) => values.clone(),
            ColumnValues::Decimal { .. } | ColumnValues::WideDecimal { .. } | ColumnValues::Real(_) => {
                let first = values.first_fraction();
                return Err(ExecuteError::NotWhole { column: (*name).clone(), first });
            }
        };
        let samplers: Vec<Sampler> = numbers.iter().map(|_| sampler.branch("row", &[])).collect();
        let rows = numbers.par_iter().zip(samplers);
        let encrypted = rows
            .map(|(value, mut sampler)| {
                let value = value.to_i128().expect("every width is of words of 128 bits");
                client.encrypt_integer_seeded(value, integer_type(*width), &mut sampler)
            })
            .collect::<Result<Vec<_>, _>>()?;
        parts.finish_one()?;
        let (integers, seeds): (_, Vec<Vec<Seed>>) = encrypted.into_iter().unzip();
        Ok((integers, seeds.concat()))
    };
    let columns = columns.iter().zip(&widths).zip(samplers).map(encrypt);
    Ok(columns.collect::<Result<Vec<_>, ExecuteError>>()?.into_iter().unzip())
}

/// Evaluates a schedule: the steps that don't wait for one another, and all rows of them, side by side.
pub(super) fn evaluate(
    plan: &Plan,
    key: &dyn Bootstrapper,
    mut inputs: Vec<Vec<EncryptedInteger>>,
    (mut finished, keeper): (Finished<EncryptedInteger>, &dyn Keeper<EncryptedInteger>),
    done: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<(Vec<Vec<EncryptedInteger>>, Resumed), ExecuteError> {
    let (circuit, rows) = (&plan.circuit, plan.schema.rows);
    let threads = plan.hints.threads;
    let needed = Needed::new(circuit, rows, &mut finished);
    let waves = circuit.waves();
    let mut uses = circuit.use_counts();
    let places = |at: usize| if circuit.steps[at].shape == Shape::Column { rows } else { 1 };
    let mut values: Vec<Vec<Option<EncryptedInteger>>> = vec![Vec::new(); circuit.steps.len()];
    for ((at, row), value) in finished.values {
        values[at].resize(places(at), None);
        values[at][row] = value.into_iter().next();
    }
    let mut clock = Clock::start();
    let mut finished = 0;
    for wave in &waves {
        let mut tasks = Vec::new();
        for &at in wave {
            if let Op::Input(input) = circuit.steps[at].instruction {
                // Every column is read once.
                values[at] = mem::take(&mut inputs[input]).into_iter().map(Some).collect();
            } else {
                values[at].resize(places(at), None);
                tasks.extend((0..places(at)).filter(|&row| needed.has(at, row)).map(|row| (at, row)));
            }
        }
        for tasks in tasks.chunks(LANES) {
            let results = side_by_side(key, tasks.len(), &|| done(finished), |task, bootstrapper| {
                let (at, row) = tasks[task];
                let integers = Integers::with_threads(bootstrapper, threads)?;
                apply_integers(&integers, &circuit.steps[at], row, &|operand| &values[operand])
            });
            let results = results.map_err(|error| match error {
                TfheError::Stopped => ExecuteError::Stopped,
                other => other.into(),
            })?;
            for (&(at, row), result) in tasks.iter().zip(results) {
                values[at][row] = Some(result);
            }
            keep(keeper, &mut clock, circuit, &values);
        }
        for operand in wave.iter().flat_map(|&at| circuit.steps[at].instruction.operands()) {
            uses[operand] -= 1;
            if uses[operand] == 0 {
                values[operand] = Vec::new();
            }
        }
        finished += wave.len();
        go_on(done(finished))?;
    }
    let output = |output: &Output| values[output.step].iter().flatten().cloned().collect();
    Ok((circuit.outputs.iter().map(output).collect(), needed.resumed()))
}

/// Offers the integers that are needed still to the keeper.
fn keep(
    keeper: &dyn Keeper<EncryptedInteger>,
    clock: &mut Clock,
    circuit: &Circuit,
    values: &[Vec<Option<EncryptedInteger>>],
) {
    let live = || {
        let computed = |&step: &usize| !matches!(circuit.steps[step].instruction, Op::Input(_));
        let of_step = |step: usize| {
            let integers = values[step].iter().enumerate();
            integers.filter_map(move |(place, integer)| {
                Some((Part::Value { step, place }, std::slice::from_ref(integer.as_ref()?)))
            })
        };
        (0..values.len()).filter(computed).flat_map(of_step).collect()
    };
    let is_live = |part: Part| match part {
        Part::Value { step, place } => values[step].get(place).is_some_and(Option::is_some),
        Part::Sum { .. } => false,
    };
    keeper.offer(clock, &live, &is_live);
}

/// The numbers of every output, and their noise as the plan predicts it.
pub(super) fn decrypt(
    (plan, parts): (&Plan, &Parts),
    client: &ClientKey,
    values: &[Vec<EncryptedInteger>],
) -> Result<(Vec<Vec<BigInt>>, Noise), ExecuteError> {
    let number = |integer| client.decrypt_integer(integer).map(BigInt::from);
    let numbers = values.iter().map(|value| {
        let numbers = value.iter().map(number).collect::<Result<_, _>>()?;
        parts.finish_one()?;
        Ok(numbers)
    });
    let numbers = numbers.collect::<Result<_, ExecuteError>>()?;
    let predicted = plan.circuit.outputs.iter().map(|output| plan.circuit.steps[output.step].noise_bits);
    let predicted_bits = predicted.fold(f64::NEG_INFINITY, f64::max);
    let budget_bits = client.params().most_noise_bits() - predicted_bits;
    Ok((numbers, Noise { predicted_bits, budget_bits }))
}

/// log2 of the largest noise of any digit, in units of 2^−64 of the torus.
pub(super) fn measure(client: &ClientKey, values: &[Vec<EncryptedInteger>]) -> Result<f64, TfheError> {
    let mut largest = 0.0f64;
    for block in values.iter().flatten().flat_map(EncryptedInteger::blocks) {
        let noise = client.noise(block, client.decrypt(block)?)?;
        largest = largest.max(noise.abs());
    }
    Ok(64.0 + largest.log2())
}
