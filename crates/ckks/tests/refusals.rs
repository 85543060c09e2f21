//! Operations that can't be done, and what the errors say.

use asanoha_ckks::{CkksState, Encoder, Scaled};
use asanoha_lattice::{Level, LevelTooLow};
use asanoha_scheme::SchemeError;

use crate::common;
use crate::common::{Case, params};

asanoha_testkit::refusals_suite!(common::Ckks);

fn case() -> Case {
    Case::new(params(1 << 6, 2, 40), &[1, 2], 23)
}

#[test]
fn rescaling_and_adjusting_upwards_are_refused() {
    let mut case = case();
    let (_, a) = case.random();
    let lower = case.evaluator.switch_to(&a, Level(1)).unwrap();
    let upwards = SchemeError::LevelTooHigh { asked: 2, highest: 1 };
    assert_eq!(case.evaluator.rescale_to(&lower, Level(2)).unwrap_err(), upwards);
    assert_eq!(case.evaluator.adjust_to(&lower, Level(2)).unwrap_err(), upwards);
}

#[test]
fn operands_of_different_scales_are_refused() {
    let mut case = case();
    let (x, a) = case.random();
    let with_scale = |scale| {
        case.with_state(&a, CkksState { message: Scaled { scale, ..*a.message() }, ..a.state().clone() })
    };
    let b = with_scale(a.scale() * (1.0 + 2f64.powi(-39)));
    let mismatch = SchemeError::ScaleMismatch { left: a.scale(), right: b.scale() };
    assert_eq!(case.evaluator.add_exact(&a, &b).unwrap_err(), mismatch);
    assert_eq!(case.evaluator.sub_exact(&a, &b).unwrap_err(), mismatch);
    let plain = Encoder::new(&case.params).encode(&x, 1.5, Level(2), b.scale()).unwrap();
    assert_eq!(case.evaluator.add_plain_exact(&a, &plain).unwrap_err(), mismatch);
    assert!(case.evaluator.multiply_exact(&a, &b).is_ok());
    let b = with_scale(2f64.powi(30));
    assert!(matches!(case.evaluator.adjust_to(&b, Level(2)), Err(SchemeError::ScaleMismatch { .. })));
}

#[test]
fn products_without_room_are_refused_with_the_figures() {
    let mut case = case();
    let (x, a) = case.random();
    let lowest = case.evaluator.switch_to(&a, Level(0)).unwrap();
    let out_of_modulus = |error: SchemeError| {
        matches!(
            error,
            SchemeError::OutOfModulus { needed_bits, available_bits, level: 0 }
                if (79.0..82.0).contains(&needed_bits) && (43.9..44.0).contains(&available_bits)
        )
    };
    let evaluator = &case.evaluator;
    assert!(out_of_modulus(evaluator.multiply_exact(&lowest, &lowest).unwrap_err()));
    assert!(out_of_modulus(evaluator.square_exact(&lowest).unwrap_err()));
    assert!(out_of_modulus(evaluator.mul_plain_exact(&lowest, &case.encode(&x, Level(0))).unwrap_err()));
    assert!(out_of_modulus(evaluator.mul_constant_exact(&lowest, (1.0, 2f64.powi(40))).unwrap_err()));
    assert_eq!(
        evaluator.rescale(&lowest).unwrap_err(),
        SchemeError::LevelTooLow(LevelTooLow { needed: 1, found: 0 })
    );
    let mut sum = lowest.clone();
    while sum.bound() < 12.0 {
        evaluator.add_assign_exact(&mut sum, &lowest).unwrap();
    }
    let before = sum.state().clone();
    while evaluator.add_assign_exact(&mut sum, &lowest).is_ok() {
        assert!(sum.bound() < 16.0);
    }
    assert!(sum.bound() >= before.bound());
    assert!(matches!(evaluator.add_constant(&sum, 5.0), Err(SchemeError::OutOfModulus { .. })));
    assert!(matches!(
        evaluator.mul_constant_exact(&lowest, (f64::MAX, f64::MAX)),
        Err(SchemeError::OutOfModulus { .. })
    ));
    assert!(matches!(evaluator.add_constant(&lowest, f64::MAX), Err(SchemeError::OutOfModulus { .. })));
}

#[test]
fn constants_that_are_not_numbers_are_refused() {
    let mut case = case();
    let (_, a) = case.random();
    let evaluator = &case.evaluator;
    let infinite = SchemeError::NotFinite { value: f64::INFINITY };
    assert_eq!(evaluator.add_constant(&a, f64::INFINITY).unwrap_err(), infinite);
    assert_eq!(evaluator.mul_constant_exact(&a, (f64::INFINITY, 1.0)).unwrap_err(), infinite);
    assert!(matches!(evaluator.add_constant(&a, f64::NAN), Err(SchemeError::NotFinite { .. })));
    let zero = SchemeError::InvalidScale { scale: 0.0 };
    assert_eq!(evaluator.mul_constant_exact(&a, (1.0, 0.0)).unwrap_err(), zero);
}
