//! Linear and bilinear forms and settled products against plain vectors and the separate operations.

mod common;

use asanoha_bgv::{BgvCiphertext, BgvLiteral, BgvModel, Evaluator};
use asanoha_lattice::Level;
use asanoha_ring::Backend;
use asanoha_scheme::{Scheme, SchemeError};
use asanoha_testkit::TestIntegers;
use common::{House, Shape};

fn house(prime_bits: u32, primes: usize, digits: usize, seed: u64) -> House {
    House::new(Shape { ring_degree: 1 << 6, prime_bits, primes, digits, plaintext_bits: 17 }, seed)
}

fn samples(house: &mut House, integers: &mut TestIntegers, count: usize) -> Vec<(BgvCiphertext, Vec<i64>)> {
    (0..count)
        .map(|_| {
            let values = house.values(integers);
            (house.encrypt(&values), values)
        })
        .collect()
}

#[test]
fn settled_products_equal_multiply_and_switch_within_their_noise() {
    for (prime_bits, primes, digits) in [(30, 8, 8), (30, 8, 3), (46, 5, 5), (50, 4, 2), (24, 9, 9)] {
        let mut house = house(prime_bits, primes, digits, 1);
        println!("seed 2");
        let mut integers = TestIntegers(2);
        let mut values = samples(&mut house, &mut integers, 2);
        let (b, y) = values.pop().unwrap();
        let (mut a, mut x) = values.pop().unwrap();
        let mut products = 0;
        // A product of any two levels, as long as there is one.
        while let Ok(product) = house.evaluator.multiply_settled(&a, &b) {
            let lowered = house.evaluator.lowered(&b, a.level()).unwrap();
            let separate = house.evaluator.multiply(&a, &lowered).unwrap();
            let level = BgvModel::new(&house.params).settled(separate.state());
            assert_eq!(house.evaluator.switch_to(&separate, level).unwrap().state(), product.state());
            x = house.zip(&x, &y, |x, y| x * y);
            house.expect(&product, &x, &format!("{products} products at {:?}", product.level()));
            a = product;
            products += 1;
            if a.level() == Level(0) {
                break;
            }
        }
        assert!(products >= 3, "{products} products with {primes} primes of {prime_bits} bits");
    }
}

#[test]
fn forms_of_ciphertexts_with_different_factors_are_right_within_their_noise() {
    let mut house = house(46, 5, 5, 3);
    println!("seed 4");
    let mut integers = TestIntegers(4);
    let fresh = samples(&mut house, &mut integers, 7);
    // Different ways down to one level leave different factors.
    let values: Vec<(BgvCiphertext, Vec<i64>)> = fresh
        .into_iter()
        .enumerate()
        .map(|(i, (a, x))| {
            if i % 2 == 0 {
                return (house.evaluator.lowered(&a, Level(2)).unwrap().into_owned(), x);
            }
            let square = house.evaluator.square(&a).unwrap();
            (house.evaluator.switch_to(&square, Level(2)).unwrap(), house.zip(&x, &x, |x, _| x * x))
        })
        .collect();
    let (left, right) = values.split_at(3);
    let weights: Vec<u64> = (0..12).map(|_| integers.word() % 65537).collect();
    let parts = |values: &[(BgvCiphertext, Vec<i64>)]| -> Vec<BgvCiphertext> {
        values.iter().map(|(a, _)| a.clone()).collect()
    };
    let (left_parts, right_parts) = (parts(left), parts(right));
    let (l, r): (Vec<_>, Vec<_>) = (left_parts.iter().collect(), right_parts.iter().collect());

    let sum = house.evaluator.weighted_sum(&r, &weights[..4]).unwrap();
    let slot = |i: usize, values: &[(BgvCiphertext, Vec<i64>)], weights: &[u64]| -> i128 {
        values.iter().zip(weights).map(|((_, x), &w)| i128::from(x[i]) * i128::from(w)).sum()
    };
    let slots = house.params.slots();
    let expected: Vec<i64> = (0..slots).map(|i| house.reduce(slot(i, right, &weights))).collect();
    house.expect(&sum, &expected, "weighted sum");

    let form = house.evaluator.bilinear_form(&l, &weights, &r).unwrap();
    let expected: Vec<i64> = (0..slots)
        .map(|i| {
            let rows = left.iter().zip(weights.chunks(4));
            house.reduce(rows.map(|((_, x), weights)| i128::from(x[i]) * slot(i, right, weights)).sum())
        })
        .collect();
    house.expect(&form, &expected, "bilinear form");
    assert!(form.level() < Level(2));

    let one = house.evaluator.constant(-3, Level(2)).unwrap();
    house.expect(&one, &vec![-3; slots], "constant");
    let product = house.evaluator.bilinear_form(&[&one], &[5], &[l[1]]).unwrap();
    house.expect(&product, &house.zip(&left[1].1, &left[1].1, |x, _| -15 * x), "times a constant");
}

#[test]
fn plaintext_moduli_too_wide_for_word_weights_are_refused() {
    let shape = Shape { ring_degree: 1 << 6, prime_bits: 46, primes: 5, digits: 5, plaintext_bits: 17 };
    let t = (num_bigint::BigUint::from(1u8) << 64) + 13u8;
    let params = BgvLiteral::new(common::literal(shape).rlwe, t).check(Backend::detect().unwrap()).unwrap();
    let evaluator = Evaluator::new(&params, std::sync::Arc::default());
    let a = evaluator.constant(3, Level(0)).unwrap();
    let refused = evaluator.weighted_sum(&[&a], &[1]).unwrap_err();
    assert_eq!(refused, SchemeError::FormModulus { bits: 65, most: 63 });
}

#[test]
fn unsuitable_operands_are_refused() {
    let mut house = house(46, 3, 3, 5);
    let mut integers = TestIntegers(6);
    let values = samples(&mut house, &mut integers, 2);
    let (a, b) = (&values[0].0, &values[1].0);
    let e = &house.evaluator;
    let low = e.lowered(b, Level(1)).unwrap();
    let mismatch = SchemeError::LevelMismatch { left: 2, right: 1 };
    assert_eq!(e.weighted_sum(&[a, &low], &[1, 1]).unwrap_err(), mismatch);
    assert_eq!(e.bilinear_form(&[a], &[1], &[&low]).unwrap_err(), mismatch);
    let product = e.multiply_without_relinearise(a, b).unwrap();
    assert_eq!(e.weighted_sum(&[&product], &[1]).unwrap_err(), SchemeError::NotRelinearised { parts: 3 });
    assert_eq!(e.multiply_settled(&product, a).unwrap_err(), SchemeError::NotRelinearised { parts: 3 });
    assert_eq!(e.constant(1, Level(3)).unwrap_err(), SchemeError::LevelTooHigh { asked: 3, highest: 2 });
    assert_eq!(e.lowered(&low, Level(2)).unwrap_err(), SchemeError::LevelTooHigh { asked: 2, highest: 1 });
    let lowest = e.lowered(a, Level(0)).unwrap().into_owned();
    assert!(matches!(
        e.bilinear_form(&[&lowest; 9], &[32768; 81], &[&lowest; 9]).unwrap_err(),
        SchemeError::OutOfModulus { level: 0, .. }
    ));
}
