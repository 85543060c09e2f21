//! Encoding and encryption.

mod common;

use asanoha_bgv::{BgvModel, measure};
use asanoha_lattice::Level;
use asanoha_scheme::{Exact, Plaintext, PlaintextError, Scheme, SchemeError};
use asanoha_testkit::TestIntegers;
use common::{House, Shape};
use proptest::prelude::*;

fn shape(log2_degree: u32, plaintext_bits: u32) -> Shape {
    Shape { ring_degree: 1 << log2_degree, prime_bits: 46, primes: 3, digits: 3, plaintext_bits }
}

/// Ring degrees with the narrowest plaintext moduli that batch, and others.
const SHAPES: [(u32, u32); 7] = [(3, 5), (6, 10), (6, 17), (8, 30), (8, 60), (10, 17), (10, 60)];

#[test]
fn decoding_gives_the_encoded_values_back() {
    for (log2_degree, plaintext_bits) in SHAPES {
        let house = House::new(shape(log2_degree, plaintext_bits), 1);
        println!("seed 2");
        let mut values = house.values(&mut TestIntegers(2));
        let largest = house.largest_value();
        values[..2].copy_from_slice(&[largest, -largest]);
        for level in 0..=house.top().0 {
            let plain = house.encoder.encode(&values, Level(level)).unwrap();
            assert_eq!(plain.level(), Level(level));
            assert_eq!(house.encoder.decode(&plain).unwrap(), values);
        }
        let short = house.encoder.encode(&values[..3], Level(0)).unwrap();
        let decoded = house.encoder.decode(&short).unwrap();
        assert_eq!(decoded[..3], values[..3]);
        assert!(decoded[3..].iter().all(|&value| value == 0));
    }
}

#[test]
fn decryption_gives_the_encrypted_values_back() {
    for (log2_degree, plaintext_bits) in SHAPES {
        let mut house = House::new(shape(log2_degree, plaintext_bits), 3);
        println!("seed 4");
        let values = house.values(&mut TestIntegers(4));
        let top = house.top();
        let public = house.encrypt(&values);
        house.expect(&public, &values, "public key");
        let plain = house.encoder.encode(&values, top).unwrap();
        let secret = house.encryptor.encrypt_secret(&house.secret, &plain, &mut house.sampler).unwrap();
        house.expect(&secret, &values, "secret key");
        // In the smallest rings the rounding of public-key encryption is below an error.
        assert!(secret.noise() < public.noise() || log2_degree < 6);
        // Coefficients are at most the norm; the budget is what the bound leaves.
        assert!(measure(&house.secret, &public) <= house.norm_bits(&public));
        let available = BgvModel::new(&house.params).available_bits(top);
        assert_eq!(public.noise_budget_bits(), available - public.noise().log2());
    }
}

#[test]
fn fresh_bounds_say_nothing_of_the_message() {
    let mut house = House::new(shape(6, 17), 5);
    let slots = house.params.slots();
    let (none, many) = (house.encrypt(&[]), house.encrypt(&vec![house.largest_value(); slots]));
    assert_eq!(none.noise(), many.noise());
}

#[test]
fn fresh_and_switched_bounds_are_within_eight_bits_of_the_measured_norm() {
    for plaintext_bits in [17, 30, 60] {
        let mut house = House::new(shape(10, plaintext_bits), 6);
        println!("seed 7");
        let values = house.values(&mut TestIntegers(7));
        let fresh = house.encrypt(&values);
        let switched = house.evaluator.switch_to(&fresh, Level(1)).unwrap();
        for ciphertext in [fresh, switched] {
            let slack = ciphertext.noise().log2() - house.norm_bits(&ciphertext);
            assert!((0.0..8.0).contains(&slack), "{plaintext_bits}: {slack}");
        }
    }
}

#[test]
fn norms_of_plaintexts_are_theirs_also_where_coefficients_line_up() {
    let house = House::new(shape(6, 17), 8);
    let slots = house.params.slots();
    // One value everywhere is a constant polynomial.
    let constant = house.encoder.encode(&vec![-1234; slots], Level(0)).unwrap();
    assert!((constant.norm().to_f64() - 1234.0).abs() < 1e-3);
    println!("seed 9");
    let random = house.encoder.encode(&house.values(&mut TestIntegers(9)), Level(0)).unwrap();
    assert!(random.norm() <= house.params.largest_norm());
}

fn out_of_range(index: usize, value: i64, largest: i64) -> SchemeError {
    let (smallest, largest) = ((-largest).into(), largest.into());
    PlaintextError::ValueOutOfRange { index, value: value.into(), smallest, largest }.into()
}

proptest! {
    #[test]
    fn values_outside_of_the_plaintext_modulus_are_refused(excess in 1i64..1 << 40, index in 0usize..64, negative: bool) {
        let house = House::new(shape(6, 17), 10);
        let value = if negative { -32768 - excess } else { 32768 + excess };
        let mut values = vec![32768; 64];
        values[index] = value;
        let error = house.encoder.encode(&values, Level(0)).unwrap_err();
        prop_assert_eq!(error, out_of_range(index, value, 32768));
    }
}

#[test]
fn the_smallest_word_is_refused_like_any_other() {
    let house = House::new(shape(6, 60), 11);
    let largest = house.largest_value();
    let error = house.encoder.encode(&[i64::MIN], Level(0)).unwrap_err();
    assert_eq!(error, out_of_range(0, i64::MIN, largest));
    assert_eq!(
        house.encoder.encode(&vec![0; 65], Level(0)).unwrap_err(),
        PlaintextError::TooManyValues { found: 65, values: 64 }.into()
    );
    assert_eq!(
        house.encoder.encode(&[], Level(3)).unwrap_err(),
        SchemeError::LevelTooHigh { asked: 3, highest: 2 }
    );
}
