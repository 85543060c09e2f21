//! What decrypted numbers are: values of the encrypted outputs, from which results are finished.

use asanoha_ckks::{Ckks, CkksCiphertext};
use asanoha_numeric::number;
use asanoha_scheme::Model;
use num_bigint::BigInt;
use num_rational::BigRational;

use super::{
    correction::{Corrections, plain_errors},
    error::ExecuteError,
    run::{Decrypted, Noise},
};
use crate::{
    data::{Range, Schema},
    plan::{OnZero, Plan},
    program::{NodeId, Outputs, Shape, Values, denominators, finish},
};
use asanoha_backends::ckks::output_errors;
use asanoha_compile::Output;

/// Values of one kind or the other, with the errors of those that aren't exact.
#[derive(Clone, Debug)]
pub(super) enum Numbers {
    Exact(Outputs<BigRational>),
    Real(Outputs<f64>, Vec<f64>),
}

/// The values of all encrypted outputs of a plan, parts of finished ones among them, before anything is finished.
#[derive(Clone, Debug)]
pub(super) struct Collected {
    pub(super) numbers: Numbers,
    pub(super) noise: Noise,
}

impl Collected {
    /// The results, of values that are less by `shifts` than the right ones and of as many rows as `schema` has.
    pub(super) fn finish(self, plan: &Plan, schema: &Schema, shifts: &[BigRational]) -> Decrypted {
        let Self { numbers, noise } = self;
        let constants = plan.program.constants().iter();
        let (outputs, exact, error_bounds) = match numbers {
            Numbers::Exact(mut all) => {
                all.extend(
                    constants.map(|it| {
                        (it.name.clone(), Values::of_constant(it, schema.rows, BigRational::clone))
                    }),
                );
                let errors = vec![0.0; all.len()];
                let (exact, _) = finish(&plan.program, all, &errors, schema, shifts);
                let real = |(name, values): &(String, Values<_>)| (name.clone(), values.map(number::to_f64));
                (exact.iter().map(real).collect(), Some(exact), None)
            }
            Numbers::Real(mut all, mut errors) => {
                all.extend(
                    constants
                        .map(|it| (it.name.clone(), Values::of_constant(it, schema.rows, number::to_f64))),
                );
                errors.resize(all.len(), 0.0);
                let (outputs, errors) = finish(&plan.program, all, &errors, schema, shifts);
                (outputs, None, Some(errors))
            }
        };
        Decrypted { outputs, exact, error_bounds, noise, publication: None }
    }
}

/// What the whole numbers of each output are. A number that the program can't give on the plan's ranges is refused.
pub(super) fn collect_exact(
    (plan, corrections): (&Plan, &Corrections<'_>),
    ranges: &[Range],
    numbers: Vec<Vec<BigInt>>,
    noise: Noise,
) -> Result<Collected, ExecuteError> {
    // A divisor of zero has its value by definition, which the ranges don't know of.
    let is_bounded = plan.on_zero != OnZero::Value;
    let output = |((output, numbers), (_, id)): ((&Output, Vec<BigInt>), &(String, NodeId))| {
        let column = plan.circuit.steps[output.step].shape == Shape::Column;
        let (least, largest) = (ranges[id.0].lo(), ranges[id.0].hi());
        let fraction = |value| {
            let found = BigRational::from_integer(value) * &output.factor;
            if !is_bounded || (least..=largest).contains(&&found) {
                return Ok(found);
            }
            let [found, least, largest] = [&found, least, largest].map(number::format);
            Err(ExecuteError::OutsideOutput { output: output.name.clone(), found, least, largest })
        };
        let fractions = numbers.into_iter().map(fraction).collect::<Result<_, _>>()?;
        Ok::<_, ExecuteError>((output.name.clone(), shaped(column, fractions)))
    };
    let outputs = plan.circuit.outputs.iter().zip(numbers).zip(plan.program.outputs()).map(output);
    let mut all: Outputs<BigRational> = outputs.collect::<Result<_, _>>()?;
    let (mut errors, plain_errors) = (vec![0.0; all.len()], vec![0.0; all.len()]);
    corrections.remove_canaries(&mut all, &mut errors, &plain_errors)?;
    Ok(Collected { numbers: Numbers::Exact(all), noise })
}

fn shaped<T>(column: bool, mut values: Vec<T>) -> Values<T> {
    if column { Values::Column(values) } else { Values::Number(values.swap_remove(0)) }
}

/// The rows of a value out of its ciphertexts' slots.
fn rows(plan: &Plan, slots: &[Vec<f64>], column: bool) -> Vec<f64> {
    let layout = plan.layout();
    let rows = |(chunk, slots): (usize, &Vec<f64>)| {
        let count = if column { layout.chunk(chunk).len() } else { 1 };
        slots[..count].to_vec()
    };
    slots.iter().enumerate().flat_map(rows).collect()
}

/// How far the slots of each ciphertext may be off, flooding not counted.
pub(super) fn errors_of(values: &[Vec<CkksCiphertext>]) -> Vec<Vec<f64>> {
    let error = CkksCiphertext::error_bound;
    values.iter().map(|value| value.iter().map(error).collect()).collect()
}

/// How far off a result may be that is rounded to the whole number that it's known to be, and how large at most.
const MOST_ROUNDED: f64 = 0.49;
const LARGEST_ROUNDED: f64 = (1u64 << 52) as f64;

/// What slots are; `values` are the ciphertexts, and how far their slots may be off.
pub(super) fn collect_ckks(
    (plan, corrections): (&Plan, &Corrections<'_>),
    params: &Ckks,
    (values, errors): (&[Vec<CkksCiphertext>], &[Vec<f64>]),
    slots: &[Vec<Vec<f64>>],
) -> Result<Collected, ExecuteError> {
    let model = Model::new(params);
    let mut noise = Noise { predicted_bits: f64::NEG_INFINITY, budget_bits: f64::INFINITY };
    let mut outputs = Vec::with_capacity(values.len());
    let mut error_bounds = Vec::with_capacity(values.len());
    for (at, (output, ciphertexts)) in plan.circuit.outputs.iter().zip(values).enumerate() {
        for (chunk, ciphertext) in ciphertexts.iter().enumerate() {
            let state = ciphertext.state();
            let predicted = errors[at][chunk] * state.scale();
            let held = (state.bound() * state.scale() + predicted).log2();
            noise.predicted_bits = noise.predicted_bits.max(predicted.log2());
            noise.budget_bits = noise.budget_bits.min(model.available_bits(state.level) - held);
        }
        let column = plan.circuit.steps[output.step].shape == Shape::Column;
        let (mantissa, power) = number::split(&output.factor);
        let times = |value: f64| number::times_power_of_two(value * mantissa, power);
        let numbers = rows(plan, &slots[at], column).into_iter().map(times).collect();
        error_bounds.push(times(errors[at].iter().copied().fold(0.0, f64::max)).abs() + output.approximation);
        outputs.push((output.name.clone(), shaped(column, numbers)));
    }
    if corrections.have_canaries() {
        // The errors that the plan states may be larger than these.
        let planned = output_errors(&plan.circuit, params);
        error_bounds.iter_mut().zip(planned).for_each(|(error, planned)| *error = error.max(planned));
        corrections.remove_canaries(&mut outputs, &mut error_bounds, &plain_errors(plan)?)?;
    }
    round_multiples(plan, &mut outputs, &mut error_bounds);
    Ok(Collected { numbers: Numbers::Real(outputs, error_bounds), noise })
}

/// Rounds what is known to be a whole multiple of a fraction to the one that's near.
fn round_multiples(plan: &Plan, outputs: &mut Outputs<f64>, errors: &mut [f64]) {
    let denominators = denominators(&plan.program, &plan.schema);
    let largest =
        |numbers: &[f64]| numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
    let ids = plan.program.outputs().iter().map(|(_, id)| id.0);
    for (((_, values), error), id) in outputs.iter_mut().zip(errors).zip(ids) {
        let denominator = denominators[id].as_ref().map(number::integer_to_f64);
        let fits = |d: &f64| *error * d < MOST_ROUNDED && largest(values.as_slice()) * d < LARGEST_ROUNDED;
        if let Some(d) = denominator.filter(fits) {
            *values = values.map(|number| (number * d).round() / d + 0.0);
            // A double is only the nearest to a fraction.
            *error = if d == 1.0 { 0.0 } else { largest(values.as_slice()) * f64::EPSILON };
        }
    }
}
