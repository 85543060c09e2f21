//! Traces: every way to compute one against plain sums, within the predicted noise.

mod common;

use std::sync::Arc;

use asanoha_ckks::{Complex64, EvaluationKeys, Evaluator};
use asanoha_lattice::{Hoisting, Trace};
use asanoha_scheme::Scheme;
use common::{Case, params, rotated};

const N: usize = 128;

#[test]
fn every_trace_equals_the_plain_sums_within_its_predicted_noise() {
    let ways = [Hoisting::Separate, Hoisting::Hoisted, Hoisting::Lazy];
    let factors: [&[usize]; 6] = [&[2], &[2; 6], &[8, 8], &[64], &[4, 4, 4], &[2, 16]];
    let mut house = Case::new(params(N, 3, 40), &[], 1);
    let traces: Vec<(usize, Trace)> = factors
        .iter()
        .flat_map(|factors| ways.map(|hoisting| (factors.iter().product(), Trace::new(N, factors, hoisting))))
        .collect();
    let elements = traces.iter().flat_map(|(_, trace)| trace.elements().collect::<Vec<_>>());
    let keys =
        EvaluationKeys::generate(house.params.rlwe(), &house.secret, elements, false, &mut house.sampler);
    let evaluator = Evaluator::new(&house.params, Arc::new(keys));
    let (values, a) = house.random();
    for (length, trace) in traces {
        let sum = evaluator.trace(&a, &trace).unwrap();
        let zero = vec![Complex64::default(); N / 2];
        let expected = (0..length as i64)
            .fold(zero, |sum, k| sum.into_iter().zip(rotated(&values, k)).map(|(a, b)| a + b).collect());
        house.assert_close(&sum, &expected);
    }
}

#[test]
fn the_trace_over_conjugates_too_is_real() {
    let trace = Trace::unrolled(N, 7, 2);
    let mut house = Case::new(params(N, 2, 40), &[], 2);
    let keys = EvaluationKeys::generate(
        house.params.rlwe(),
        &house.secret,
        trace.elements(),
        false,
        &mut house.sampler,
    );
    let evaluator = Evaluator::new(&house.params, Arc::new(keys));
    let (values, a) = house.random();
    let sum = evaluator.trace(&a, &trace).unwrap();
    let real: f64 = values.iter().map(|value| 2.0 * value.re).sum();
    house.assert_close(&sum, &vec![Complex64::new(real, 0.0); N / 2]);
}
