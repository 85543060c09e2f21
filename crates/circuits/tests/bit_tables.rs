//! Functions of two numbers of encrypted bits, on plain numbers and encrypted, against the functions themselves.

use asanoha_bgv::BgvCiphertext;
use asanoha_circuits::{
    BitTable, CostCounter, ExactArithmetic, PlainArithmetic, PlainValue, TableError, division::quotient,
};
use asanoha_ring::Modulus;

use crate::common::Fixture;

/// All pairs of numbers of the given bits.
fn pairs(left_bits: u32, right_bits: u32) -> (Vec<i64>, Vec<i64>) {
    (0..1i64 << (left_bits + right_bits)).map(|i| (i >> right_bits, i & ((1 << right_bits) - 1))).unzip()
}

fn bits_of(values: &[i64], bits: u32) -> Vec<Vec<i64>> {
    (0..bits).map(|bit| values.iter().map(|value| value >> bit & 1).collect()).collect()
}

/// The lowest bits of f on all pairs, by the table on plain numbers, and the depth.
fn hold_plain(t: u64, widths: [u32; 3], f: fn(i64, i64) -> i64) -> usize {
    let [left_bits, right_bits, output_bits] = widths;
    let (a, b) = pairs(left_bits, right_bits);
    let plain = PlainArithmetic::new(Modulus::new(t).unwrap(), a.len());
    let encode = |values: &[i64], bits: u32| -> Vec<PlainValue> {
        bits_of(values, bits).iter().map(|bits| plain.value(bits, 20)).collect()
    };
    let table = BitTable::new(left_bits, right_bits, output_bits, f).unwrap();
    let outputs = table.apply(&plain, &encode(&a, left_bits), &encode(&b, right_bits)).unwrap();
    assert_eq!(outputs.len(), output_bits as usize);
    for (bit, output) in outputs.iter().enumerate() {
        for ((&a, &b), &value) in a.iter().zip(&b).zip(&output.slots) {
            assert_eq!(value as i64, f(a, b) >> bit & 1, "bit {bit} of f({a}, {b}) modulo {t}");
        }
    }
    let counter = CostCounter::new(t);
    let inputs = |bits: u32| vec![counter.input(); bits as usize];
    let Ok(_) = table.apply(&counter, &inputs(left_bits), &inputs(right_bits));
    let depth = outputs.iter().map(|output| 20 - output.level).max().unwrap();
    assert_eq!(counter.cost().depth, depth);
    depth
}

#[test]
fn quotients_of_bits_are_right_in_three_levels_up_to_four_bits_and_in_four_up_to_eight() {
    for (bits, depth) in [(1, 1), (2, 2), (3, 3), (4, 3), (5, 4), (6, 4)] {
        assert_eq!(hold_plain(65537, [bits; 3], quotient), depth, "{bits}");
    }
}

#[test]
#[ignore = "slow"]
fn quotients_of_seven_and_eight_bits_are_right_in_four_levels() {
    for bits in [7, 8] {
        assert_eq!(hold_plain(65537, [bits; 3], quotient), 4, "{bits}");
    }
}

#[test]
fn any_function_of_two_widths_is_right_modulo_small_and_large_primes() {
    let functions: [fn(i64, i64) -> i64; 5] =
        [|a, b| a * b, |a, b| a - b, |a, b| i64::from(a < b), |_, b| b, |_, _| 2];
    for widths in [[3, 3, 6], [4, 2, 5], [1, 5, 3], [5, 3, 1]] {
        for (t, f) in [3, 65537].into_iter().flat_map(|t| functions.map(|f| (t, f))) {
            hold_plain(t, widths, f);
        }
    }
}

#[test]
fn products_are_one_for_each_pair_of_indicators_and_bilinear_forms_one_for_each_output() {
    for bits in 2..=8u32 {
        let table = BitTable::new(bits, bits, bits, quotient).unwrap();
        let counter = CostCounter::new(65537u32);
        let inputs = vec![counter.input(); bits as usize];
        let Ok(outputs) = table.apply(&counter, &inputs, &inputs);
        let total = counter.cost().total();
        let width = bits as usize;
        assert_eq!(total.products, 2 * ((1 << width) - 1 - width) + width);
        // Bit k is one of ⌊⌊a/2^k⌋/b⌋, so that 2^(l−k) − 1 sums of indicators are left of each operand.
        assert_eq!(total.tensor_products, (1..=width).map(|rest| (1 << rest) - 1).sum::<usize>());
        assert_eq!(outputs.len(), width);
    }
}

#[test]
fn tables_of_no_bits_or_too_many_are_refused() {
    let refused = BitTable::new(11, 3, 1, |a, b| a + b).unwrap_err();
    assert!(matches!(refused, TableError::TooLarge { rows: 2048, columns: 8, largest: 1024 }), "{refused}");
    assert!(BitTable::new(70, 3, 1, |a, b| a + b).is_err());
}

/// Quotients on the given pairs, encrypted.
fn hold_encrypted(fixture: &mut Fixture, bits: u32, (a, d): (&[i64], &[i64])) {
    let mut encrypt = |values: &[i64]| -> Vec<BgvCiphertext> {
        bits_of(values, bits).iter().map(|bits| fixture.encrypt(bits)).collect()
    };
    let (x, y) = (encrypt(a), encrypt(d));
    let table = BitTable::new(bits, bits, bits, quotient).unwrap();
    let quotients = table.apply(&fixture.evaluator, &x, &y).unwrap();
    let decrypted: Vec<Vec<i64>> = quotients.iter().map(|bit| fixture.decrypt(bit)).collect();
    let t = fixture.evaluator.modulus();
    for (slot, (&a, &d)) in a.iter().zip(d).enumerate() {
        let bit = |(place, bits): (usize, &Vec<i64>)| {
            let bit = if t == 2u32.into() { bits[slot] & 1 } else { bits[slot] };
            bit << place
        };
        assert_eq!(decrypted.iter().enumerate().map(bit).sum::<i64>(), quotient(a, d), "{a} / {d}");
    }
}

#[test]
fn all_encrypted_quotients_of_four_bits_are_right() {
    let (a, d) = pairs(4, 4);
    hold_encrypted(&mut Fixture::new(1 << 8, 7, 60), 4, (&a, &d));
}

#[test]
fn encrypted_quotients_are_right_modulo_two_with_a_number_a_ciphertext() {
    let mut fixture = Fixture::with_modulus(1 << 8, 6, 2, 61);
    let (a, d) = pairs(2, 2);
    for (&a, &d) in a.iter().zip(&d) {
        hold_encrypted(&mut fixture, 2, (&[a], &[d]));
    }
}
