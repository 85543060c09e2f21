//! Results of CKKS: real numbers out of ciphertexts, for the key's holder and for others.

use std::{num::NonZeroU64, ops::ControlFlow};

use asanoha_ckks::{Ckks, CkksCiphertext, Complex64, Decryptor, Published as Flooded, publication_tau};
use asanoha_compile::scaled_input;
use asanoha_lang::Shape;
use asanoha_lattice::{Norm, SecretKey};
use asanoha_numeric::number;
use asanoha_scheme::{Model, SchemeError};
use num_traits::{Signed, Zero};

use crate::altered::ResultPlace;
use crate::backend::{Ordinal, Scheduled};
use crate::backend_error::BackendError;
use crate::column::InputColumn;
use crate::contents::Contents;
use crate::done::{Done, go_on};
use crate::opened::{Noise, Opened, OpenedNumbers, Published};
use crate::params::Parameters;
use crate::reencryptions::Reencryptions;
use crate::slots::copies::Copies;
use crate::slots::ended::Ended;
use crate::slots::plain::PlainEngine;
use crate::slots::states::states;
use crate::slots::walk::run::walk;

/// Decrypts results for the key's holder.
pub(crate) fn open(
    params: &Ckks,
    of: Scheduled<'_>,
    secret: &SecretKey,
    values: &[Vec<CkksCiphertext>],
    done: Done<'_>,
) -> Result<Opened, BackendError> {
    let decryptor = Decryptor::new(params);
    let decrypt = |(at, value): (usize, &Vec<CkksCiphertext>)| {
        let slots = |(chunk, ciphertext)| {
            let slots = decryptor.decrypt(secret, ciphertext);
            slots.map_err(|error| BackendError::at(error, || place(of, at, chunk)))
        };
        let slots = value.iter().enumerate().map(slots).collect::<Result<Vec<_>, _>>()?;
        go_on(done())?;
        Ok(slots)
    };
    let slots = values.iter().enumerate().map(decrypt).collect::<Result<Vec<_>, BackendError>>()?;
    let error = CkksCiphertext::error_bound;
    let errors: Vec<_> = values.iter().map(|value| value.iter().map(error).collect()).collect();
    numbers(params, of, (values, &errors), &slots)
}

/// The place of a ciphertext of an output.
fn place(of: Scheduled<'_>, output: usize, chunk: usize) -> ResultPlace {
    let output = &of.circuit.outputs[output];
    let column = of.circuit.steps[output.step].shape == Shape::Column;
    ResultPlace::of_chunk(&output.name, column, of.layout(), chunk)
}

/// Decrypts the real parts of all slots of a value's ciphertexts, one after another.
fn decrypt_slots(
    params: &Ckks,
    secret: &SecretKey,
    ciphertexts: &[CkksCiphertext],
) -> Result<Vec<Vec<f64>>, SchemeError> {
    let decryptor = Decryptor::new(params);
    ciphertexts.iter().map(|ciphertext| decryptor.decrypt_real(secret, ciphertext)).collect()
}

/// The rows of a value out of its ciphertexts' slots.
fn rows(of: Scheduled<'_>, slots: &[Vec<Complex64>], column: bool) -> Vec<f64> {
    let layout = of.layout();
    let rows = |(chunk, slots): (usize, &Vec<Complex64>)| {
        let count = if column { layout.chunk(chunk).len() } else { 1 };
        slots[..count].iter().map(|slot| slot.re).collect::<Vec<_>>()
    };
    slots.iter().enumerate().flat_map(rows).collect()
}

/// The relative rounding of double precision in decoding.
const DECODING_SLACK: f64 = 1.0 / (1u64 << 30) as f64;

/// The numbers of slots that agree with their copies; `values` are the ciphertexts, and how far their slots may be off.
fn numbers(
    params: &Ckks,
    of: Scheduled<'_>,
    (values, errors): (&[Vec<CkksCiphertext>], &[Vec<f64>]),
    slots: &[Vec<Vec<Complex64>>],
) -> Result<Opened, BackendError> {
    let copies = Copies::new(of.circuit, of.layout());
    let model = Model::new(params);
    let mut noise = Noise::NONE;
    let (mut numbers, mut bounds) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
    for (at, (output, ciphertexts)) in of.circuit.outputs.iter().zip(values).enumerate() {
        for (chunk, ciphertext) in ciphertexts.iter().enumerate() {
            let state = ciphertext.state();
            let predicted = errors[at][chunk] * state.scale();
            let approximation = if output.factor.is_zero() {
                0.0
            } else {
                number::times(output.approximation, &output.factor.abs().recip())
            };
            let bound = errors[at][chunk] + approximation + state.bound() * DECODING_SLACK;
            copies.check_within(at, chunk, &slots[at][chunk], bound)?;
            let held = (state.bound() * state.scale() + predicted).log2();
            noise = noise.worst(Noise {
                predicted_bits: predicted.log2(),
                budget_bits: model.available_bits(state.level) - held,
            });
        }
        let column = of.circuit.steps[output.step].shape == Shape::Column;
        let (mantissa, power) = number::split(&output.factor);
        let times = |value: f64| number::times_power_of_two(value * mantissa, power);
        numbers.push(rows(of, &slots[at], column).into_iter().map(times).collect());
        bounds.push(times(errors[at].iter().copied().fold(0.0, f64::max)).abs() + output.approximation);
    }
    Ok(Opened { numbers: OpenedNumbers::Real { numbers, errors: bounds }, noise })
}

/// Decrypts results for others, flooded for the noise that they have in any schedule of `all`.
pub(crate) fn publish(
    params: &Ckks,
    (of, all): (Scheduled<'_>, &[Scheduled<'_>]),
    secret: &SecretKey,
    values: &[Vec<CkksCiphertext>],
    statistical_bits: u32,
    ordinal: Ordinal<'_>,
) -> Result<Published, BackendError> {
    let values = &with_largest_noise(params, all, values)?;
    let decryptor = Decryptor::new(params);
    let mut largest: Option<NonZeroU64> = None;
    let mut publish = |at: usize, (chunk, ciphertext)| {
        let ordinal = ordinal(decryptor.publication_id(secret, ciphertext, statistical_bits).0)?;
        largest = largest.max(Some(ordinal));
        let published = decryptor.publish(secret, ciphertext, ordinal, statistical_bits);
        published.map_err(|error| BackendError::at(error, || place(of, at, chunk)))
    };
    let published = values
        .iter()
        .enumerate()
        .map(|(at, value)| value.iter().enumerate().map(|it| publish(at, it)).collect::<Result<Vec<_>, _>>())
        .collect::<Result<Vec<_>, _>>()?;
    let bits = published.iter().zip(values).enumerate().map(|(at, (published, value))| {
        let chunks = published.iter().zip(value).enumerate();
        let bits = |(chunk, (published, ciphertext)): (usize, (&Flooded, &CkksCiphertext))| {
            let rows = place(of, at, chunk).rows.map_or(1, |(first, last)| last + 1 - first);
            rows as f64 * number_bits(params, ciphertext, published.flooding_deviation)
        };
        chunks.map(bits).sum::<f64>()
    });
    let bits = bits.sum();
    let (mut slots, mut errors) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
    for value in &published {
        errors.push(value.iter().map(|published| published.error_bound).collect());
        slots.push(value.iter().map(|published| published.values.clone()).collect::<Vec<_>>());
    }
    let opened = numbers(params, of, (values, &errors), &slots)?;
    Ok(Published { opened, tau: largest.map_or(0.0, publication_tau), bits })
}

/// The most bits that a flooded number tells of the value below it: log2(1 + 2B/(σ√2π)) for values up to B in size and Gaussian noise of
/// deviation σ. That is the maximal leakage, log2 ∫ max_x p(y|x) dy.
///
/// The real part of a slot sums N coefficients with cosines, so that its noise has the deviation of a coefficient times √(N/2).
fn number_bits(params: &Ckks, ciphertext: &CkksCiphertext, flooding_deviation: f64) -> f64 {
    let slots = params.ring_degree() as f64 / 2.0;
    let deviation = flooding_deviation * slots.sqrt() / ciphertext.scale();
    (1.0 + 2.0 * ciphertext.bound() / (deviation * std::f64::consts::TAU.sqrt())).log2()
}

/// The ciphertexts of every output with the largest noise, relative to the scale, that it has in any of these schedules.
fn with_largest_noise(
    params: &Ckks,
    all: &[Scheduled<'_>],
    values: &[Vec<CkksCiphertext>],
) -> Result<Vec<Vec<CkksCiphertext>>, SchemeError> {
    let mut largest = vec![Norm::from(0.0); values.len()];
    for of in all {
        let states = states(params, of.circuit, of.layout(), Contents::Outputs, Reencryptions::default())?;
        for (largest, states) in largest.iter_mut().zip(states) {
            let noises = states.iter().map(|state| state.noise / state.scale());
            *largest = noises.fold(*largest, Ord::max);
        }
    }
    let raised = |(value, largest): (&Vec<CkksCiphertext>, &Norm)| {
        let raised = |ciphertext: &CkksCiphertext| {
            let state = ciphertext.state();
            let state = state.with_noise(state.noise.max(*largest * state.scale()));
            CkksCiphertext::from_checked_parts(params, ciphertext.rlwe().clone(), state)
        };
        value.iter().map(raised).collect()
    };
    values.iter().zip(&largest).map(raised).collect()
}

/// log2 of the largest error of a slot, times the scale, against what the same schedule gives on plain numbers.
pub(crate) fn measure(
    params: &Ckks,
    of: Scheduled<'_>,
    secret: &SecretKey,
    values: &[Vec<CkksCiphertext>],
    columns: &[InputColumn<'_>],
) -> Result<f64, BackendError> {
    let mut largest = 0.0f64;
    for (value, plain) in values.iter().zip(plain_slots(of, columns)) {
        let slots = decrypt_slots(params, secret, value)?;
        for ((ciphertext, found), exact) in value.iter().zip(slots).zip(plain) {
            let error = found.iter().zip(&exact).map(|(found, exact)| (found - exact).abs());
            largest = largest.max(error.fold(0.0, f64::max) * ciphertext.scale());
        }
    }
    Ok(largest.log2())
}

/// What the slots of the results would hold without any noise.
pub fn plain_slots(of: Scheduled<'_>, columns: &[InputColumn<'_>]) -> Vec<Vec<Vec<f64>>> {
    let layout = of.layout();
    let input = |InputColumn { values, range, .. }: &InputColumn<'_>| {
        let (column, _) = scaled_input(values, range);
        (0..layout.chunks()).map(|chunk| layout.spread(chunk, &column)).collect()
    };
    let inputs = columns.iter().map(input).collect();
    match walk(&PlainEngine::new(layout), layout, of.circuit, inputs, |_| ControlFlow::Continue(())) {
        Ok(outputs) => outputs,
        Err(Ended::Failed(never)) => match never {},
        Err(Ended::Stopped) => unreachable!("nothing stops it"),
    }
}
