//! Linear and bilinear forms and settled products of exact schemes, against plain numbers and the separate operations.

use asanoha_lattice::Level;
use asanoha_ring::Backend;
use asanoha_scheme::{Ciphertext, Evaluator, Model, Scheme, SchemeError};
use num_bigint::BigUint;

use crate::{ExactSubject, Known, Party, Shape};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! forms_suite {
    ($subject:ty) => {
        $crate::claims!($subject: forms {
            settled_products_equal_multiply_and_switch_within_their_noise
            forms_are_right_within_their_noise_modulo_words_of_all_sizes
            unsuitable_operands_are_refused
            plaintext_moduli_too_wide_for_word_weights_are_refused
        });
    };
}

fn party<E: ExactSubject>(shape: &Shape<E::Modulus>, seed: u64) -> Party<E> {
    Party::new(E::params(shape, Backend::detect().unwrap()), seed)
}

pub fn settled_products_equal_multiply_and_switch_within_their_noise<E: ExactSubject>() {
    for (prime_bits, primes, digits) in [(30, 8, 8), (30, 8, 3), (46, 5, 5), (50, 4, 2), (27, 9, 9)] {
        let mut party = party::<E>(&Shape { prime_bits, primes, digits, ..Shape::of(65537) }, 1);
        let (mut a, mut x) = party.random();
        let (b, y) = party.random();
        let mut products = 0;
        // A product of any two levels, as long as there is one.
        while let Ok(product) = party.evaluator.multiply_settled(&a, &b) {
            let lowered = party.evaluator.lowered(&b, a.level()).unwrap();
            let separate = party.evaluator.multiply(&a, &lowered).unwrap();
            let level = Model::new(&party.params).settled(separate.state());
            assert_eq!(party.evaluator.switch_to(&separate, level).unwrap().state(), product.state());
            x = party.product(&x, &y);
            party.expect(&product, &x, &format!("{products} products at {:?}", product.level()));
            a = product;
            products += 1;
            if a.level() == Level(0) {
                break;
            }
        }
        assert!(products >= 3, "{products} products with {primes} primes of {prime_bits} bits");
    }
}

pub fn forms_are_right_within_their_noise_modulo_words_of_all_sizes<E: ExactSubject>() {
    for t in [2u64, 3, 97, 65537, (1 << 31) - 1, (1 << 61) - 1] {
        let mut party = party::<E>(&Shape { ring_degree: 1 << 4, digits: 6, ..Shape::of(t) }, t);
        let values: Vec<Known<E>> = (0..7)
            .map(|i| {
                let (a, x) = party.random();
                if i % 2 == 0 || t > 65537 {
                    return (party.evaluator.switch_to(&a, Level(4)).unwrap(), x);
                }
                // Another way down to the level, which in BGV leaves another factor.
                let square = party.evaluator.square(&a).unwrap();
                (party.evaluator.switch_to(&square, Level(4)).unwrap(), party.product(&x, &x))
            })
            .collect();
        let (left, right) = values.split_at(3);
        let weights: Vec<u64> = (0..12).map(|_| party.integers.word() % t).collect();
        let l: Vec<&Ciphertext<E::Scheme>> = left.iter().map(|(a, _)| a).collect();
        let r: Vec<&Ciphertext<E::Scheme>> = right.iter().map(|(a, _)| a).collect();
        let combined = |weights: &[u64]| {
            let terms = right.iter().zip(weights).map(|((_, x), &weight)| party.times(x, weight as i64));
            terms.reduce(|sum, term| party.sum(&sum, &term)).unwrap()
        };

        let sum = party.evaluator.weighted_sum(&r, &weights[..4]).unwrap();
        party.expect(&sum, &combined(&weights[..4]), &format!("weighted sum modulo {t}"));

        let form = party.evaluator.bilinear_form(&l, &weights, &r).unwrap();
        let rows = left.iter().zip(weights.chunks(4));
        let expected = rows.map(|((_, x), weights)| party.product(x, &combined(weights)));
        let expected = expected.reduce(|sum, term| party.sum(&sum, &term)).unwrap();
        party.expect(&form, &expected, &format!("bilinear form modulo {t}"));
        assert!(t < 65537 || form.level() < Level(4));

        let constant = party.evaluator.constant(-3, Level(4)).unwrap();
        party.expect(&constant, &party.constant(-3), "constant");
        let product = party.evaluator.bilinear_form(&[&constant], &[1], &[l[1]]).unwrap();
        party.expect(&product, &party.times(&left[1].1, -3), "times a constant");
    }
}

pub fn unsuitable_operands_are_refused<E: ExactSubject>() {
    let mut party = party::<E>(&Shape { primes: 3, ..Shape::of(65537) }, 5);
    let ((a, _), (b, _)) = (party.random(), party.random());
    let e = &party.evaluator;
    let low = e.lowered(&b, Level(1)).unwrap();
    let mismatch = SchemeError::LevelMismatch { left: 2, right: 1 };
    assert_eq!(e.weighted_sum(&[&a, &low], &[1, 1]).unwrap_err(), mismatch);
    assert_eq!(e.bilinear_form(&[&a], &[1], &[&low]).unwrap_err(), mismatch);
    let product = e.multiply_without_relinearise(&a, &b).unwrap();
    let three = SchemeError::NotRelinearised { parts: 3 };
    assert_eq!(e.weighted_sum(&[&product], &[1]).unwrap_err(), three);
    assert_eq!(e.bilinear_form(&[&product], &[1], &[&a]).unwrap_err(), three);
    assert_eq!(e.multiply_settled(&product, &a).unwrap_err(), three);
    assert_eq!(e.constant(1, Level(3)).unwrap_err(), SchemeError::LevelTooHigh { asked: 3, highest: 2 });
    assert_eq!(e.lowered(&low, Level(2)).unwrap_err(), SchemeError::LevelTooHigh { asked: 2, highest: 1 });
    let lowest = e.lowered(&a, Level(0)).unwrap().into_owned();
    assert!(matches!(
        e.bilinear_form(&[&lowest; 9], &[32768; 81], &[&lowest; 9]).unwrap_err(),
        SchemeError::OutOfModulus { level: 0, .. }
    ));
}

pub fn plaintext_moduli_too_wide_for_word_weights_are_refused<E: ExactSubject>() {
    let t = (BigUint::from(1u8) << 64) + 13u8;
    let params = E::params(&Shape::of(t), Backend::detect().unwrap());
    let evaluator = Evaluator::new(&params, asanoha_lattice::EvaluationKeys::default());
    let a = evaluator.constant(3, params.max_level()).unwrap();
    let refused = evaluator.weighted_sum(&[&a], &[1]).unwrap_err();
    assert_eq!(refused, SchemeError::FormModulus { bits: 65, most: 63 });
}
