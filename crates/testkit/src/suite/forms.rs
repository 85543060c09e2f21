//! Linear and bilinear forms and settled products of exact schemes, against plain numbers and the separate operations.

use asanoha_lattice::Level;
use asanoha_ring::Backend;
use asanoha_scheme::{
    Ciphertext, Evaluator, Mask, MaskEncoder, MaskedRotation, Model, PlaintextError, Scheme, SchemeError,
};
use num_bigint::{BigInt, BigUint};

use crate::{ExactSubject, Known, LiteralShape, Party, Subject};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! forms_suite {
    ($subject:ty) => {
        $crate::claims!($subject: forms {
            settled_products_equal_multiply_and_switch_within_their_noise
            forms_are_right_within_their_noise_modulo_words_of_all_sizes
            relinearising_to_a_level_is_as_noisy_as_both_steps_at_most
            sums_of_masked_rotations_are_right_within_their_noise
            unsuitable_masks_are_refused
            unsuitable_operands_are_refused
            plaintext_moduli_too_wide_for_word_weights_are_refused
        });
    };
}

fn party<E: ExactSubject>(shape: &LiteralShape<E::Modulus>, seed: u64) -> Party<E> {
    Party::new(E::params(shape, Backend::detect().unwrap()), seed)
}

pub fn settled_products_equal_multiply_and_switch_within_their_noise<E: ExactSubject>() {
    for (prime_bits, primes, digits) in [(30, 8, 8), (30, 8, 3), (46, 5, 5), (50, 4, 2), (27, 9, 9)] {
        let mut party =
            party::<E>(&LiteralShape { prime_bits, primes, digits, ..LiteralShape::of(65537) }, 1);
        let (mut a, mut x) = party.random();
        let (b, y) = party.random();
        let mut products = 0;
        // A product of any two levels, as long as there is one.
        while let Ok(product) = party.evaluator.multiply_settled(&a, &b) {
            let lowered = party.evaluator.lowered(&b, a.level()).unwrap();
            let separate = party.evaluator.multiply_exact(&a, &lowered).unwrap();
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
        let mut party =
            party::<E>(&LiteralShape { ring_degree: 1 << 4, digits: 6, ..LiteralShape::of(t) }, t);
        let values: Vec<Known<E>> = (0..7)
            .map(|i| {
                let (a, x) = party.random();
                if i % 2 == 0 || t > 65537 {
                    return (party.evaluator.switch_to(&a, Level(4)).unwrap(), x);
                }
                // Another way down to the level, which in BGV leaves another factor.
                let square = party.evaluator.square_exact(&a).unwrap();
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

pub fn relinearising_to_a_level_is_as_noisy_as_both_steps_at_most<E: ExactSubject>() {
    for mut party in Party::<E>::of_all_kinds(11) {
        let ((a, x), (b, y)) = (party.random(), party.random());
        let (e, xy) = (&party.evaluator, party.product(&x, &y));
        let product = e.multiply_without_relinearise(&a, &b).unwrap();
        let words = |c: &Ciphertext<E::Scheme>| -> Vec<u64> {
            c.rlwe().parts.iter().flat_map(|part| part.words().to_vec()).collect()
        };
        let top = e.relinearise_to(product.clone(), a.level()).unwrap();
        assert_eq!(words(&top), words(&e.relinearise(product.clone()).unwrap()));
        let below = Level(a.level().0 - 1);
        let at_once = e.relinearise_to(product.clone(), below).unwrap();
        let both = e.switch_to(&top, below).unwrap();
        assert_eq!((at_once.level(), at_once.message()), (below, both.message()));
        assert!(at_once.noise() <= both.noise());
        party.expect(&at_once, &xy, "at once");
        assert!(matches!(e.relinearise_to(at_once, a.level()), Err(SchemeError::LevelTooHigh { .. })));
    }
}

pub fn sums_of_masked_rotations_are_right_within_their_noise<E: ExactSubject>() {
    for (digits, period) in [(1, 1), (3, 4), (2, 32)] {
        let mut party =
            party::<E>(&LiteralShape { ring_degree: 1 << 6, digits, ..LiteralShape::of(65537) }, 13);
        let ((a, x), top) = (party.random(), party.top());
        let e = &party.evaluator;
        let b = e.rotate(&a, 1).unwrap();
        let y = party.rotated(&x, 1);
        let encoder = MaskEncoder::new(&party.params, period).unwrap();
        let bits: Vec<Vec<i64>> =
            (0..period).map(|k| (0..period).map(|j| i64::from(j <= k)).collect()).collect();
        let masks: Vec<_> = bits.iter().map(|bits| encoder.encode(bits, top).unwrap()).collect();
        let all = |k: usize| -> Vec<BigInt> {
            bits[k].iter().cycle().take(party.params.slots()).map(|&bit| bit.into()).collect()
        };
        // More sums than are in memory at once, of one to three terms.
        let terms = |k: usize| {
            let rotations = [(0, E::ROTATIONS[0]), (1, 0), (1, E::ROTATIONS[1])].into_iter().take(k % 3 + 1);
            rotations.enumerate().map(move |(j, (source, rotation))| (source, rotation, (k + j) % period))
        };
        let sums: Vec<Vec<_>> = (0..7)
            .map(|k| {
                let term = |(source, rotation, mask)| {
                    let mask: &Mask<E::Scheme> = &masks[mask];
                    MaskedRotation { source, rotation, mask }
                };
                terms(k).map(term).collect()
            })
            .collect();
        for level in [top, Level(top.0 - 2)] {
            let found = e.masked_rotations(&[&a, &b], &sums, level).unwrap();
            let predicted = e.predictor().masked_rotations(&[a.state(), b.state()], &sums, level).unwrap();
            for (k, (found, predicted)) in found.iter().zip(&predicted).enumerate() {
                assert_eq!((found.state(), found.level()), (predicted, level));
                let images = terms(k).map(|(source, rotation, mask)| {
                    party.product(&party.rotated([&x, &y][source], rotation), &all(mask))
                });
                let expected = images.reduce(|sum, term| party.sum(&sum, &term)).unwrap();
                party.expect(found, &expected, &format!("sum {k} of period {period} at {level:?}"));
            }
        }
        for (mask, k) in masks.iter().zip(0..) {
            let product = e.mul_plain_exact(&a, &mask.plaintext()).unwrap();
            party.expect(&product, &party.product(&x, &all(k)), "mask as a plaintext");
        }
    }
}

pub fn unsuitable_masks_are_refused<E: ExactSubject>() {
    let mut party = party::<E>(&LiteralShape { ring_degree: 1 << 6, ..LiteralShape::of(65537) }, 14);
    let (a, _) = party.random();
    for period in [0, 3, 64] {
        let refused = MaskEncoder::new(&party.params, period).unwrap_err();
        let expected = PlaintextError::TooManyValues { found: period, values: 32 };
        assert_eq!(refused, SchemeError::Plaintext(expected));
    }
    let encoder = MaskEncoder::new(&party.params, 4).unwrap();
    let refused = encoder.encode(&[1; 5], party.top()).unwrap_err();
    assert_eq!(refused, SchemeError::Plaintext(PlaintextError::TooManyValues { found: 5, values: 4 }));
    let above = Level(party.top().0 + 1);
    assert!(matches!(encoder.encode(&[1], above), Err(SchemeError::LevelTooHigh { .. })));
    let mask = encoder.encode(&[1], Level(2)).unwrap();
    let term = vec![MaskedRotation { source: 0, rotation: 1, mask: &mask }];
    let e = &party.evaluator;
    let refused = e.masked_rotations(&[&a], std::slice::from_ref(&term), Level(1)).unwrap_err();
    assert_eq!(refused, SchemeError::LevelMismatch { left: party.top().0, right: 2 });
    let lower = e.switch_to(&a, Level(2)).unwrap();
    let refused = e.masked_rotations(&[&lower], std::slice::from_ref(&term), Level(3)).unwrap_err();
    assert_eq!(refused, SchemeError::LevelTooHigh { asked: 3, highest: 2 });
    let without = party.without_keys().masked_rotations(&[&lower], &[term], Level(2));
    assert!(matches!(without, Err(SchemeError::MissingKey(_))));
}

pub fn unsuitable_operands_are_refused<E: ExactSubject>() {
    let mut party = party::<E>(&LiteralShape { primes: 3, ..LiteralShape::of(65537) }, 5);
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
    let params = E::params(&LiteralShape::of(t), Backend::detect().unwrap());
    let evaluator = Evaluator::new(&params, asanoha_lattice::EvaluationKeys::default());
    let a = evaluator.constant(3, params.max_level()).unwrap();
    let refused = evaluator.weighted_sum(&[&a], &[1]).unwrap_err();
    assert_eq!(refused, SchemeError::FormModulus { bits: 65, most: 63 });
}
