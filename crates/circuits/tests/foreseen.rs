//! Circuits on ciphertexts and on what a noise model knows of them: the results carry exactly what was predicted.

use asanoha_bfv::Bfv;
use asanoha_bgv::Bgv;
use asanoha_circuits::{
    BitTable, Domain, OneVariableTable, Output, Schedule, TwoVariableTable,
    polynomial::{Chebyshev, evaluate},
};
use asanoha_ckks::Complex64;
use asanoha_ring::Modulus;
use num_bigint::BigInt;

use crate::parties::{Party, TestedExact};

fn tables_are_foreseen<S: TestedExact>() {
    let mut fixture = Party::<S>::new(64, 9, 9, 11);
    let evaluator = fixture.multiplier();
    let (modulus, output) = (Modulus::new(65537).unwrap(), Output::Integer);
    let domain = Domain::integers(&modulus, 0..=15).unwrap();
    let vector = |value: &dyn Fn(i64) -> i64| (0..32).map(value).map(BigInt::from).collect::<Vec<_>>();
    let (a, b) = (vector(&|i| i % 16), vector(&|i| i / 2));
    let (x, y) = (fixture.encrypt([&a, &a]), fixture.encrypt([&b, &b]));

    let table = OneVariableTable::new(&domain, &output, |x| x * x - 40).unwrap();
    for schedule in [Schedule::LeastDepth, Schedule::LeastWork] {
        let found = table.apply(&evaluator, &x, schedule).unwrap();
        let predicted = table.apply(&evaluator.predictor(), x.state(), schedule).unwrap();
        assert_eq!(*found.state(), predicted, "{schedule:?}");
        let expected = vector(&|i| (i % 16).pow(2) - 40);
        fixture.expect(&found, [&expected, &expected], "one variable");
    }
    let table = TwoVariableTable::new(&domain, &domain, &output, |x, y| x * y - 100).unwrap();
    let found = table.apply(&evaluator, &x, &y).unwrap();
    assert_eq!(*found.state(), table.apply(&evaluator.predictor(), x.state(), y.state()).unwrap());
    let expected = vector(&|i| (i % 16) * (i / 2) - 100);
    fixture.expect(&found, [&expected, &expected], "two variables");
    let mut bits = |value: &dyn Fn(i64) -> i64| {
        let bits = [0, 1].map(|place| vector(&|i| value(i) >> place & 1));
        bits.map(|bit| fixture.encrypt([&bit, &bit]))
    };
    let (x, y) = (bits(&|i| i % 4), bits(&|i| i / 8));
    let table = BitTable::new(2, 2, 2, |x, y| x * y).unwrap();
    let [left, right] = [&x, &y].map(|bits| bits.each_ref().map(|bit| bit.state().clone()));
    let predicted = table.apply(&evaluator.predictor(), &left, &right).unwrap();
    for (place, found) in table.apply(&evaluator, &x, &y).unwrap().iter().enumerate() {
        assert_eq!(*found.state(), predicted[place], "bit {place}");
        let expected = vector(&|i| ((i % 4) * (i / 8)) >> place & 1);
        fixture.expect(found, [&expected, &expected], "bits");
    }
}

#[test]
fn tables_under_bgv_carry_what_its_model_foretells() {
    tables_are_foreseen::<Bgv>();
}

#[test]
fn tables_under_bfv_carry_what_its_model_foretells() {
    tables_are_foreseen::<Bfv>();
}

#[test]
fn series_under_ckks_are_right_within_what_its_model_foretells() {
    let mut fixture = Party::with_levels(128, 8, 12);
    let evaluator = fixture.multiplier();
    // Next to ±1: there the series may reach its bound, but for a rounding.
    let ys: Vec<f64> = (0..64).map(|i| f64::from(2 * i - 63) / 64.0).collect();
    let complex: Vec<Complex64> = ys.iter().map(|&y| y.into()).collect();
    let y = fixture.encrypt_complex(&complex).narrow_bound(1.0).unwrap();
    for degree in [1usize, 2, 3, 7, 20] {
        let coefficients = (0..=degree).map(|k| ((k * k + 3) as f64).sin() + 0.1).collect();
        let series = Chebyshev { coefficients, middle: 0.0, half: 1.0, error: 0.0 };
        let found = evaluate(&evaluator, &series, &y).unwrap();
        assert_eq!(*found.state(), evaluate(&evaluator.predictor(), &series, y.state()).unwrap());
        let expected: Vec<Complex64> = ys.iter().map(|&y| series.value(y).into()).collect();
        fixture.expect_complex(&found, &expected, &format!("degree {degree}"));
        // The slope is at most Σ k²·|cₖ|, about 2000 for degree 20, and a fresh error 2^−30; rescalings add theirs.
        assert!(found.error_bound() < 1e-5, "degree {degree}: {}", found.error_bound());
    }
}
