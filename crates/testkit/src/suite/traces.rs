//! Traces: every way to compute one against plain sums, within the predicted noise.

use asanoha_lattice::{EvaluationKeys, Hoisting, Level, MissingKey, Trace};
use asanoha_scheme::{Evaluator, Scheme, SchemeError};

use crate::{Party, Subject};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! traces_suite {
    ($subject:ty) => {
        $crate::claims!($subject: traces {
            every_trace_equals_the_plain_sums_within_its_predicted_noise
            lazy_stages_are_predicted_and_found_no_noisier_than_others
            a_trace_without_all_of_its_keys_names_the_rotation_that_is_missing
        });
    };
}

/// N of the kinds with slots.
const N: usize = 64;

/// Every factorisation that the tests take, of 2 to 2^6: all slots and their conjugates, or both rows.
const FACTORS: [&[usize]; 9] =
    [&[2], &[2, 2, 2], &[8], &[4, 2, 2], &[2, 8], &[32], &[4, 8, 2], &[64], &[2, 2, 2, 2, 2, 2]];

fn evaluator<T: Subject>(party: &mut Party<T>, traces: &[Trace]) -> Evaluator<T::Scheme> {
    let elements = traces.iter().flat_map(|trace| trace.elements().collect::<Vec<_>>());
    let rlwe = party.params.rlwe();
    let keys = EvaluationKeys::generate(rlwe, &party.secret, elements, false, &mut party.sampler);
    Evaluator::new(&party.params, keys)
}

/// The sum over all images: rotations by 0 … length − 1, and the other row's where it's longer than one.
fn expected<T: Subject>(party: &Party<T>, values: &[T::Value], length: usize) -> Vec<T::Value> {
    let row = party.params.row_slots().unwrap();
    let images = (0..length).map(|k| {
        let rotated = party.rotated(values, (k % row) as i64);
        if k < row { rotated } else { party.swapped(&rotated) }
    });
    images.reduce(|sum, image| party.sum(&sum, &image)).unwrap()
}

pub fn every_trace_equals_the_plain_sums_within_its_predicted_noise<T: Subject>() {
    let ways = [Hoisting::Separate, Hoisting::Hoisted, Hoisting::Lazy];
    let traces: Vec<(usize, Trace)> = FACTORS
        .iter()
        .flat_map(|factors| ways.map(|hoisting| (factors.iter().product(), Trace::new(N, factors, hoisting))))
        .collect();
    let all: Vec<Trace> = traces.iter().map(|(_, trace)| trace.clone()).collect();
    let of_length =
        |party: &Party<T>| party.params.rlwe().ring_degree() == N && party.params.row_slots() == Some(N / 2);
    let mut parties = Party::<T>::of_all_kinds(1);
    parties.retain(of_length);
    assert!(!parties.is_empty());
    for mut party in parties {
        let evaluator = evaluator(&mut party, &all);
        let values = party.values();
        for level in [5, 3, 2] {
            let a = party.encrypt_at(&values, Level(level));
            for (length, trace) in &traces {
                let sum = evaluator.trace(&a, trace).unwrap();
                party.expect(
                    &sum,
                    &expected(&party, &values, *length),
                    &format!("{trace:?} at level {level}"),
                );
            }
        }
    }
}

pub fn lazy_stages_are_predicted_and_found_no_noisier_than_others<T: Subject>() {
    let mut party = Party::<T>::with_slots(2);
    assert_eq!(party.params.rlwe().ring_degree(), N);
    let traces = [Hoisting::Hoisted, Hoisting::Lazy].map(|hoisting| Trace::new(N, &[32], hoisting));
    let evaluator = evaluator(&mut party, &traces);
    let (a, values) = party.random();
    let [hoisted, lazy] = traces.map(|trace| evaluator.trace(&a, &trace).unwrap());
    let bits_below = hoisted.noise().log2() - lazy.noise().log2();
    assert!(bits_below > 0.0);
    party.expect(&lazy, &expected(&party, &values, 32), "lazy");
}

pub fn a_trace_without_all_of_its_keys_names_the_rotation_that_is_missing<T: Subject>() {
    let mut party = Party::<T>::with_slots(4);
    let some = evaluator(&mut party, &[Trace::new(N, &[4], Hoisting::Lazy)]);
    let (a, _) = party.random();
    let missing = |rotation, swapped, present: &[i64]| {
        SchemeError::MissingKey(MissingKey::Rotation { rotation, swapped, present: present.to_vec() })
    };
    let error = some.trace(&a, &Trace::new(N, &[8], Hoisting::Lazy)).unwrap_err();
    assert_eq!(error, missing(4, false, &[1, 2, 3]));
    assert!(error.to_string().contains("rotation by 4; present are [1, 2, 3]"), "{error}");
    let error = some.trace(&a, &Trace::new(N, &[4, 16], Hoisting::Lazy)).unwrap_err();
    assert_eq!(error, missing(4, false, &[1, 2, 3]));
    let all_rotations = evaluator(&mut party, &[Trace::new(N, &[32], Hoisting::Lazy)]);
    let error = all_rotations.trace(&a, &Trace::new(N, &[64], Hoisting::Lazy)).unwrap_err();
    assert_eq!(error, SchemeError::MissingKey(MissingKey::Conjugation));
}
