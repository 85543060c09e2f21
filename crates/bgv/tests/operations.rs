//! Every operation alone, and what only BGV has: correction factors, and levels that divide the noise.

use asanoha_bgv::BgvCiphertext;
use asanoha_lattice::Level;
use asanoha_scheme::Exact;
use asanoha_testkit::TestIntegers;

use crate::common;
use crate::common::{Fixture, LiteralShape};

asanoha_testkit::operations_suite!(common::Bgv);

fn shape(plaintext_bits: u32) -> LiteralShape {
    LiteralShape { ring_degree: 1 << 6, prime_bits: 46, primes: 6, digits: 3, plaintext_bits }
}

/// Random values and their encryption.
fn sample(fixture: &mut Fixture, integers: &mut TestIntegers) -> (BgvCiphertext, Vec<i64>) {
    let values = fixture.values(integers);
    (fixture.encrypt(&values), values)
}

#[test]
fn ciphertexts_of_different_factors_add_and_subtract() {
    for plaintext_bits in [10, 17, 30, 60] {
        let mut fixture = Fixture::new(shape(plaintext_bits), 5);
        println!("seed 6");
        let mut integers = TestIntegers(6);
        let ((a, x), (_, y)) = (sample(&mut fixture, &mut integers), sample(&mut fixture, &mut integers));
        let switched = fixture.evaluator.switch_to(&a, Level(3)).unwrap();
        let b = fixture.encrypt_at(&y, Level(3));
        assert_ne!(switched.message(), b.message());
        for (left, right, x, y) in [(&switched, &b, &x, &y), (&b, &switched, &y, &x)] {
            let sum = fixture.evaluator.add(left, right).unwrap();
            fixture.expect(&sum, &fixture.zip(x, y, |x, y| x + y), "sum");
            let difference = fixture.evaluator.sub(left, right).unwrap();
            fixture.expect(&difference, &fixture.zip(x, y, |x, y| x - y), "difference");
            // Both multipliers are about √t: far from a whole factor t.
            let larger = left.noise().max(right.noise()).log2();
            assert!(sum.noise().log2() < larger + f64::from(plaintext_bits) / 2.0 + 2.0);
        }
    }
}

#[test]
fn several_primes_switched_at_once_equal_one_after_another() {
    for plaintext_bits in [10, 17, 30, 60] {
        let mut fixture = Fixture::new(shape(plaintext_bits), 7);
        println!("seed 8");
        let (a, values) = sample(&mut fixture, &mut TestIntegers(8));
        let product = fixture.evaluator.multiply_without_relinearise(&a, &a).unwrap();
        let squares = fixture.zip(&values, &values, |x, y| x * y);
        for (a, values) in [(a, values), (product, squares)] {
            let at_once = fixture.evaluator.switch_to(&a, Level(2)).unwrap();
            let one_by_one =
                (2..5).rev().fold(a, |a, level| fixture.evaluator.switch_to(&a, Level(level)).unwrap());
            assert_eq!(at_once.message(), one_by_one.message());
            fixture.expect(&at_once, &values, "at once");
            fixture.expect(&one_by_one, &values, "one by one");
        }
    }
}

#[test]
fn squarings_go_on_to_the_lowest_level() {
    for (ring_degree, plaintext_bits, primes, step, lowest) in
        [(1 << 10, 17, 6, 1, 0), (1 << 6, 17, 6, 1, 0), (1 << 8, 30, 9, 1, 1), (1 << 8, 60, 10, 2, 1)]
    {
        let shape = LiteralShape { ring_degree, prime_bits: 46, primes, digits: 3, plaintext_bits };
        let mut fixture = Fixture::new(shape, 9);
        println!("seed 10");
        let (mut a, mut values) = sample(&mut fixture, &mut TestIntegers(10));
        let mut squarings = 0;
        while a.level() > Level(lowest) {
            a = fixture.evaluator.square_exact(&a).unwrap();
            values = fixture.zip(&values, &values, |x, y| x * y);
            let level = Level(a.level().0.saturating_sub(step).max(lowest));
            a = fixture.evaluator.switch_to(&a, level).unwrap();
            fixture.expect(&a, &values, &format!("squaring {squarings} at {:?}", a.level()));
            squarings += 1;
        }
        println!("{squarings} squarings modulo {}", fixture.params.plaintext_modulus());
        assert!(squarings >= 4);
    }
}
