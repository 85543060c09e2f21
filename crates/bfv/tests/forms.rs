//! Linear and bilinear forms and settled products against plain vectors and the separate operations.

mod common;

use asanoha_bfv::{BfvCiphertext, BfvModel, BfvModulus};
use asanoha_lattice::Level;
use asanoha_scheme::{Scheme, SchemeError};
use asanoha_testkit::TestIntegers;
use common::{House, Shape, binomial};
use num_bigint::BigInt;

fn house(prime_bits: u32, primes: usize, digits: usize, modulus: BfvModulus, seed: u64) -> House {
    House::new(&Shape { ring_degree: 1 << 4, prime_bits, primes, digits, modulus, encoding: None }, seed)
}

fn samples(
    house: &mut House,
    integers: &mut TestIntegers,
    count: usize,
) -> Vec<(BfvCiphertext, Vec<BigInt>)> {
    let sample = |_| {
        let values = house.values(integers);
        (house.encrypt(&values), values)
    };
    (0..count).map(sample).collect()
}

#[test]
fn settled_products_equal_multiply_and_switch_within_their_noise() {
    for (prime_bits, primes, digits) in [(30, 8, 8), (30, 8, 3), (46, 5, 5), (50, 4, 2), (27, 9, 9)] {
        let mut house = house(prime_bits, primes, digits, 65537.into(), 1);
        println!("seed 2");
        let mut values = samples(&mut house, &mut TestIntegers(2), 2);
        let (b, y) = values.pop().unwrap();
        let (mut a, mut x) = values.pop().unwrap();
        let mut products = 0;
        // A product of any two levels, as long as there is one.
        while let Ok(product) = house.evaluator.multiply_settled(&a, &b) {
            let lowered = house.evaluator.lowered(&b, a.level()).unwrap();
            let separate = house.evaluator.multiply(&a, &lowered).unwrap();
            let level = BfvModel::new(&house.params).settled(separate.state());
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
fn forms_are_right_within_their_noise_modulo_words_of_all_sizes() {
    let moduli = [2u64, 3, 97, 65537, (1 << 31) - 1, (1 << 61) - 1];
    for (seed, t) in moduli.into_iter().enumerate() {
        let mut house = house(46, 6, 6, t.into(), seed as u64);
        println!("seed {seed}");
        let mut integers = TestIntegers(seed as u64);
        let fresh = samples(&mut house, &mut integers, 7);
        let lowered = |a: &BfvCiphertext| house.evaluator.lowered(a, Level(4)).unwrap().into_owned();
        let values: Vec<(BfvCiphertext, Vec<BigInt>)> =
            fresh.into_iter().map(|(a, x)| (lowered(&a), x)).collect();
        let (left, right) = values.split_at(3);
        let weights: Vec<u64> = (0..12).map(|_| integers.word() % t).collect();
        let l: Vec<&BfvCiphertext> = left.iter().map(|(a, _)| a).collect();
        let r: Vec<&BfvCiphertext> = right.iter().map(|(a, _)| a).collect();
        let zero = vec![BigInt::default(); house.params.slots()];
        let combined = |weights: &[u64]| {
            right
                .iter()
                .zip(weights)
                .fold(zero.clone(), |sum, ((_, x), &w)| house.zip(&sum, x, |sum, x| sum + x * w))
        };

        let sum = house.evaluator.weighted_sum(&r, &weights[..4]).unwrap();
        house.expect(&sum, &combined(&weights[..4]), &format!("weighted sum modulo {t}"));

        let form = house.evaluator.bilinear_form(&l, &weights, &r).unwrap();
        let rows = left.iter().zip(weights.chunks(4));
        let expected = rows.fold(zero.clone(), |sum, ((_, x), weights)| {
            let product = house.product(x, &combined(weights));
            house.zip(&sum, &product, |sum, term| sum + term)
        });
        house.expect(&form, &expected, &format!("bilinear form modulo {t}"));
        assert!(t < 65537 || form.level() < Level(4));

        let constant = house.evaluator.constant(-1, Level(4)).unwrap();
        house.expect(&constant, &house.plus_constant(&zero, &(-1).into()), "constant");
        let negated = house.evaluator.bilinear_form(&[&constant], &[1], &[l[1]]).unwrap();
        house.expect(&negated, &house.zip(&left[1].1, &zero, |x, _| -x), "times a constant");
    }
}

#[test]
fn unsuitable_operands_and_moduli_are_refused() {
    let mut house = house(46, 3, 3, 65537.into(), 5);
    let values = samples(&mut house, &mut TestIntegers(6), 2);
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
    for modulus in [BfvModulus::from((num_bigint::BigUint::from(1u8) << 64) + 13u8), binomial(16, 1000)] {
        let other = House::new(&Shape::of(modulus), 7);
        let constant = other.evaluator.constant(3, other.top()).unwrap();
        let refused = other.evaluator.weighted_sum(&[&constant], &[1]).unwrap_err();
        assert!(matches!(refused, SchemeError::FormModulus { most: 63, .. }), "{refused}");
    }
}
