//! What decrypted numbers are: values of the encrypted outputs, from which results are finished.

use asanoha_backends::{AlteredResult, Finding, Noise, ResultPlace};
use asanoha_numeric::number;
use num_bigint::BigInt;
use num_rational::BigRational;

use super::{
    correction::{Corrections, plain_errors},
    decrypted::Decrypted,
    error::ExecuteError,
};
use crate::{
    data::{Range, Schema},
    plan::{OnZero, Plan},
    program::{Outputs, Shape, Values, denominators, finish},
};
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
        Decrypted { outputs, exact, error_bounds, noise, publication: None, shown: None }
    }
}

/// What the whole numbers of each output are, of which the ranges are given. A number that the program can't give on the plan's ranges is refused.
pub(super) fn collect_exact(
    (plan, corrections): (&Plan, &Corrections<'_>),
    ranges: &[&Range],
    numbers: Vec<Vec<BigInt>>,
    noise: Noise,
) -> Result<Collected, ExecuteError> {
    // A divisor of zero has its value by definition, which the ranges don't know of.
    let is_bounded = plan.on_zero != OnZero::Value;
    let output = |((output, numbers), range): ((&Output, Vec<BigInt>), &&Range)| {
        let column = plan.circuit.steps[output.step].shape == Shape::Column;
        let (least, largest) = (range.lo(), range.hi());
        let fraction = |(row, value)| {
            let found = BigRational::from_integer(value) * &output.factor;
            if !is_bounded || (least..=largest).contains(&&found) {
                return Ok(found);
            }
            let [least, largest] = [least, largest].map(number::format);
            let place = ResultPlace::of(&output.name, column.then_some(row));
            let altered = AlteredResult { place, finding: Finding::Range { least, largest } };
            Err(corrections.of_data(altered.into()))
        };
        let fractions = numbers.into_iter().enumerate().map(fraction).collect::<Result<_, _>>()?;
        Ok::<_, ExecuteError>((output.name.clone(), shaped(column, fractions)))
    };
    let outputs = plan.circuit.outputs.iter().zip(numbers).zip(ranges).map(output);
    let mut all: Outputs<BigRational> = outputs.collect::<Result<_, _>>()?;
    let (mut errors, plain_errors) = (vec![0.0; all.len()], vec![0.0; all.len()]);
    corrections.remove_canaries(&mut all, &mut errors, &plain_errors)?;
    Ok(Collected { numbers: Numbers::Exact(all), noise })
}

fn shaped<T>(column: bool, mut values: Vec<T>) -> Values<T> {
    if column { Values::Column(values) } else { Values::Number(values.swap_remove(0)) }
}

/// How far off a result may be that is rounded to the whole number that it's known to be, and how large at most.
const MOST_ROUNDED: f64 = 0.49;
const LARGEST_ROUNDED: f64 = (1u64 << 52) as f64;

/// What the real numbers of each output are, and how far they may be off.
pub(super) fn collect_real(
    (plan, corrections): (&Plan, &Corrections<'_>),
    numbers: Vec<Vec<f64>>,
    mut errors: Vec<f64>,
    noise: Noise,
) -> Result<Collected, ExecuteError> {
    let output = |(output, numbers): (&Output, Vec<f64>)| {
        let column = plan.circuit.steps[output.step].shape == Shape::Column;
        (output.name.clone(), shaped(column, numbers))
    };
    let mut outputs: Outputs<f64> = plan.circuit.outputs.iter().zip(numbers).map(output).collect();
    if corrections.have_canaries() {
        // The errors that the plan states may be larger than these.
        let planned = plan.output_errors().into_iter().flatten();
        errors.iter_mut().zip(planned).for_each(|(error, planned)| *error = error.max(planned));
        corrections.remove_canaries(&mut outputs, &mut errors, &plain_errors(plan)?)?;
    }
    round_multiples(plan, &mut outputs, &mut errors);
    Ok(Collected { numbers: Numbers::Real(outputs, errors), noise })
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
