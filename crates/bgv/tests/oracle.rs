//! Ciphertexts against big integers, back-ends against one another, and errors.

mod common;

use std::sync::Arc;

use asanoha_bgv::{BgvCiphertext, BgvState, EvaluationKeys, Evaluator};
use asanoha_lattice::{Level, MissingKey, Norm, RlweCiphertext};
use asanoha_ring::Backend;
use asanoha_scheme::{Exact, Scheme, SchemeError};
use asanoha_testkit::{TestIntegers, max_norm, negacyclic_product};
use common::{House, ROTATIONS, Shape};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

fn shape(plaintext_bits: u32) -> Shape {
    Shape { ring_degree: 1 << 6, prime_bits: 46, primes: 6, digits: 3, plaintext_bits }
}

#[test]
fn products_decrypt_to_the_big_integer_product_and_a_multiple_of_t() {
    for plaintext_bits in [10, 17, 30, 60] {
        let mut house = House::new(shape(plaintext_bits), 1);
        println!("seed 2");
        let mut integers = TestIntegers(2);
        let (x, y) = (house.values(&mut integers), house.values(&mut integers));
        let (a, b) = (house.encrypt(&x), house.encrypt(&y));
        let v = |ciphertext: &BgvCiphertext| house.secret.decrypt(ciphertext.rlwe()).to_integers();
        let expected = negacyclic_product(&v(&a), &v(&b));
        assert_eq!(v(&house.evaluator.multiply_without_relinearise(&a, &b).unwrap()), expected);
        let found = v(&house.evaluator.multiply(&a, &b).unwrap());
        let noise: Vec<BigInt> =
            found.iter().zip(&expected).map(|(found, expected)| found - expected).collect();
        let t = house.params.plaintext_modulus().to_u64().unwrap();
        assert!(noise.iter().all(|e| (e % t).is_zero()));
        let bound = t as f64 * house.params.rlwe().key_switch_noise(house.top());
        assert!(max_norm(&noise).to_f64().unwrap() <= bound);
    }
}

#[test]
fn back_ends_give_the_same_ciphertexts_bit_by_bit() {
    for plaintext_bits in [17, 60] {
        let run = |backend: Backend| {
            let mut house = House::on(shape(plaintext_bits), 3, backend);
            let values = house.values(&mut TestIntegers(4));
            let (a, b) = (house.encrypt(&values), house.encrypt(&values));
            let plain = house.encoder.encode(&values, Level(3)).unwrap();
            let e = &house.evaluator;
            let product = e.multiply(&a, &b).unwrap();
            let switched = e.switch_to(&product, Level(3)).unwrap();
            let sum = e.add_plain(&switched, &plain).unwrap();
            let rotated = e.rotate(&sum, 1).unwrap();
            let mixed = e
                .add(&rotated, &house.encryptor.encrypt(&house.public, &plain, &mut house.sampler).unwrap())
                .unwrap();
            let all = [a, b, product, switched, sum, rotated, mixed];
            all.map(|ciphertext| {
                let words: Vec<u64> =
                    ciphertext.rlwe().parts.iter().flat_map(|part| part.words().to_vec()).collect();
                (words, ciphertext.message().clone(), ciphertext.noise())
            })
        };
        let scalar = run(Backend::Scalar);
        for backend in Backend::available() {
            assert!(run(backend) == scalar, "{}", backend.name());
        }
    }
}

#[test]
fn operands_of_different_levels_are_refused_naming_both() {
    let mut house = House::new(shape(17), 5);
    let (a, b) = (house.encrypt(&[1]), house.encrypt_at(&[2], Level(2)));
    let plain = house.encoder.encode(&[3], Level(4)).unwrap();
    let e = &house.evaluator;
    let expected = SchemeError::LevelMismatch { left: 5, right: 2 };
    assert_eq!(e.add(&a, &b).unwrap_err(), expected);
    assert_eq!(e.sub(&a, &b).unwrap_err(), expected);
    assert_eq!(e.multiply(&a, &b).unwrap_err(), expected);
    let expected = SchemeError::LevelMismatch { left: 2, right: 4 };
    assert_eq!(e.add_plain(&b, &plain).unwrap_err(), expected);
    assert_eq!(e.sub_plain(&b, &plain).unwrap_err(), expected);
    assert_eq!(e.mul_plain(&b, &plain).unwrap_err(), expected);
    assert_eq!(e.switch_to(&b, Level(3)).unwrap_err(), SchemeError::LevelTooHigh { asked: 3, highest: 2 });
}

#[test]
fn missing_keys_are_named_with_those_present() {
    let mut house = House::new(shape(17), 6);
    let a = house.encrypt(&[1]);
    let mut present: Vec<i64> = ROTATIONS.iter().map(|k| k.rem_euclid(32)).collect();
    present.sort_unstable();
    let expected = SchemeError::MissingKey(MissingKey::Rotation { rotation: 7, swapped: false, present });
    assert_eq!(house.evaluator.rotate(&a, 7).unwrap_err(), expected);
    assert_eq!(house.evaluator.rotate_many(&a, &[1, 7]).unwrap_err(), expected);

    let bare = Evaluator::new(&house.params, Arc::new(EvaluationKeys::default()));
    assert_eq!(bare.multiply(&a, &a).unwrap_err(), SchemeError::MissingKey(MissingKey::Relinearisation));
    assert_eq!(bare.swap_rows(&a).unwrap_err(), SchemeError::MissingKey(MissingKey::Conjugation));
    assert!(bare.add(&a, &a).is_ok());
}

#[test]
fn results_out_of_the_modulus_are_refused_where_they_arise() {
    let mut house = House::new(shape(60), 7);
    let a = house.encrypt(&[1, 2]);
    let e = &house.evaluator;
    let low = e.switch_to(&a, Level(1)).unwrap();
    let Err(SchemeError::OutOfModulus { needed_bits: noise_bits, available_bits, level: 1 }) = e.square(&low)
    else {
        panic!("two primes of 46 bits don't hold a product modulo a prime of 60")
    };
    assert!(noise_bits > available_bits && (available_bits - 91.0).abs() < 0.1);
    assert!(matches!(e.switch_to(&a, Level(0)), Err(SchemeError::OutOfModulus { level: 0, .. })));
    let plain = house.encoder.encode(&[1], Level(0)).unwrap();
    let fresh = house.encryptor.encrypt(&house.public, &plain, &mut house.sampler);
    assert!(matches!(fresh, Err(SchemeError::OutOfModulus { level: 0, .. })));

    let state = BgvState { noise: Norm::from_log2(91.0), ..low.state().clone() };
    let forged = BgvCiphertext::from_checked_parts(&house.params, low.rlwe().clone(), state);
    assert!(matches!(forged, Err(SchemeError::OutOfModulus { level: 1, .. })));
}

#[test]
fn factors_that_are_no_units_are_refused_from_outside() {
    let mut house = House::new(shape(17), 10);
    let a = house.encrypt(&[1]);
    for (factor, good) in [(0u64, false), (1, true), (65536, true), (65537, false), (u64::MAX, false)] {
        let state = BgvState { message: factor.into(), ..a.state().clone() };
        let found = BgvCiphertext::from_checked_parts(&house.params, a.rlwe().clone(), state);
        assert_eq!(found.is_ok(), good, "{factor}");
        assert!(good || matches!(found, Err(SchemeError::UnsoundCiphertext { .. })));
    }
}

#[test]
fn failed_assignments_leave_their_operand() {
    let mut house = House::new(shape(17), 8);
    let (mut a, b) = (house.encrypt(&[1]), house.encrypt_at(&[2], Level(2)));
    let before = a.rlwe().parts[0].words().to_vec();
    assert!(house.evaluator.add_assign(&mut a, &b).is_err());
    assert_eq!(a.rlwe().parts[0].words(), before);
    house.expect(&a, &[&[1][..], &[0; 63]].concat(), "unchanged");
}

#[test]
fn evaluators_work_on_several_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let house = House::new(shape(17), 9);
    shared(&house.evaluator);
    shared(&house.params);
}

#[test]
fn parts_that_fit_no_level_are_refused_from_outside() {
    let mut house = House::new(shape(17), 11);
    let a = house.encrypt(&[1]);
    let low = house.evaluator.switch_to(&a, Level(0)).unwrap();
    let (high, lower) = (a.rlwe().parts.clone(), low.rlwe().parts.clone());
    let make =
        |parts, state| BgvCiphertext::from_checked_parts(&house.params, RlweCiphertext { parts }, state);
    assert!(make(high.clone(), a.state().clone()).is_ok());
    let four = [&high[..], &high[..]].concat();
    let mixed = vec![high[0].clone(), lower[1].clone()];
    for (parts, state) in
        [(vec![], &a), (high[..1].to_vec(), &a), (four, &a), (mixed, &a), (lower, &a), (high, &low)]
    {
        assert!(matches!(make(parts, state.state().clone()), Err(SchemeError::UnsoundCiphertext { .. })));
    }
}
