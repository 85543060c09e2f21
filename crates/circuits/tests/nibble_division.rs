//! Long division by nibbles, on plain numbers and encrypted.

use asanoha_circuits::{
    CostCounter, ExactArithmetic, PlainArithmetic,
    division::{NibbleDivision, quotient, remainder},
};
use asanoha_ring::Modulus;

use crate::common::Fixture;

/// So many digits of all numbers, the least significant first.
fn nibbles(values: &[i64], digits: usize) -> Vec<Vec<i64>> {
    (0..digits).map(|digit| values.iter().map(|value| value >> (4 * digit) & 15).collect()).collect()
}

fn joined(digits: &[Vec<i64>]) -> Vec<i64> {
    (0..digits[0].len())
        .map(|slot| digits.iter().rev().fold(0, |value, digit| 16 * value + digit[slot]))
        .collect()
}

/// The quotients and remainders of one batch, held to the plain ones.
fn hold<A: ExactArithmetic>(
    arithmetic: &A,
    encode: &mut impl FnMut(&[i64]) -> A::Value,
    decode: &mut impl FnMut(&A::Value) -> Vec<i64>,
    (a, a_digits): (&[i64], usize),
    (d, d_digits): (&[i64], usize),
) where
    A::Error: std::fmt::Debug,
{
    let division = NibbleDivision::new(&Modulus::new(65537).unwrap(), d_digits).unwrap();
    let mut encoded = |values: &[i64], digits| -> Vec<_> {
        nibbles(values, digits).iter().map(|digit| encode(digit)).collect()
    };
    let (x, y) = (encoded(a, a_digits), encoded(d, d_digits));
    let result = division.divide(arithmetic, &x, &y).unwrap();
    let mut decoded = |digits: &[A::Value]| joined(&digits.iter().map(&mut *decode).collect::<Vec<_>>());
    let (quotients, remainders) = (decoded(&result.quotient), decoded(&result.remainder));
    for (i, (&a, &d)) in a.iter().zip(d).enumerate() {
        assert_eq!(quotients[i], quotient(a, d), "{a} / {d}");
        assert_eq!(remainders[i], remainder(a, d) % (1 << (4 * d_digits)), "{a} % {d}");
    }
}

fn random(count: usize, bits: usize, seed: u64) -> Vec<i64> {
    let mut state = seed;
    let word = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        // Numbers of all lengths.
        (state >> 33) as i64 & ((1 << (bits - (state >> 60) as usize % bits)) - 1)
    };
    (0..count).map(word).collect()
}

fn hold_plain(a: &[i64], a_digits: usize, d: &[i64], d_digits: usize) {
    let plain = PlainArithmetic::new(Modulus::new(65537).unwrap(), a.len());
    let mut encode = |values: &[i64]| plain.value(values, 100);
    hold(&plain, &mut encode, &mut |value| plain.integers(value), (a, a_digits), (d, d_digits));
}

#[test]
fn every_plain_quotient_of_one_and_two_digits_is_right() {
    let pairs =
        |count: i64| -> (Vec<i64>, Vec<i64>) { (0..count * count).map(|i| (i / count, i % count)).unzip() };
    let (a, d) = pairs(16);
    hold_plain(&a, 1, &d, 1);
    let a: Vec<i64> = (0..256 * 16).map(|i| i / 16).collect();
    let d: Vec<i64> = (0..256 * 16).map(|i| i % 16).collect();
    hold_plain(&a, 2, &d, 1);
    let (a, d) = pairs(256);
    hold_plain(&a[..1 << 14], 2, &d[..1 << 14], 2);
}

#[test]
fn plain_quotients_of_three_and_four_digits_and_of_unlike_lengths_are_right() {
    for (a_digits, d_digits) in [(3, 3), (4, 4), (4, 1), (4, 2), (2, 3), (5, 4)] {
        let (a, d) = (random(500, 4 * a_digits, 1), random(500, 4 * d_digits, 2));
        hold_plain(&a, a_digits, &d, d_digits);
    }
}

#[test]
fn every_encrypted_quotient_of_one_digit_and_some_of_two_are_right() {
    for (digits, depth) in [(1, 20), (2, 36)] {
        let fixture = std::cell::RefCell::new(Fixture::new(1 << 8, depth, 70 + digits as u8));
        let (a, d) = if digits == 1 {
            (0..256).map(|i| (i / 16, i % 16)).unzip()
        } else {
            (random(256, 8, 3), random(256, 8, 4))
        };
        let evaluator = fixture.borrow().evaluator.clone();
        hold(
            &evaluator,
            &mut |values| fixture.borrow_mut().encrypt(values),
            &mut |value| fixture.borrow().decrypt(value),
            (&a, digits),
            (&d, digits),
        );
    }
}

#[test]
fn depth_grows_with_the_digits_as_promised() {
    for (a_digits, d_digits, depth) in [(1, 1, 11), (2, 2, 21), (3, 3, 30), (4, 4, 43)] {
        let division = NibbleDivision::new(&Modulus::new(65537).unwrap(), d_digits).unwrap();
        let counter = CostCounter::new(65537u32);
        let inputs = |count| vec![counter.input(); count];
        let Ok(_) = division.divide(&counter, &inputs(a_digits), &inputs(d_digits));
        let log2 = |n: usize| n.next_power_of_two().ilog2() as usize;
        let cost = counter.cost();
        assert_eq!(cost.depth, depth);
        assert!(depth <= 5 + 2 * log2(d_digits) + a_digits * (6 + log2(d_digits + 1)));
        let products = cost.total().products;
        let bound = 15 * (16 * d_digits + a_digits * (d_digits + 1) * 20);
        assert!(products <= bound, "{a_digits} by {d_digits}: {products}");
    }
}
