//! Bit-wise division, on plain numbers and encrypted.

use asanoha_circuits::{ExactArithmetic, PlainArithmetic, division::divide_bits};
use asanoha_ring::Modulus;

use crate::common::Fixture;

/// All pairs of numbers below p.
fn pairs(p: i64) -> (Vec<i64>, Vec<i64>) {
    (0..p * p).map(|i| (i / p, i % p)).unzip()
}

fn bits_of(values: &[i64], bits: u32) -> Vec<Vec<i64>> {
    (0..bits).map(|bit| values.iter().map(|value| value >> bit & 1).collect()).collect()
}

#[test]
fn quotients_of_plain_bits_are_right_in_quadratic_depth() {
    for bits in 1..=5u32 {
        let plain = PlainArithmetic::new(Modulus::new(65537).unwrap(), 1 << (2 * bits));
        let (a, d) = pairs(1 << bits);
        let encode = |values: &[i64]| -> Vec<_> {
            bits_of(values, bits).iter().map(|bits| plain.value(bits, 60)).collect()
        };
        let quotients = divide_bits(&plain, &encode(&a), &encode(&d)).unwrap();
        for (i, (&a, &d)) in a.iter().zip(&d).enumerate() {
            let value: i64 = quotients.iter().enumerate().map(|(bit, q)| (q.slots[i] as i64) << bit).sum();
            assert_eq!(value, if d == 0 { (1 << bits) - 1 } else { a / d }, "{a} / {d}");
        }
        let depth = quotients.iter().map(|q| 60 - q.level).max().unwrap();
        assert!(depth <= (bits * (bits + 3)) as usize);
    }
}

#[test]
fn quotients_of_encrypted_bits_are_right_modulo_odd_numbers_and_modulo_two() {
    let bits = 2;
    let (a, d) = pairs(1 << bits);
    let expected = |a: i64, d: i64| if d == 0 { (1 << bits) - 1 } else { a / d };
    let mut fixture = Fixture::new(1 << 8, 12, 60);
    let pad = |mut values: Vec<i64>| {
        values.resize(1 << 8, 0);
        values
    };
    let mut encrypt = |values: &[i64]| -> Vec<_> {
        bits_of(values, bits).into_iter().map(|bits| fixture.encrypt(&pad(bits))).collect()
    };
    let (x, y) = (encrypt(&a), encrypt(&d));
    let quotients = divide_bits(&fixture.evaluator, &x, &y).unwrap();
    let decrypted: Vec<Vec<i64>> = quotients.iter().map(|bit| fixture.decrypt(bit)).collect();
    for (i, (&a, &d)) in a.iter().zip(&d).enumerate() {
        assert_eq!(decrypted[0][i] + 2 * decrypted[1][i], expected(a, d), "{a} / {d}");
    }

    // Modulo two a plaintext holds coefficients: one number a ciphertext.
    let mut fixture = Fixture::with_modulus(1 << 8, 10, 2, 61);
    for (&a, &d) in a.iter().zip(&d) {
        let mut encrypt = |value: i64| -> Vec<_> {
            bits_of(&[value], bits).iter().map(|bit| fixture.encrypt(bit)).collect()
        };
        let (x, y) = (encrypt(a), encrypt(d));
        let quotients = divide_bits(&fixture.evaluator, &x, &y).unwrap();
        let value: i64 = quotients.iter().zip([1, 2]).map(|(bit, w)| w * (fixture.decrypt(bit)[0] & 1)).sum();
        assert_eq!(value, expected(a, d), "{a} / {d}");
    }
    assert_eq!(fixture.evaluator.modulus(), 2u32.into());
}
