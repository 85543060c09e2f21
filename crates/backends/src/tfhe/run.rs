//! TFHE: columns as integers, row by row, and the walk of their schedule.

use std::{mem, ops::ControlFlow};

use asanoha_compile::{Circuit, Op, Output, Width};
use asanoha_lang::Shape;
use asanoha_ring::{Sampler, Seed};
use asanoha_table::ColumnValues;
use asanoha_tfhe::{
    Bootstrapper, ClientKey, EncryptedInteger, Integers, SeededServerKey, StoredServerKey, TfheError,
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rayon::prelude::*;

use crate::altered::ResultPlace;
use crate::backend::Scheduled;
use crate::backend_error::BackendError;
use crate::checkpoints::keeper::{Keeper, Unkept};
use crate::checkpoints::kept::Kept;
use crate::checkpoints::needed::{Finished, Needed};
use crate::checkpoints::pace::Clock;
use crate::checkpoints::part::Part;
use crate::checkpoints::{Evaluation, Resumed};
use crate::ciphertexts::{Ciphertexts, Fresh};
use crate::column::InputColumn;
use crate::done::{Done, go_on};
use crate::keys::{DecryptionKey, EncryptionKey, EvaluationKey};
use crate::opened::{Noise, Opened, OpenedNumbers};
use crate::tfhe::codec::IntegerCodec;
use crate::tfhe::rows::{apply_integers, integer_type};
use crate::tfhe::side_by_side::{LANES, side_by_side};

/// The integers of every value.
pub(crate) type AllIntegers = Vec<Vec<EncryptedInteger>>;

/// Encrypts columns, each row from a stream of its own.
pub(crate) fn encrypt(
    of: Scheduled<'_>,
    key: &EncryptionKey,
    columns: &[InputColumn<'_>],
    samplers: Vec<Sampler>,
    done: Done<'_>,
) -> Result<Fresh, BackendError> {
    let client: &ClientKey = key.get().ok_or(BackendError::OtherScheme)?;
    let width = |step: usize| of.circuit.steps[step].width.expect("integers have a width");
    let widths: Vec<Width> = of.circuit.input_steps().into_iter().map(width).collect();
    let encrypt = |((column, width), mut sampler): ((&InputColumn<'_>, &Width), Sampler)| {
        let numbers: Vec<BigInt> = match &*column.values {
            ColumnValues::Whole(values) | ColumnValues::Categories { values, .. } => {
                values.iter().map(|&value| value.into()).collect()
            }
            ColumnValues::Integers(values) => values.clone(),
            ColumnValues::Decimal { .. } | ColumnValues::WideDecimal { .. } | ColumnValues::Real(_) => {
                let first = column.values.first_fraction();
                return Err(BackendError::NotWhole { column: column.name.to_owned(), first });
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
        go_on(done())?;
        let (integers, seeds): (_, Vec<Vec<Seed>>) = encrypted.into_iter().unzip();
        Ok((integers, seeds.concat()))
    };
    let columns = columns.iter().zip(&widths).zip(samplers).map(encrypt);
    let (values, seeds): (AllIntegers, _) =
        columns.collect::<Result<Vec<_>, BackendError>>()?.into_iter().unzip();
    Ok(Fresh { values: Ciphertexts::new(values), seeds })
}

/// Evaluates a schedule with keys in memory or in their file.
pub(crate) fn evaluate(
    of: Scheduled<'_>,
    key: &EvaluationKey,
    inputs: Ciphertexts,
    kept: Option<&Evaluation<'_>>,
    done: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<(Ciphertexts, Resumed), BackendError> {
    let inputs: AllIntegers = inputs.into_own().ok_or(BackendError::OtherScheme)?;
    let (expanded, stored);
    let key: &dyn Bootstrapper = if let Some(key) = key.get::<SeededServerKey>() {
        expanded = key.expand();
        &expanded
    } else {
        stored = key.shared::<StoredServerKey>().ok_or(BackendError::OtherScheme)?;
        &*stored
    };
    let kept = kept.map(|kept| Kept::new((&**of.params, of.circuit), kept, IntegerCodec::new(of, key.id())));
    let from = kept.as_ref().map_or((Finished::default(), &Unkept as _), |kept| (kept.finished(), kept as _));
    let (values, resumed) = walk(of, key, inputs, from, done)?;
    Ok((Ciphertexts::new(values), resumed))
}

/// Walks a schedule: the steps that don't wait for one another, and all rows of them, side by side.
fn walk(
    of: Scheduled<'_>,
    key: &dyn Bootstrapper,
    mut inputs: AllIntegers,
    (mut finished, keeper): (Finished<EncryptedInteger>, &dyn Keeper<EncryptedInteger>),
    done: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
) -> Result<(AllIntegers, Resumed), BackendError> {
    let (circuit, rows) = (of.circuit, of.rows);
    let threads = of.hints.threads;
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
                TfheError::Stopped => BackendError::Stopped,
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

/// The numbers of every output, and their noise as the schedule predicts it.
pub(crate) fn decrypt(
    of: Scheduled<'_>,
    secret: &DecryptionKey,
    results: &Ciphertexts,
    done: Done<'_>,
) -> Result<Opened, BackendError> {
    let (client, values) = own(secret, results)?;
    let numbers = values.iter().zip(&of.circuit.outputs).map(|(value, output)| {
        let column = of.circuit.steps[output.step].shape == Shape::Column;
        let number = |(row, integer)| {
            let number = client.decrypt_integer(integer).map(BigInt::from);
            number.map_err(|error| {
                BackendError::at(error, || ResultPlace::of(&output.name, column.then_some(row)))
            })
        };
        let numbers = value.iter().enumerate().map(number).collect::<Result<_, _>>()?;
        go_on(done())?;
        Ok(numbers)
    });
    let numbers = OpenedNumbers::Whole(numbers.collect::<Result<_, BackendError>>()?);
    let predicted = of.circuit.outputs.iter().map(|output| of.circuit.steps[output.step].noise_bits);
    let predicted_bits = predicted.fold(f64::NEG_INFINITY, f64::max);
    let budget_bits = client.params().most_noise_bits() - predicted_bits;
    Ok(Opened { numbers, noise: Noise { predicted_bits, budget_bits } })
}

/// log2 of the largest noise of any digit, in units of 2^−64 of the torus.
pub(crate) fn measure(secret: &DecryptionKey, results: &Ciphertexts) -> Result<f64, BackendError> {
    let (client, values) = own(secret, results)?;
    let mut largest = 0.0f64;
    for block in values.iter().flatten().flat_map(EncryptedInteger::blocks) {
        let noise = client.noise(block, client.decrypt(block)?)?;
        largest = largest.max(noise.abs());
    }
    Ok(64.0 + largest.log2())
}

/// Secrets and integers of TFHE.
fn own<'a>(
    secret: &'a DecryptionKey,
    results: &'a Ciphertexts,
) -> Result<(&'a ClientKey, &'a AllIntegers), BackendError> {
    secret.get().zip(results.get()).ok_or(BackendError::OtherScheme)
}
