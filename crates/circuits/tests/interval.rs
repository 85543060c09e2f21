//! Polynomials of encrypted arguments that may be outside their interval.

use asanoha_circuits::polynomial::{Chebyshev, Sign, evaluate};
use asanoha_ckks::{Ckks, CkksCiphertext, Complex64};
use asanoha_scheme::{Evaluator, SchemeError};

use crate::parties::Party;

fn complex(values: &[f64]) -> Vec<Complex64> {
    values.iter().map(|&value| value.into()).collect()
}

/// (x − middle)/half for x = 4·a·b, a and b of bound 1.5: x is at most 9 as far as bounds go.
fn argument(
    evaluator: &Evaluator<Ckks>,
    [a, b]: [&CkksCiphertext; 2],
    (middle, half): (f64, f64),
) -> CkksCiphertext {
    use asanoha_scheme::capability::{Constants, Multiplicative};
    let product = Multiplicative::multiply(evaluator, a, b).unwrap();
    let scaled = Constants::mul_constant(evaluator, &product, 4.0 / half).unwrap();
    if middle == 0.0 { scaled } else { evaluator.add_constant(&scaled, -middle / half).unwrap() }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn a_bound_beyond_the_interval_is_refused_and_narrowed_by_name_only() {
    let mut fixture = Party::with_levels(128, 10, 31);
    let evaluator = fixture.multiplier();
    let a: Vec<f64> = (0..64).map(|i| 0.75 + f64::from(i) / 128.0).collect();
    let [left, right] = [&a, &a].map(|values| fixture.encrypt_complex(&complex(values)));
    for (name, function, lo, hi) in [
        ("sigmoid", sigmoid as fn(f64) -> f64, -8.0, 8.0),
        ("exp", f64::exp, -7.0, 7.0),
        ("log", f64::ln, 2.0, 7.0),
        ("sqrt", f64::sqrt, 2.0, 17.0),
    ] {
        let (middle, half) = (f64::midpoint(lo, hi), (hi - lo) / 2.0);
        let error = 1e-3 * function(hi).abs();
        let series = Chebyshev::fit(name, function, (middle, half), error).unwrap();
        let y = argument(&evaluator, [&left, &right], (middle, half));
        let refused = evaluate(&evaluator, &series, &y).unwrap_err();
        let SchemeError::OutsideInterval { allowed, interval } = &refused else { panic!("{refused}") };
        // The bound is one on magnitudes: 9, and the middle again where that is subtracted.
        let most = 9.0 + middle;
        assert!((allowed.0 + most - middle).abs() < 1e-9 && (allowed.1 - most - middle).abs() < 1e-9);
        assert!((interval.0 - lo).abs() < 1e-9 && (interval.1 - hi).abs() < 1e-9, "{refused}");
        assert!(refused.to_string().contains("narrow_bound(1.0)"), "{refused}");
        // The model refuses what the evaluator does.
        assert_eq!(evaluate(&evaluator.predictor(), &series, y.state()).unwrap_err(), refused);

        let narrowed = y.narrow_bound(1.0).unwrap();
        let found = evaluate(&evaluator, &series, &narrowed).unwrap();
        let values: Vec<f64> = a.iter().map(|a| series.value(4.0 * a * a)).collect();
        fixture.expect_complex(&found, &complex(&values), name);
    }
}

#[test]
fn an_interval_that_holds_the_bound_needs_no_word() {
    let mut fixture = Party::with_levels(128, 10, 32);
    let evaluator = fixture.multiplier();
    let a: Vec<f64> = (0..64).map(|i| f64::from(i - 32) / 22.0).collect();
    let b: Vec<f64> = a.iter().map(|a| 1.5 - a.abs()).collect();
    let [left, right] = [&a, &b].map(|values| fixture.encrypt_complex(&complex(values)));
    let series = Chebyshev::fit("sigmoid", sigmoid, (0.0, 9.0), 1e-3).unwrap();
    let y = argument(&evaluator, [&left, &right], (0.0, 9.0));
    let found = evaluate(&evaluator, &series, &y).unwrap();
    let values: Vec<f64> = a.iter().zip(&b).map(|(a, b)| series.value(4.0 * a * b)).collect();
    fixture.expect_complex(&found, &complex(&values), "sigmoid");
}

#[test]
fn signs_are_taken_of_numbers_of_at_most_one_in_all_stages() {
    let mut fixture = Party::with_levels(128, 14, 33);
    let evaluator = fixture.multiplier();
    let sign = Sign::fit(0.02, 1e-3).unwrap();
    assert!(sign.stages.len() > 1);
    let x: Vec<f64> =
        (0..64).map(|i| f64::from(i - 32)).map(|i| (0.1 + 0.9 * i.abs() / 32.0) * i.signum()).collect();
    let wide = fixture.encrypt_complex(&complex(&x));
    let refused = sign.evaluate(&evaluator, &wide).unwrap_err();
    assert_eq!(refused, SchemeError::OutsideInterval { allowed: (-1.5, 1.5), interval: (-1.0, 1.0) });
    let found = sign.evaluate(&evaluator, &wide.narrow_bound(1.0).unwrap()).unwrap();
    let values: Vec<f64> = x.iter().map(|&x| sign.value(x)).collect();
    fixture.expect_complex(&found, &complex(&values), "sign");
}
