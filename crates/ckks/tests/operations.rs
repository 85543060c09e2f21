//! Encrypted operations against plain ones, the measured error held against the predicted one.

use asanoha_ckks::{CkksState, Complex64, Encoder, Encryptor, Scaled, ScaledConstant, SchemeError};
use asanoha_lattice::{Level, Norm};
use proptest::prelude::*;

use crate::common;
use crate::common::{BOUND, Case, params, rotated, zip};

asanoha_testkit::operations_suite!(common::Ckks);

fn case(seed: u64, levels: usize) -> Case {
    Case::new(params(1 << 8, levels, 40), &[1, -3, 17], seed)
}

fn times(a: Complex64, factor: f64) -> Complex64 {
    a * Complex64::from(factor)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn decryption_inverts_encryption_within_a_bound_that_is_not_absurd(seed: u64) {
        let mut case = case(seed, 2);
        let values = case.values();
        for level in 0..3 {
            let public = case.encrypt_at(&values, Level(level));
            prop_assert!(case.assert_close(&public, &values) < 20.0);
            let plain = case.encode(&values, Level(level));
            let secret = Encryptor::new(&case.params)
                .encrypt_secret(&case.secret, &plain, &mut case.sampler).unwrap();
            prop_assert!(case.assert_close(&secret, &values) < 10.0);
            prop_assert!(secret.noise() < public.noise());
            prop_assert_eq!((public.level(), public.bound()), (Level(level), BOUND));
            prop_assert_eq!(public.scale(), case.params.scale_at(Level(level)));
        }
    }

    #[test]
    fn bounds_of_sums_products_and_rotations_are_not_absurd(seed: u64) {
        let mut case = case(seed, 1);
        let ((x, a), (y, b)) = (case.random(), case.random());
        let sum = case.evaluator.add(&a, &b).unwrap();
        prop_assert!(case.assert_close(&sum, &zip(&x, &y, |x, y| x + y)) < 20.0);
        let difference = case.evaluator.sub(&a, &b).unwrap();
        prop_assert!(case.assert_close(&difference, &zip(&x, &y, |x, y| x - y)) < 20.0);
        let plain = case.encode(&y, a.level());
        let product = case.evaluator.mul_plain_exact(&a, &plain).unwrap();
        prop_assert_eq!(product.scale(), a.scale() * plain.scale());
        let rescaled = case.evaluator.rescale(&product).unwrap();
        prop_assert!(case.assert_close(&rescaled, &zip(&x, &y, |x, y| x * y)) < 24.0);
        prop_assert_eq!(rescaled.scale(), case.params.scale_at(Level(0)));
        for places in [1, -3, 17] {
            let image = case.evaluator.rotate(&a, places).unwrap();
            prop_assert!(case.assert_close(&image, &rotated(&x, places)) < 20.0);
        }
    }

    #[test]
    fn fractional_constants_act_on_all_slots_at_any_scale(seed: u64, constant in -1.0f64..1.0, whole in -6i32..=6) {
        let mut case = case(seed, 1);
        let (x, a) = case.random();
        let sum = case.evaluator.add_constant(&a, constant).unwrap();
        case.assert_close(&sum, &zip(&x, &x, |x, _| x + Complex64::from(constant)));

        let expected = zip(&x, &x, |x, _| times(x, constant));
        for scale in [1.0, 2f64.powi(10), case.params.scale_at(Level(1))] {
            let product = case.evaluator.mul_constant_exact(&a, (constant, scale)).unwrap();
            case.assert_close(&product, &expected);
            prop_assert_eq!(product.scale(), a.scale() * scale);
        }

        let whole = f64::from(whole);
        let product = case.evaluator.mul_constant_exact(&a, (whole, 1.0)).unwrap();
        prop_assert_eq!(product.scale(), a.scale());
        prop_assert!(product.noise() <= a.noise() * whole.abs() + Norm::ONE);
        case.assert_close(&product, &zip(&x, &x, |x, _| times(x, whole)));
    }

    #[test]
    fn products_have_the_product_of_scales_and_bounds(seed: u64) {
        let mut case = case(seed, 1);
        let ((x, a), (y, b)) = (case.random(), case.random());
        let expected = zip(&x, &y, |x, y| x * y);
        let product = case.evaluator.multiply_exact(&a, &b).unwrap();
        prop_assert!(case.assert_close(&product, &expected) < 24.0);
        prop_assert_eq!((product.scale(), product.bound()), (a.scale() * b.scale(), BOUND * BOUND));
        let square = case.evaluator.square_exact(&a).unwrap();
        case.assert_close(&square, &zip(&x, &x, |x, _| x * x));

        let three = case.evaluator.multiply_without_relinearise(&a, &b).unwrap();
        prop_assert_eq!(three.rlwe().parts.len(), 3);
        case.assert_close(&three, &expected);
        case.assert_close(&case.evaluator.rescale(&three).unwrap(), &expected);
        let plain = case.evaluator.mul_constant_exact(&a, (0.5, a.scale())).unwrap();
        let mixed = case.evaluator.add(&plain, &three).unwrap();
        case.assert_close(&mixed, &zip(&x, &expected, |x, xy| times(x, 0.5) + xy));
        let relinearised = case.evaluator.relinearise(mixed).unwrap();
        prop_assert_eq!(relinearised.rlwe().parts.len(), 2);
        case.assert_close(&relinearised, &zip(&x, &expected, |x, xy| times(x, 0.5) + xy));
    }

    #[test]
    fn rescaled_products_stay_exact_down_to_level_zero(seed: u64) {
        let mut case = case(seed, 4);
        let (mut x, mut a) = case.random();
        for level in (0..4).rev() {
            a = case.evaluator.rescale(&case.evaluator.square_exact(&a).unwrap()).unwrap();
            x = zip(&x, &x, |x, _| x * x);
            prop_assert_eq!((a.level(), a.scale()), (Level(level), case.params.scale_at(Level(level))));
            case.assert_close(&a, &x);
            // The message's bound is what limits the last level; the values are below 1.
            a = a.narrow_bound(1.0).unwrap();
        }
        prop_assert!(a.error_bound() < 2f64.powi(-12));
    }

    #[test]
    fn adjusted_ciphertexts_add_to_those_that_came_down_by_products(seed: u64) {
        let mut case = case(seed, 3);
        let (x, a) = case.random();
        let square = case.evaluator.rescale(&case.evaluator.square_exact(&a).unwrap()).unwrap();
        let fourth = case.evaluator.rescale(&case.evaluator.square_exact(&square).unwrap()).unwrap();
        for level in (0..3).rev() {
            let lower = case.evaluator.adjust_to(&a, Level(level)).unwrap();
            prop_assert_eq!((lower.level(), lower.scale()), (Level(level), case.params.scale_at(Level(level))));
            case.assert_close(&lower, &x);
        }
        let lower = case.evaluator.adjust_to(&a, fourth.level()).unwrap();
        let sum = case.evaluator.add(&fourth, &lower).unwrap();
        case.assert_close(&sum, &zip(&x, &x, |x, _| x * x * x * x + x));
        let still = case.evaluator.adjust_to(&sum, sum.level()).unwrap();
        prop_assert_eq!(still.state(), sum.state());
    }

    #[test]
    fn adjusting_takes_scales_that_are_not_canonical(seed: u64, log2_scale in 20.0f64..50.0) {
        let mut case = case(seed, 2);
        let x = case.values();
        let plain = Encoder::new(&case.params).encode(&x, BOUND, Level(2), log2_scale.exp2()).unwrap();
        let a = Encryptor::new(&case.params).encrypt(&case.public, &plain, &mut case.sampler).unwrap();
        let lower = case.evaluator.adjust_to(&a, Level(1)).unwrap();
        prop_assert_eq!(lower.scale(), case.params.scale_at(Level(1)));
        case.assert_close(&lower, &x);
    }

    #[test]
    fn rescaling_several_primes_at_once_equals_one_after_the_other_up_to_rounding(seed: u64) {
        let mut case = case(seed, 3);
        let (x, a) = case.random();
        let scaled = case.evaluator.mul_constant_exact(&a, (1.0, 2f64.powi(75))).unwrap();
        let once = case.evaluator.rescale_to(&scaled, Level(1)).unwrap();
        let twice = case.evaluator.rescale(&case.evaluator.rescale(&scaled).unwrap()).unwrap();
        prop_assert_eq!((once.level(), once.scale()), (twice.level(), twice.scale()));
        case.assert_close(&once, &x);
        case.assert_close(&twice, &x);
        prop_assert!(once.noise() <= twice.noise());
    }

    #[test]
    fn dropped_primes_change_neither_scale_nor_noise(seed: u64) {
        let mut case = case(seed, 3);
        let (x, a) = case.random();
        let lower = case.evaluator.switch_to(&a, Level(1)).unwrap();
        prop_assert_eq!((lower.scale(), lower.noise()), (a.scale(), a.noise()));
        case.assert_close(&lower, &x);
    }
}

#[test]
fn scales_that_differ_within_the_tolerance_cost_noise() {
    let mut case = case(11, 1);
    let (x, a) = case.random();
    let scale = a.scale() * (1.0 + 2f64.powi(-41));
    let b = case.with_state(&a, CkksState { message: Scaled { scale, ..*a.message() }, ..a.state().clone() });
    let sum = case.evaluator.add(&a, &b).unwrap();
    assert_eq!(sum.scale(), a.scale());
    let drift = sum.noise().to_f64() - 2.0 * a.noise().to_f64();
    assert!((drift - BOUND * 0.5).abs() < 0.01, "{drift}");
    case.assert_close(&sum, &zip(&x, &x, |x, _| x + x));
}

#[test]
fn noise_stays_bounded_at_wide_scales_and_larger_rings() {
    let mut case = Case::new(params(1 << 11, 2, 50), &[1], 3);
    let (x, a) = case.random();
    assert!(case.assert_close(&a, &x) < 20.0);
    let square = case.evaluator.rescale(&case.evaluator.square_exact(&a).unwrap()).unwrap();
    case.assert_close(&square, &zip(&x, &x, |x, _| x * x));
    case.assert_close(&case.evaluator.rotate(&square, 1).unwrap(), &{
        let squares = zip(&x, &x, |x, _| x * x);
        rotated(&squares, 1)
    });
    // A ciphertext of more than two primes' worth of message is read through big integers.
    let wide = case.evaluator.mul_constant_exact(&a, (1.0, 2f64.powi(80))).unwrap();
    case.assert_close(&wide, &x);
}

#[test]
fn sums_of_multiples_are_those_of_the_operations_one_after_another() {
    let mut case = case(5, 3);
    let ((x, a), (y, b)) = (case.random(), case.random());
    let e = &case.evaluator;
    let b = e.switch_to(&b, Level(2)).unwrap();
    let scale = a.scale() / b.scale() * 2f64.powi(30);
    let factors = [(0.75, 2f64.powi(30)), (-1.5, scale)].map(ScaledConstant::from);
    let level = Level(1);
    let sum = e.sum_of_multiples(&[(&a, factors[0]), (&b, factors[1])], level).unwrap();
    let multiple = |v, factor| e.mul_constant_exact(&e.switch_to(v, level).unwrap(), factor).unwrap();
    let expected = e.add(&multiple(&a, factors[0]), &multiple(&b, factors[1])).unwrap();
    assert_eq!(sum.state(), expected.state());
    assert_eq!(sum.rlwe().parts[0].words(), expected.rlwe().parts[0].words());
    assert_eq!(sum.rlwe().parts[1].words(), expected.rlwe().parts[1].words());
    let predicted =
        e.predictor().sum_of_multiples(&[(a.state(), factors[0]), (b.state(), factors[1])], level);
    assert_eq!(&predicted.unwrap(), sum.state());

    let product = e.square_without_relinearise(&a).unwrap();
    let refused = e.sum_of_multiples(&[(&product, factors[0])], level).unwrap_err();
    assert_eq!(refused, SchemeError::NotRelinearised { parts: 3 });
    let refused = e.sum_of_multiples(&[(&b, factors[1])], Level(3)).unwrap_err();
    assert!(matches!(refused, SchemeError::LevelTooHigh { .. }));
    let apart = e.sum_of_multiples(&[(&a, factors[0]), (&b, (1.0, scale * 1.01).into())], level).unwrap_err();
    assert!(matches!(apart, SchemeError::ScaleMismatch { .. }));
    let sums = zip(&x, &y, |x, y| times(x, 0.75) + times(y, -1.5));
    let rescaled = e.rescale(&sum).unwrap();
    case.assert_close(&rescaled, &sums);
}
