//! Long dividends by short divisors, on plain numbers and encrypted.

use asanoha_circuits::{
    DomainError, PlainArithmetic, TableError,
    division::{WideDivision, quotient},
};
use asanoha_ring::Modulus;

use crate::common::Fixture;

fn modulus() -> Modulus {
    Modulus::new(65537).unwrap()
}

/// So many digits of all numbers, the least significant first.
fn digits(values: &[i64], count: usize, bits: u32) -> Vec<Vec<i64>> {
    let digit = |place: u32| values.iter().map(|value| value >> (place * bits) & ((1 << bits) - 1)).collect();
    (0..count as u32).map(digit).collect()
}

fn hold_plain(count: usize, digit_bits: u32, divisor_bits: u32, depth: usize, pairs: &[(i64, i64)]) {
    let (a, d): (Vec<i64>, Vec<i64>) = pairs.iter().copied().unzip();
    let plain = PlainArithmetic::new(modulus(), a.len());
    let division = WideDivision::new(&modulus(), count, digit_bits, divisor_bits).unwrap();
    let dividend: Vec<_> = digits(&a, count, digit_bits).iter().map(|digit| plain.value(digit, 40)).collect();
    let result = division.divide(&plain, &dividend, &plain.value(&d, 40)).unwrap();
    assert_eq!(40 - result.level, depth);
    for ((&a, &d), &value) in a.iter().zip(&d).zip(&result.slots) {
        assert_eq!(value as i64, quotient(a, d), "{a} / {d}");
    }
}

#[test]
fn every_plain_quotient_of_eight_bits_by_four_is_right_in_two_digits_and_in_four() {
    let pairs: Vec<(i64, i64)> = (0..1 << 12).map(|i| (i >> 4, i & 15)).collect();
    hold_plain(2, 4, 4, 10, &pairs);
    hold_plain(4, 2, 4, 12, &pairs);
}

#[test]
fn plain_quotients_of_sixteen_bits_by_eight_are_right_next_to_all_multiples() {
    let mut pairs: Vec<(i64, i64)> = (0..256).map(|d| (65535 - d, d)).collect();
    for d in (1..256).step_by(7) {
        let multiples = (0..=65535 / d).step_by((65535 / d / 5).max(1) as usize).map(|k| k * d);
        pairs.extend(multiples.flat_map(|a| [(a, d), ((a - 1).max(0), d), ((a + d - 1).min(65535), d)]));
    }
    hold_plain(2, 8, 8, 18, &pairs);
}

#[test]
fn encrypted_quotients_of_eight_bits_by_four_are_right() {
    let mut fixture = Fixture::new(1 << 10, 14, 90);
    let division = WideDivision::new(&modulus(), 2, 4, 4).unwrap();
    for batch in 0..4 {
        let (a, d): (Vec<i64>, Vec<i64>) = (0..1 << 10).map(|i| ((i >> 4) + 64 * batch, i & 15)).unzip();
        let dividend: Vec<_> = digits(&a, 2, 4).iter().map(|digit| fixture.encrypt(digit)).collect();
        let divisor = fixture.encrypt(&d);
        let quotients = division.divide(&fixture.evaluator, &dividend, &divisor).unwrap();
        assert!(a.iter().zip(&d).map(|(&a, &d)| quotient(a, d)).eq(fixture.decrypt(&quotients)));
    }
}

#[test]
#[ignore = "slow"]
fn encrypted_quotients_of_sixteen_bits_by_eight_are_right() {
    let mut fixture = Fixture::new(1 << 10, 23, 91);
    let division = WideDivision::new(&modulus(), 2, 8, 8).unwrap();
    let (a, d): (Vec<i64>, Vec<i64>) = (0..1 << 10).map(|i| (i * 7919 % 65536, i * 31 % 256)).unzip();
    let dividend: Vec<_> = digits(&a, 2, 8).iter().map(|digit| fixture.encrypt(digit)).collect();
    let divisor = fixture.encrypt(&d);
    let quotients = division.divide(&fixture.evaluator, &dividend, &divisor).unwrap();
    let decrypted = fixture.decrypt(&quotients);
    for ((&a, &d), value) in a.iter().zip(&d).zip(decrypted) {
        assert_eq!(value.rem_euclid(65537), quotient(a, d), "{a} / {d}");
    }
}

#[test]
fn dividends_beyond_the_plaintext_modulus_and_large_divisors_are_refused() {
    let wide = WideDivision::new(&modulus(), 3, 8, 8).unwrap_err();
    assert!(matches!(wide, TableError::Domain(DomainError::Size { .. })), "{wide}");
    let narrow = WideDivision::new(&Modulus::new(257).unwrap(), 2, 8, 4).unwrap_err();
    assert!(matches!(narrow, TableError::Domain(DomainError::Modulus { .. })), "{narrow}");
    let divisor = WideDivision::new(&modulus(), 2, 8, 11).unwrap_err();
    assert!(matches!(divisor, TableError::TooLarge { columns: 2048, .. }), "{divisor}");
    assert!(WideDivision::new(&modulus(), 2, u32::MAX, 8).is_err());
}
