//! Tables of one variable, encrypted, up to sixteen bits.

use asanoha_circuits::{CostCounter, Domain, OneVariableTable, Output, Powers, Schedule};
use asanoha_ring::Modulus;

use crate::common::Fixture;

fn modulus() -> Modulus {
    Modulus::new(65537).unwrap()
}

/// Values without a pattern, of seventeen bits.
fn scramble(value: i64) -> i64 {
    (value + 77).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> 48
}

/// Holds a table of random values, on as many of the domain's integers as there are slots.
fn hold(fixture: &mut Fixture, domain: &Domain, schedule: Schedule, depth: usize) {
    let table = OneVariableTable::new(domain, &Output::Integer, scramble).unwrap();
    let (first, count, slots) = (*domain.range().start(), domain.len(), fixture.slots());
    let values: Vec<i64> =
        (0..slots).map(|slot| first + (slot * count / slots.min(count) % count) as i64).collect();
    let points: Vec<i64> = values.iter().map(|&value| domain.encode(value).unwrap()).collect();
    let x = fixture.encrypt(&points);
    let result = table.apply(&fixture.evaluator, &x, schedule).unwrap();
    for (slot, (&value, result)) in values.iter().zip(fixture.decrypt(&result)).enumerate() {
        let expected = modulus().centre(modulus().reduce_i64(scramble(value)));
        assert_eq!(result, expected, "{value} in slot {slot}, {schedule:?}");
    }
    let counter = CostCounter::new(65537u32);
    let Ok(_) = table.apply(&counter, &counter.input(), schedule);
    assert_eq!(counter.cost().depth, depth);
}

#[test]
fn tables_of_eight_bits_are_right_by_both_schedules_and_in_both_encodings() {
    let mut fixture = Fixture::new(1 << 8, 10, 80);
    for domain in [Domain::integers(&modulus(), -128..=127), Domain::roots(&modulus(), 0..=255)] {
        let domain = domain.unwrap();
        hold(&mut fixture, &domain, Schedule::LeastDepth, 8);
        hold(&mut fixture, &domain, Schedule::LeastWork, 9);
    }
}

#[test]
fn tables_of_sixteen_bits_are_right_in_seventeen_levels() {
    let mut fixture = Fixture::new(1 << 10, 17, 81);
    let domain = Domain::integers(&modulus(), 0..=65535).unwrap();
    hold(&mut fixture, &domain, Schedule::LeastWork, 17);
}

#[test]
#[ignore = "slow"]
fn tables_of_sixteen_bits_by_paterson_and_stockmeyer_are_right_in_sixteen_levels() {
    let mut fixture = Fixture::new(1 << 10, 18, 82);
    let domain = Domain::integers(&modulus(), -32768..=32767).unwrap();
    hold(&mut fixture, &domain, Schedule::LeastDepth, 16);
}

#[test]
fn powers_that_are_there_give_any_table_without_a_product() {
    let mut fixture = Fixture::new(1 << 8, 6, 83);
    let domain = Domain::integers(&modulus(), 0..=15).unwrap();
    let values: Vec<i64> = (0..256).map(|slot| slot % 16).collect();
    let x = fixture.encrypt(&values);
    let powers = Powers::new(&fixture.evaluator, &x, 16).unwrap();
    assert_eq!(x.level().0 - powers.level(&fixture.evaluator), 4);
    for factor in [1, 100, -3] {
        let table = OneVariableTable::new(&domain, &Output::Integer, |x| factor * x * x + 1).unwrap();
        let result = table.evaluate(&fixture.evaluator, &powers).unwrap();
        assert_eq!(result.level().0, powers.level(&fixture.evaluator));
        assert!(values.iter().map(|x| factor * x * x + 1).eq(fixture.decrypt(&result)));
    }
}
