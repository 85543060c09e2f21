//! The published integer-wise algorithms and bit-wise division, on plain numbers and encrypted.

use asanoha_circuits::{
    CostCounter, ExactArithmetic, PlainArithmetic, TableError,
    division::{
        CacheError, Interpolations, PaperComparison, PaperFunction, divide_bits, next_prime, quotient,
    },
};
use asanoha_ring::Modulus;

use crate::common::House;

fn prime(bits: u32) -> Modulus {
    Modulus::new(next_prime(bits)).unwrap()
}

/// All pairs of residues.
fn pairs(p: i64) -> (Vec<i64>, Vec<i64>) {
    (0..p * p).map(|i| (i / p, i % p)).unzip()
}

fn depth_of_powers(p: u64) -> usize {
    (p - 1).next_power_of_two().ilog2() as usize
}

fn all_quotients(bits: u32) {
    let p = prime(bits);
    let (a, d) = pairs(p.value() as i64);
    let plain = PlainArithmetic::new(p, a.len());
    let division = PaperFunction::division(&p).unwrap();
    let result = division.apply(&plain, &plain.value(&a, 20), &plain.value(&d, 20)).unwrap();
    assert_eq!(20 - result.level, depth_of_powers(p.value()) + 1);
    let counter = CostCounter::new(p.value());
    let Ok(_) = division.apply(&counter, &counter.input(), &counter.input());
    let cost = counter.cost();
    assert_eq!(cost.depth, 20 - result.level);
    assert_eq!(cost.total().products, 3 * p.value() as usize - 4);
    assert_eq!(cost.total().constant_products, 2 * (p.value() as usize).pow(2));
    for ((&a, &d), &value) in a.iter().zip(&d).zip(&result.slots) {
        assert_eq!(value as i64, quotient(a, d), "{a} / {d} modulo {}", p.value());
    }
}

#[test]
fn every_quotient_of_four_to_six_bits_is_right_over_the_next_prime() {
    (4..=6).for_each(all_quotients);
}

#[test]
#[ignore = "slow"]
fn every_quotient_of_seven_and_eight_bits_is_right_over_the_next_prime() {
    (7..=8).for_each(all_quotients);
}

#[test]
fn any_function_is_right_on_all_operands() {
    let p = prime(4);
    let (a, b) = pairs(17);
    let plain = PlainArithmetic::new(p, a.len());
    let (x, y) = (plain.value(&a, 9), plain.value(&b, 9));
    for g in [|a, b| a * b + 3, |a: i64, b: i64| a.pow(3) - 7 * b + 1, |a: i64, b| i64::from(a == b)] {
        let result = PaperFunction::new(&p, g).unwrap().apply(&plain, &x, &y).unwrap();
        for ((&a, &b), &value) in a.iter().zip(&b).zip(&result.slots) {
            assert_eq!(value as i64, g(a, b).rem_euclid(17), "of {a} and {b}");
        }
    }
}

#[test]
fn comparisons_are_right_for_operands_up_to_half_of_the_prime() {
    for bits in 4..=6 {
        let p = prime(bits);
        let (a, b) = pairs(p.value() as i64 / 2 + 1);
        let plain = PlainArithmetic::new(p, a.len());
        let comparison = PaperComparison::new(&p).unwrap();
        let result = comparison.apply(&plain, &plain.value(&a, 9), &plain.value(&b, 9)).unwrap();
        assert!(a.iter().zip(&b).map(|(a, b)| u64::from(a < b)).eq(result.slots));
    }
}

#[test]
fn the_paper_s_examples_have_the_paper_s_coefficients() {
    let p = Modulus::new(7).unwrap();
    let divisions = Interpolations::new(&p, quotient).unwrap();
    let centred = |row: &[u64]| row.iter().map(|&c| p.centre(c)).collect::<Vec<_>>();
    assert_eq!(centred(divisions.row(2)), [0, -2, 0, 3, 0, 1, -2]);
    let equalities = Interpolations::new(&p, |x, y| i64::from(x == y)).unwrap();
    assert_eq!(centred(equalities.row(3)), [0, 2, 3, 1, -2, -3, -1]);
}

#[test]
fn encrypted_quotients_and_comparisons_over_small_primes_are_right() {
    for (bits, batches) in [(4, 37), (5, 3), (6, 2), (7, 1), (8, 1)] {
        let p = prime(bits);
        let mut house = House::with_modulus(1 << 9, 11, p.value(), bits as u8);
        let division = PaperFunction::division(&p).unwrap();
        let comparison = PaperComparison::new(&p).unwrap();
        // As many values as the prime has slots, or one constant polynomial where it has none.
        let slots = if house.slots() == 1 << 9 { 1 } else { house.slots() };
        let (a, d) = pairs(p.value() as i64);
        let count = if batches * slots >= a.len() { a.len() } else { batches * slots };
        // Spread over all pairs where not all are taken.
        let chosen: Vec<usize> = (0..count).map(|i| (i * (a.len() / count)) % a.len()).collect();
        for chosen in chosen.chunks(slots) {
            let (a, d): (Vec<i64>, Vec<i64>) = chosen.iter().map(|&i| (a[i], d[i])).unzip();
            let centred =
                |values: &[i64]| -> Vec<i64> { values.iter().map(|&value| p.centre(value as u64)).collect() };
            let (x, y) = (house.encrypt(&centred(&a)), house.encrypt(&centred(&d)));
            let quotients = house.decrypt(&division.apply(&house.evaluator, &x, &y).unwrap());
            let less = house.decrypt(&comparison.apply(&house.evaluator, &x, &y).unwrap());
            for (i, (&a, &d)) in a.iter().zip(&d).enumerate() {
                assert_eq!(quotients[i].rem_euclid(p.value() as i64), quotient(a, d), "{a} / {d}");
                if (a - d).unsigned_abs() <= p.value() / 2 {
                    assert_eq!(less[i], i64::from(a < d), "{a} < {d}");
                }
            }
        }
    }
}

#[test]
fn coefficients_are_read_back_from_their_file_and_damaged_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let p = prime(4);
    let computed = Interpolations::new(&p, quotient).unwrap();
    assert_eq!(Interpolations::cached(&p, quotient, folder.path()).unwrap(), computed);
    let file = |count: usize| {
        let files: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), count);
        files[0].clone()
    };
    let path = file(1);
    assert_eq!(Interpolations::cached(&p, quotient, folder.path()).unwrap(), computed);
    // Another function has another file.
    let other = Interpolations::cached(&p, |x, y| x + y, folder.path()).unwrap();
    assert_ne!(other, computed);
    file(2);

    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let refused = Interpolations::cached(&p, quotient, folder.path()).unwrap_err();
    assert!(matches!(refused, CacheError::File(_)), "{refused}");
    assert!(refused.to_string().contains("delete the file"), "{refused}");
    let nowhere = Interpolations::cached(&p, quotient, &folder.path().join("missing")).unwrap_err();
    assert!(matches!(nowhere, CacheError::File(_)), "{nowhere}");
    let large = Modulus::new(65537).unwrap();
    assert!(matches!(Interpolations::new(&large, quotient).unwrap_err(), TableError::TooLarge { .. }));
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
    let mut house = House::new(1 << 8, 12, 60);
    let pad = |mut values: Vec<i64>| {
        values.resize(1 << 8, 0);
        values
    };
    let mut encrypt = |values: &[i64]| -> Vec<_> {
        bits_of(values, bits).into_iter().map(|bits| house.encrypt(&pad(bits))).collect()
    };
    let (x, y) = (encrypt(&a), encrypt(&d));
    let quotients = divide_bits(&house.evaluator, &x, &y).unwrap();
    let decrypted: Vec<Vec<i64>> = quotients.iter().map(|bit| house.decrypt(bit)).collect();
    for (i, (&a, &d)) in a.iter().zip(&d).enumerate() {
        assert_eq!(decrypted[0][i] + 2 * decrypted[1][i], expected(a, d), "{a} / {d}");
    }

    // Modulo two a plaintext holds coefficients: one number a ciphertext.
    let mut house = House::with_modulus(1 << 8, 10, 2, 61);
    for (&a, &d) in a.iter().zip(&d) {
        let mut encrypt =
            |value: i64| -> Vec<_> { bits_of(&[value], bits).iter().map(|bit| house.encrypt(bit)).collect() };
        let (x, y) = (encrypt(a), encrypt(d));
        let quotients = divide_bits(&house.evaluator, &x, &y).unwrap();
        let value: i64 = quotients.iter().zip([1, 2]).map(|(bit, w)| w * (house.decrypt(bit)[0] & 1)).sum();
        assert_eq!(value, expected(a, d), "{a} / {d}");
    }
    assert_eq!(house.evaluator.modulus(), 2u32.into());
}
