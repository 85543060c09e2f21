//! Division, comparison and tables of two variables, encrypted, on every pair of operands.

use asanoha_bgv::BgvCiphertext;
use asanoha_circuits::{
    BinaryFunction, Comparison, Domain, MAX_TABLE_SIDE, Output, Powers, Schedule, TableError,
    TwoVariableTable, division::quotient,
};
use asanoha_ring::Modulus;

use crate::common::Fixture;

fn modulus() -> Modulus {
    Modulus::new(65537).unwrap()
}

/// All pairs (a, b) of a domain's integers, a batch of slots at a time: b runs through all in every batch.
fn batches(domain: &Domain, slots: usize) -> (Vec<Vec<i64>>, Vec<i64>) {
    let values: Vec<i64> = domain.range().collect();
    assert!(slots.is_multiple_of(values.len()));
    let right = values.iter().copied().cycle().take(slots).collect();
    let batch = |left: &[i64]| (0..slots).map(|slot| left[slot / values.len() % left.len()]).collect();
    (values.chunks(slots / values.len()).map(batch).collect(), right)
}

fn points(domain: &Domain, values: &[i64]) -> Vec<i64> {
    values.iter().map(|&value| domain.encode(value).unwrap()).collect()
}

/// Holds f on all pairs to its plain values, and `evaluate` to a depth.
fn hold(
    fixture: &mut Fixture,
    domain: &Domain,
    depth: usize,
    f: impl Fn(i64, i64) -> i64,
    evaluate: impl Fn(&Fixture, &BgvCiphertext, &BgvCiphertext) -> BgvCiphertext,
) {
    let (left, right) = batches(domain, fixture.slots());
    let y = fixture.encrypt(&points(domain, &right));
    for left in left {
        let x = fixture.encrypt(&points(domain, &left));
        let result = evaluate(fixture, &x, &y);
        assert_eq!(x.level().0 - result.level().0, depth);
        for ((&a, &b), value) in left.iter().zip(&right).zip(fixture.decrypt(&result)) {
            assert_eq!(value, f(a, b), "of {a} and {b}");
        }
    }
}

fn all_quotients(bits: usize, ring_degree: usize) {
    let mut fixture = Fixture::new(ring_degree, bits + 1, bits as u8);
    let domain = Domain::integers(&modulus(), 0..=(1 << bits) - 1).unwrap();
    let table = TwoVariableTable::new(&domain, &domain, &Output::Integer, quotient).unwrap();
    hold(&mut fixture, &domain, bits + 1, quotient, |fixture, x, y| {
        table.apply(&fixture.evaluator, x, y).unwrap()
    });
}

#[test]
fn every_quotient_of_four_to_six_bits_is_right_in_one_level_more_than_bits() {
    for (bits, ring_degree) in [(4, 1 << 8), (5, 1 << 9), (6, 1 << 10)] {
        all_quotients(bits, ring_degree);
    }
}

#[test]
fn every_quotient_of_seven_bits_is_right_in_one_level_more_than_bits() {
    all_quotients(7, 1 << 10);
}

#[test]
#[ignore = "slow"]
fn every_quotient_of_eight_bits_is_right_in_one_level_more_than_bits() {
    all_quotients(8, 1 << 10);
}

#[test]
fn every_named_function_of_signed_integers_is_right_in_both_encodings() {
    let mut fixture = Fixture::new(1 << 8, 5, 20);
    let modulus = modulus();
    for domain in [Domain::integers(&modulus, -8..=7), Domain::roots(&modulus, -8..=7)].map(Result::unwrap) {
        for function in BinaryFunction::ALL {
            let f = |a, b| function.value(a, b);
            let table = TwoVariableTable::new(&domain, &domain, &Output::Integer, f).unwrap();
            hold(&mut fixture, &domain, 5, f, |fixture, x, y| table.apply(&fixture.evaluator, x, y).unwrap());
        }
    }
}

#[test]
fn every_comparison_by_differences_is_right() {
    let mut fixture = Fixture::new(1 << 8, 6, 30);
    let domain = Domain::integers(&modulus(), -5..=10).unwrap();
    for function in BinaryFunction::ALL {
        let comparison = match Comparison::new(&domain, function) {
            Ok(comparison) => comparison,
            Err(error) => {
                assert!(matches!(function, BinaryFunction::Quotient | BinaryFunction::Remainder));
                assert_eq!(error, TableError::NotOfDifference(function));
                continue;
            }
        };
        for (schedule, depth) in [(Schedule::LeastDepth, 5), (Schedule::LeastWork, 6)] {
            hold(
                &mut fixture,
                &domain,
                depth,
                |a, b| function.value(a, b),
                |fixture, x, y| comparison.apply(&fixture.evaluator, x, y, schedule).unwrap(),
            );
        }
    }
}

#[test]
fn random_tables_on_different_domains_share_their_powers() {
    let mut fixture = Fixture::new(1 << 8, 5, 40);
    let modulus = modulus();
    let left = Domain::integers(&modulus, -3..=12).unwrap();
    let right = Domain::roots(&modulus, 100..=106).unwrap();
    let random = |seed: i64| {
        move |a: i64, b: i64| {
            (a * 8191 + b * 131 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) % 32768
        }
    };
    let a: Vec<i64> = (0..256).map(|i| i % 16 - 3).collect();
    let b: Vec<i64> = (0..256).map(|i| 100 + i / 16 % 7).collect();
    let x = fixture.encrypt(&points(&left, &a));
    let y = fixture.encrypt(&points(&right, &b));
    let x = Powers::new(&fixture.evaluator, &x, left.len()).unwrap();
    let y = Powers::new(&fixture.evaluator, &y, right.len()).unwrap();
    for seed in 0..4 {
        let f = random(seed);
        let table = TwoVariableTable::new(&left, &right, &Output::Integer, f).unwrap();
        let result = table.evaluate(&fixture.evaluator, &x, &y).unwrap();
        let swapped = TwoVariableTable::new(&right, &left, &Output::Integer, |b, a| f(a, b)).unwrap();
        let other = swapped.evaluate(&fixture.evaluator, &y, &x).unwrap();
        let expected: Vec<i64> = a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect();
        assert_eq!(fixture.decrypt(&result), expected);
        assert_eq!(fixture.decrypt(&other), expected);
    }
}

#[test]
fn results_in_a_domain_are_operands_of_the_next_function() {
    let mut fixture = Fixture::new(1 << 8, 12, 50);
    let modulus = modulus();
    let domain = Domain::roots(&modulus, 0..=15).unwrap();
    let (left, right) = batches(&domain, fixture.slots());
    let chained = Output::Domain(domain.clone());
    let divide = TwoVariableTable::new(&domain, &domain, &chained, quotient).unwrap();
    let multiply = TwoVariableTable::new(&domain, &domain, &Output::Integer, |a, b| a * b).unwrap();
    let (x, y) = (fixture.encrypt(&points(&domain, &left[0])), fixture.encrypt(&points(&domain, &right)));
    let quotients = divide.apply(&fixture.evaluator, &x, &y).unwrap();
    for ((&a, &b), slot) in left[0].iter().zip(&right).zip(fixture.decrypt(&quotients)) {
        assert_eq!(domain.decode(slot), Some(quotient(a, b)));
    }
    let products = multiply.apply(&fixture.evaluator, &quotients, &y).unwrap();
    for ((&a, &b), value) in left[0].iter().zip(&right).zip(fixture.decrypt(&products)) {
        assert_eq!(value, quotient(a, b) * b);
    }
    let refused = TwoVariableTable::new(&domain, &domain, &chained, |a, b| a + b).unwrap_err();
    assert_eq!(refused.to_string(), "16 is not one of 0 to 15");
}

#[test]
fn tables_too_large_are_refused_with_their_size() {
    let modulus = modulus();
    let domain = Domain::integers(&modulus, 0..=65535).unwrap();
    let refused = TwoVariableTable::new(&domain, &domain, &Output::Integer, |a, _| a).unwrap_err();
    assert_eq!(refused, TableError::TooLarge { rows: 65536, columns: 65536, largest: MAX_TABLE_SIDE });
    assert!(refused.to_string().contains("4294967296 entries"), "{refused}");
    let other = Domain::integers(&Modulus::new(257).unwrap(), 0..=3).unwrap();
    let small = Domain::integers(&modulus, 0..=3).unwrap();
    let refused = TwoVariableTable::new(&small, &other, &Output::Integer, |a, _| a).unwrap_err();
    assert_eq!(refused, TableError::Moduli { left: 65537, right: 257 });
}
