//! Traces: every way to compute one against plain sums, and measured noise against its prediction.

mod common;

use asanoha_bgv::{BgvParams, EvaluationKeys, Evaluator, SecretKey, measure};
use asanoha_lattice::{Hoisting, Level, MissingKey, Trace};
use asanoha_scheme::{Scheme, SchemeError};
use asanoha_testkit::TestIntegers;
use common::{House, Shape};
use std::sync::Arc;

const N: usize = 64;

fn shape(digits: usize) -> Shape {
    Shape { ring_degree: N, prime_bits: 46, primes: 5, digits, plaintext_bits: 17 }
}

/// Every factorisation that the tests take, of 2 to 2^6 = both rows.
const FACTORS: [&[usize]; 9] =
    [&[2], &[2, 2, 2], &[8], &[4, 2, 2], &[2, 8], &[32], &[4, 8, 2], &[64], &[2, 2, 2, 2, 2, 2]];

fn evaluator(house: &mut House, traces: &[Trace]) -> Evaluator {
    let elements = traces.iter().flat_map(|trace| trace.elements().collect::<Vec<_>>());
    let keys =
        EvaluationKeys::generate(house.params.rlwe(), &house.secret, elements, false, &mut house.sampler);
    Evaluator::new(&house.params, Arc::new(keys))
}

/// The sum over all blocks' images: rotations by 0 … length − 1, and both rows' where it's longer than one.
fn expected(house: &House, values: &[i64], length: usize) -> Vec<i64> {
    let row = house.params.row_slots().unwrap();
    let mut sum = vec![0; values.len()];
    for k in 0..length {
        let rotated = house.rotated(values, (k % row) as i64);
        let (first, second) = rotated.split_at(row);
        let image = if k < row { rotated.clone() } else { [second, first].concat() };
        sum = house.zip(&sum, &image, |a, b| a + b);
    }
    sum
}

fn measured(params: &BgvParams, secret: &SecretKey, ciphertext: &asanoha_bgv::BgvCiphertext) -> f64 {
    let bits = measure(secret, ciphertext);
    assert!(bits < params.rlwe().q(ciphertext.level()).log2_product());
    bits
}

#[test]
fn every_trace_equals_the_plain_sums_within_its_predicted_noise() {
    for digits in [1, 2, 5] {
        let mut house = House::new(shape(digits), digits as u64);
        let ways = [Hoisting::Separate, Hoisting::Hoisted, Hoisting::Lazy];
        let traces: Vec<Trace> = FACTORS
            .iter()
            .flat_map(|factors| ways.map(|hoisting| Trace::new(N, factors, hoisting)))
            .collect();
        let evaluator = evaluator(&mut house, &traces);
        let values = house.values(&mut TestIntegers(7));
        for level in [4, 2, 1] {
            let a = house.encrypt_at(&values, Level(level));
            for (trace, factors) in traces.iter().zip(FACTORS.iter().flat_map(|factors| [factors; 3])) {
                let sum = evaluator.trace(&a, trace).unwrap();
                assert_eq!(house.decrypt(&sum), expected(&house, &values, factors.iter().product()));
                let (found, bound) = (measured(&house.params, &house.secret, &sum), sum.noise().log2());
                assert!(found <= bound, "{factors:?} {:?}: {found} > {bound}", trace.hoisting());
            }
        }
    }
}

#[test]
fn lazy_stages_are_predicted_and_found_no_noisier_than_others() {
    let mut house = House::new(shape(5), 3);
    let traces = [Hoisting::Hoisted, Hoisting::Lazy].map(|hoisting| Trace::new(N, &[32], hoisting));
    let evaluator = evaluator(&mut house, &traces);
    let values = house.values(&mut TestIntegers(8));
    let a = house.encrypt(&values);
    let [hoisted, lazy] = traces.map(|trace| evaluator.trace(&a, &trace).unwrap());
    assert!(lazy.noise() < hoisted.noise());
    assert!(measured(&house.params, &house.secret, &lazy) <= hoisted.noise().log2());
}

#[test]
fn the_corners_are_repeated_doubling_and_the_unrolled_trace() {
    assert_eq!(Trace::repeated_doubling(N, 5), Trace::new(N, &[2; 5], Hoisting::Separate));
    assert_eq!(Trace::unrolled(N, 5, 2), Trace::new(N, &[8, 4], Hoisting::Lazy));
}

#[test]
fn a_trace_without_all_of_its_keys_names_the_rotation_that_is_missing() {
    let mut house = House::new(shape(5), 4);
    let some = evaluator(&mut house, &[Trace::new(N, &[4], Hoisting::Lazy)]);
    let a = house.encrypt(&[1]);
    let error = some.trace(&a, &Trace::new(N, &[8], Hoisting::Lazy)).unwrap_err();
    let missing = |rotation, swapped, present: &[i64]| {
        SchemeError::MissingKey(MissingKey::Rotation { rotation, swapped, present: present.to_vec() })
    };
    assert_eq!(error, missing(4, false, &[1, 2, 3]));
    assert!(error.to_string().contains("rotation by 4; present are [1, 2, 3]"), "{error}");
    let error = some.trace(&a, &Trace::new(N, &[4, 16], Hoisting::Lazy)).unwrap_err();
    assert_eq!(error, missing(4, false, &[1, 2, 3]));
    let all_rotations = evaluator(&mut house, &[Trace::new(N, &[32], Hoisting::Lazy)]);
    let error = all_rotations.trace(&a, &Trace::new(N, &[64], Hoisting::Lazy)).unwrap_err();
    assert_eq!(error, SchemeError::MissingKey(MissingKey::Conjugation));
}
