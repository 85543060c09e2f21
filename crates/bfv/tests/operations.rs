//! Back-ends against one another, single operations, and errors.

mod common;

use std::sync::Arc;

use asanoha_bfv::{BfvCiphertext, BfvModulus, BfvState, EvaluationKeys, Evaluator};
use asanoha_lattice::{Level, MissingKey, Norm, RlweCiphertext};
use asanoha_ring::Backend;
use asanoha_scheme::{Encoding, Exact, Plaintext, PlaintextError, Scheme, SchemeError};
use asanoha_testkit::TestIntegers;
use common::{House, ROTATIONS, Shape, binomial, literal};
use num_bigint::BigInt;

fn shape(modulus: impl Into<BfvModulus>) -> Shape {
    let ring_degree = 1 << 6;
    Shape { ring_degree, prime_bits: 46, primes: 6, digits: 3, modulus: modulus.into(), encoding: None }
}

fn wide() -> BfvModulus {
    asanoha_scheme::batching_primes(70, 1 << 6, 1).remove(0).into()
}

#[test]
fn back_ends_give_the_same_ciphertexts_bit_by_bit() {
    for modulus in [65537.into(), wide(), binomial(16, 4)] {
        let run = |backend: Backend| {
            let mut house = House::on(&shape(modulus.clone()), 3, backend);
            let values = house.values(&mut TestIntegers(4));
            let (a, b) = (house.encrypt(&values), house.encrypt(&values));
            let plain = house.encode(&values, Level(4));
            let e = &house.evaluator;
            let (product, square) = (e.multiply(&a, &b).unwrap(), e.square(&a).unwrap());
            let switched = e.switch_to(&product, Level(4)).unwrap();
            let sum = e.add_plain(&switched, &plain).unwrap();
            let scaled = e.mul_plain(&sum, &plain).unwrap();
            let mut all = vec![a, b, product, square, switched, sum, scaled];
            if house.params.row_slots().is_some() {
                all.push(e.rotate(&all[5], 1).unwrap());
            }
            let words = |ciphertext: &BfvCiphertext| {
                let words: Vec<u64> =
                    ciphertext.rlwe().parts.iter().flat_map(|part| part.words().to_vec()).collect();
                (words, ciphertext.noise())
            };
            let decrypted = house.decrypt(&all[6]);
            (all.iter().map(words).collect::<Vec<_>>(), decrypted)
        };
        let scalar = run(Backend::Scalar);
        for backend in Backend::available() {
            assert!(run(backend) == scalar, "{}", backend.name());
        }
    }
}

#[test]
fn hoisted_rotations_are_the_same_bit_by_bit() {
    let mut house = House::new(&shape(65537), 5);
    let values = house.values(&mut TestIntegers(5));
    let a = house.encrypt(&values);
    let row = house.params.row_slots().unwrap() as i64;
    let rotations = [1, 0, -3, row + 5, -row];
    let rotated = house.evaluator.rotate_many(&a, &rotations).unwrap();
    for (rotation, many) in rotations.into_iter().zip(rotated) {
        let one = house.evaluator.rotate(&a, rotation).unwrap();
        assert!(one.rlwe().parts.iter().zip(&many.rlwe().parts).all(|(x, y)| x.words() == y.words()));
        house.expect(&many, &house.rotated(&values, rotation), "rotation");
    }
}

#[test]
fn few_slots_rotate_among_themselves() {
    // 97 is 1 modulo 32 but not modulo 64: sixteen slots.
    let mut house = House::new(&shape(97), 6);
    assert_eq!((house.params.slots(), house.params.row_slots()), (16, Some(8)));
    let values = house.values(&mut TestIntegers(6));
    let a = house.encrypt(&values);
    let rotated = house.evaluator.rotate(&a, 5 - 8).unwrap();
    house.expect(&rotated, &house.rotated(&values, 5), "rotation");
    house.expect(&house.evaluator.swap_rows(&a).unwrap(), &house.swapped(&values), "swap");
}

#[test]
fn switching_down_between_products_keeps_the_depth() {
    let mut house = House::new(&shape(65537), 7);
    let mut values = house.values(&mut TestIntegers(7));
    let e = house.evaluator.clone();
    let plain = house.encode(&values, house.top());
    let mut a = house.encryptor.encrypt(&house.public, &plain, &mut house.sampler).unwrap();
    let mut at_the_top = a.clone();
    let mut products = 0;
    while let Ok(square) = e.square(&at_the_top) {
        at_the_top = square;
        a = e.square(&a).unwrap();
        // The noise is then still 2^20 at least, and what rounding adds nothing beside it.
        let dropped = ((a.noise().log2() - 20.0) / 46.0).max(0.0) as usize;
        let level = Level(house.top().0 - dropped);
        a = if level < a.level() { e.switch_to(&a, level).unwrap() } else { a };
        values = house.product(&values, &values);
        products += 1;
        house.expect(&a, &values, "switched");
        house.expect(&at_the_top, &values, "not switched");
        if dropped > 0 {
            break;
        }
    }
    assert!(products > 0 && a.level() < house.top());
}

#[test]
fn sixteen_numbers_of_2048_bits_take_a_secure_ring_of_degree_2_to_the_14() {
    let shape =
        Shape { ring_degree: 1 << 14, prime_bits: 46, primes: 5, digits: 2, ..shape(binomial(16, 4)) };
    let mut literal = literal(&shape);
    literal.rlwe.insecure = false;
    let mut house = House::of(literal.check(Backend::detect().unwrap()).unwrap(), 12);
    assert_eq!((house.params.slots(), house.params.plaintext_modulus().bits()), (16, 2049));
    let mut values = house.values(&mut TestIntegers(12));
    let mut a = house.encrypt(&values);
    for _ in 0..10 {
        a = house.evaluator.square(&a).unwrap();
        values = house.product(&values, &values);
        assert_eq!(house.decrypt(&a), values);
    }
    assert!(matches!(house.evaluator.square(&a), Err(SchemeError::OutOfModulus { .. })));
}

#[test]
fn operands_of_different_levels_are_refused_naming_both() {
    let mut house = House::new(&shape(65537), 5);
    let (a, b) = (house.encrypt(&[1.into()]), house.encrypt_at(&[2.into()], Level(2)));
    let plain = house.encode(&[3.into()], Level(4));
    let e = &house.evaluator;
    let expected = SchemeError::LevelMismatch { left: 5, right: 2 };
    assert_eq!(e.add(&a, &b).unwrap_err(), expected);
    assert_eq!(e.sub(&a, &b).unwrap_err(), expected);
    assert_eq!(e.multiply(&a, &b).unwrap_err(), expected);
    let expected = SchemeError::LevelMismatch { left: 2, right: 4 };
    assert_eq!(e.add_plain(&b, &plain).unwrap_err(), expected);
    assert_eq!(e.sub_plain(&b, &plain).unwrap_err(), expected);
    assert_eq!(e.mul_plain(&b, &plain).unwrap_err(), expected);
    let expected = SchemeError::LevelTooHigh { asked: 3, highest: 2 };
    assert_eq!(e.switch_to(&b, Level(3)).unwrap_err(), expected);
    let too_high = house.encoder.encode(&[1], Level(6)).unwrap_err();
    assert_eq!(too_high, SchemeError::LevelTooHigh { asked: 6, highest: 5 });
}

#[test]
fn operands_of_other_parameters_are_refused_naming_both_moduli() {
    let (house, mut other) = (House::new(&shape(65537), 8), House::new(&shape(binomial(16, 4)), 8));
    let a = other.encrypt(&[1.into()]);
    let expected =
        SchemeError::OtherParameters { expected: house.params.describe(), found: other.params.describe() };
    assert_eq!(house.evaluator.add(&a, &a).unwrap_err(), expected);
    assert_eq!(house.evaluator.square(&a).unwrap_err(), expected);
    assert_eq!(house.decryptor.decrypt(&house.secret, &a).unwrap_err(), expected);
    let plain = other.encode(&[1.into()], other.top());
    let mut sampler = asanoha_ring::Sampler::from_os();
    assert_eq!(house.encryptor.encrypt(&house.public, &plain, &mut sampler).unwrap_err(), expected);
}

#[test]
fn missing_keys_and_slots_are_named() {
    let mut house = House::new(&shape(65537), 6);
    let a = house.encrypt(&[1.into()]);
    let mut present: Vec<i64> = ROTATIONS.iter().map(|k| k.rem_euclid(32)).collect();
    present.sort_unstable();
    let missing = house.evaluator.rotate(&a, 7).unwrap_err();
    let SchemeError::MissingKey(MissingKey::Rotation { rotation: 7, swapped: false, present: found }) =
        &missing
    else {
        panic!("{missing}")
    };
    assert_eq!(*found, present);
    assert_eq!(house.evaluator.rotate_many(&a, &[1, 7]).unwrap_err(), missing);
    let bare = Evaluator::new(&house.params, Arc::new(EvaluationKeys::default()));
    assert_eq!(bare.multiply(&a, &a).unwrap_err(), SchemeError::MissingKey(MissingKey::Relinearisation));
    assert_eq!(bare.square(&a).unwrap_err(), SchemeError::MissingKey(MissingKey::Relinearisation));
    assert_eq!(bare.swap_rows(&a).unwrap_err(), SchemeError::MissingKey(MissingKey::Conjugation));
    let product = bare.multiply_without_relinearise(&a, &a).unwrap();
    assert_eq!(
        bare.square_without_relinearise(&product).unwrap_err(),
        SchemeError::NotRelinearised { parts: 3 }
    );
    assert_eq!(house.evaluator.rotate(&product, 1).unwrap_err(), SchemeError::NotRelinearised { parts: 3 });

    for shape in [shape(binomial(16, 4)), Shape { encoding: Some(Encoding::Coefficients), ..shape(65537) }] {
        let mut house = House::new(&shape, 6);
        let a = house.encrypt(&[1.into()]);
        assert_eq!(house.evaluator.rotate(&a, 1).unwrap_err(), SchemeError::NoSlots);
        assert_eq!(house.evaluator.swap_rows(&a).unwrap_err(), SchemeError::NoSlots);
    }
}

#[test]
fn results_out_of_the_modulus_are_refused_where_they_arise() {
    let mut house = House::new(&shape((1 << 61) - 1), 7);
    let a = house.encrypt(&[1.into(), 2.into()]);
    let e = &house.evaluator;
    let low = e.switch_to(&a, Level(2)).unwrap();
    let Err(SchemeError::OutOfModulus { needed_bits: noise_bits, available_bits, level: 2 }) = e.square(&low)
    else {
        panic!("three primes of 46 bits don't hold a product modulo 2^61 - 1")
    };
    // The norm may be √(N/2) above the largest coefficient.
    let model = house.params.rlwe().noise();
    let largest = 138.0 - 62.0 - model.coefficient().log2();
    assert!(noise_bits > available_bits && (available_bits - largest).abs() < 0.1);
    assert!(matches!(e.switch_to(&a, Level(0)), Err(SchemeError::OutOfModulus { level: 0, .. })));
    let plain = house.encode(&[1.into()], Level(0));
    let fresh = house.encryptor.encrypt(&house.public, &plain, &mut house.sampler);
    assert!(matches!(fresh, Err(SchemeError::OutOfModulus { level: 0, .. })));

    let state = BfvState { noise: Norm::from_log2(available_bits), ..low.state().clone() };
    let forged = BfvCiphertext::from_checked_parts(&house.params, low.rlwe().clone(), state);
    assert!(matches!(forged, Err(SchemeError::OutOfModulus { level: 2, .. })));
}

#[test]
fn failed_assignments_leave_their_operand() {
    let mut house = House::new(&shape(65537), 8);
    let (mut a, b) = (house.encrypt(&[1.into()]), house.encrypt_at(&[2.into()], Level(2)));
    let before = a.rlwe().parts[0].words().to_vec();
    assert!(house.evaluator.add_assign(&mut a, &b).is_err());
    assert_eq!(a.rlwe().parts[0].words(), before);
}

#[test]
fn values_that_fit_no_plaintext_are_refused() {
    for modulus in [65537.into(), 2.into(), wide(), binomial(16, 4)] {
        let house = House::new(&shape(modulus), 9);
        let (largest, values) = (house.params.largest_value(), house.params.slots());
        let beyond = house.encoder.encode_integers(&[largest.clone(), &largest + 1], house.top());
        let Err(SchemeError::Plaintext(PlaintextError::ValueOutOfRange { index: 1, largest: named, .. })) =
            beyond
        else {
            panic!("a value beyond the largest isn't taken")
        };
        assert_eq!(named, largest);
        let modulus = house.params.plaintext_modulus();
        let beyond = house.encoder.encode_unsigned(&[modulus - 1u32, modulus.clone()], house.top());
        assert!(matches!(
            beyond,
            Err(SchemeError::Plaintext(PlaintextError::ValueOutOfRange { index: 1, .. }))
        ));
        let many = house.encoder.encode(&vec![0; values + 1], house.top()).unwrap_err();
        assert_eq!(many, PlaintextError::TooManyValues { found: values + 1, values }.into());
    }
}

#[test]
fn values_survive_encoding_and_encryption_in_every_form() {
    for modulus in [65537.into(), 2.into(), wide(), binomial(16, 4), binomial(1, 2)] {
        let mut house = House::new(&shape(modulus), 10);
        let values = house.values(&mut TestIntegers(10));
        let plain = house.encode(&values, Level(3));
        assert_eq!(house.encoder.decode_integers(&plain).unwrap(), values);
        let a = house.encrypt(&values);
        let unsigned = house.decryptor.decrypt_unsigned(&house.secret, &a).unwrap();
        let again = house.encoder.encode_unsigned(&unsigned, Level(3)).unwrap();
        assert_eq!(again.addend().words(), plain.addend().words());
        let words: Option<Vec<i64>> = values.iter().map(|value| value.try_into().ok()).collect();
        match (house.decryptor.decrypt(&house.secret, &a), house.encoder.decode(&plain)) {
            (Ok(decrypted), Ok(decoded)) => {
                assert_eq!((Some(decrypted), Some(decoded)), (words.clone(), words.clone()));
                let words = house.encoder.encode(&words.unwrap(), Level(3)).unwrap();
                assert_eq!(words.factor().words(), plain.factor().words());
            }
            (decrypted, decoded) => {
                let bits = house.params.plaintext_modulus().bits();
                assert_eq!(decrypted, Err(SchemeError::WideModulus { bits }));
                assert_eq!(decoded, Err(SchemeError::WideModulus { bits }));
            }
        }
        let constant = house.encoder.encode_constant(-1, house.top()).unwrap();
        let sum = house.evaluator.add_plain(&a, &constant).unwrap();
        house.expect(&sum, &house.plus_constant(&values, &BigInt::from(-1)), "constant");
    }
}

#[test]
fn evaluators_work_on_several_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let house = House::new(&shape(65537), 9);
    shared(&house.evaluator);
    shared(&house.params);
}

#[test]
fn parts_that_fit_no_level_are_refused_from_outside() {
    let mut house = House::new(&shape(65537), 11);
    let a = house.encrypt(&[1.into()]);
    let low = house.evaluator.switch_to(&a, Level(2)).unwrap();
    let (high, lower) = (a.rlwe().parts.clone(), low.rlwe().parts.clone());
    let make =
        |parts, state| BfvCiphertext::from_checked_parts(&house.params, RlweCiphertext { parts }, state);
    assert!(make(high.clone(), a.state().clone()).is_ok());
    let four = [&high[..], &high[..]].concat();
    let mixed = vec![high[0].clone(), lower[1].clone()];
    for (parts, state) in
        [(vec![], &a), (high[..1].to_vec(), &a), (four, &a), (mixed, &a), (lower, &a), (high, &low)]
    {
        assert!(matches!(make(parts, state.state().clone()), Err(SchemeError::UnsoundCiphertext { .. })));
    }
}
