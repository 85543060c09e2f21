//! Every operation against plain vectors, alone and in random circuits.

mod common;

use asanoha_bgv::BgvCiphertext;
use asanoha_lattice::Level;
use asanoha_scheme::{Exact, Scheme, SchemeError};
use asanoha_testkit::TestIntegers;
use common::{House, ROTATIONS, Shape};
use proptest::prelude::*;

fn shape(plaintext_bits: u32) -> Shape {
    Shape { ring_degree: 1 << 6, prime_bits: 46, primes: 6, digits: 3, plaintext_bits }
}

/// Random values and their encryption.
fn sample(house: &mut House, integers: &mut TestIntegers) -> (BgvCiphertext, Vec<i64>) {
    let values = house.values(integers);
    (house.encrypt(&values), values)
}

#[test]
fn rotations_turn_each_row_to_the_left_and_the_swap_swaps_them() {
    for plaintext_bits in [10, 17, 60] {
        let mut house = House::new(shape(plaintext_bits), 1);
        println!("seed 2");
        let (a, values) = sample(&mut house, &mut TestIntegers(2));
        let row = house.params.row_slots().unwrap() as i64;
        for rotation in [1, 2, 5, -3, 0, row, 1 - row, 5 + 7 * row] {
            let rotated = house.evaluator.rotate(&a, rotation).unwrap();
            house.expect(&rotated, &house.rotated(&values, rotation), &format!("rotation by {rotation}"));
        }
        let swapped = house.evaluator.swap_rows(&a).unwrap();
        house.expect(&swapped, &house.swapped(&values), "swap");
    }
}

#[test]
fn hoisted_rotations_equal_single_ones_bit_by_bit() {
    let mut house = House::new(shape(17), 3);
    println!("seed 4");
    let (a, _) = sample(&mut house, &mut TestIntegers(4));
    let rotations = [&ROTATIONS[..], &[0]].concat();
    let hoisted = house.evaluator.rotate_many(&a, &rotations).unwrap();
    assert_eq!(hoisted.len(), rotations.len());
    for (hoisted, rotation) in hoisted.iter().zip(rotations) {
        let single = house.evaluator.rotate(&a, rotation).unwrap();
        assert_eq!(hoisted.state(), single.state());
        for (x, y) in hoisted.rlwe().parts.iter().zip(&single.rlwe().parts) {
            assert_eq!(x.words(), y.words());
        }
    }
}

#[test]
fn ciphertexts_of_different_factors_add_and_subtract() {
    for plaintext_bits in [10, 17, 30, 60] {
        let mut house = House::new(shape(plaintext_bits), 5);
        println!("seed 6");
        let mut integers = TestIntegers(6);
        let ((a, x), (_, y)) = (sample(&mut house, &mut integers), sample(&mut house, &mut integers));
        let switched = house.evaluator.switch_to(&a, Level(3)).unwrap();
        let b = house.encrypt_at(&y, Level(3));
        assert_ne!(switched.message(), b.message());
        for (left, right, x, y) in [(&switched, &b, &x, &y), (&b, &switched, &y, &x)] {
            let sum = house.evaluator.add(left, right).unwrap();
            house.expect(&sum, &house.zip(x, y, |x, y| x + y), "sum");
            let difference = house.evaluator.sub(left, right).unwrap();
            house.expect(&difference, &house.zip(x, y, |x, y| x - y), "difference");
            // Both multipliers are about √t: far from a whole factor t.
            let larger = left.noise().max(right.noise()).log2();
            assert!(sum.noise().log2() < larger + f64::from(plaintext_bits) / 2.0 + 2.0);
        }
    }
}

#[test]
fn several_primes_switched_at_once_equal_one_after_another() {
    for plaintext_bits in [10, 17, 30, 60] {
        let mut house = House::new(shape(plaintext_bits), 7);
        println!("seed 8");
        let (a, values) = sample(&mut house, &mut TestIntegers(8));
        let product = house.evaluator.multiply_without_relinearise(&a, &a).unwrap();
        let squares = house.zip(&values, &values, |x, y| x * y);
        for (a, values) in [(a, values), (product, squares)] {
            let at_once = house.evaluator.switch_to(&a, Level(2)).unwrap();
            let one_by_one =
                (2..5).rev().fold(a, |a, level| house.evaluator.switch_to(&a, Level(level)).unwrap());
            assert_eq!(at_once.message(), one_by_one.message());
            house.expect(&at_once, &values, "at once");
            house.expect(&one_by_one, &values, "one by one");
        }
    }
}

#[test]
fn squarings_go_on_to_the_lowest_level() {
    for (ring_degree, plaintext_bits, primes, step, lowest) in
        [(1 << 10, 17, 6, 1, 0), (1 << 6, 17, 6, 1, 0), (1 << 8, 30, 9, 1, 1), (1 << 8, 60, 10, 2, 1)]
    {
        let shape = Shape { ring_degree, prime_bits: 46, primes, digits: 3, plaintext_bits };
        let mut house = House::new(shape, 9);
        println!("seed 10");
        let (mut a, mut values) = sample(&mut house, &mut TestIntegers(10));
        let mut squarings = 0;
        while a.level() > Level(lowest) {
            a = house.evaluator.square(&a).unwrap();
            values = house.zip(&values, &values, |x, y| x * y);
            let level = Level(a.level().0.saturating_sub(step).max(lowest));
            a = house.evaluator.switch_to(&a, level).unwrap();
            house.expect(&a, &values, &format!("squaring {squarings} at {:?}", a.level()));
            squarings += 1;
        }
        println!("{squarings} squarings modulo {}", house.params.plaintext_modulus());
        assert!(squarings >= 4);
    }
}

#[test]
fn a_sum_of_products_needs_one_relinearisation() {
    let mut house = House::new(shape(30), 11);
    println!("seed 12");
    let mut integers = TestIntegers(12);
    let ((a, x), (b, y)) = (sample(&mut house, &mut integers), sample(&mut house, &mut integers));
    let evaluator = &house.evaluator;
    let mut sum = evaluator.multiply_without_relinearise(&a, &b).unwrap();
    evaluator.add_assign(&mut sum, &evaluator.multiply_without_relinearise(&a, &a).unwrap()).unwrap();
    evaluator.sub_assign(&mut sum, &b).unwrap();
    let expected: Vec<i64> =
        house.zip(&house.zip(&x, &y, |x, y| x * y), &house.zip(&x, &x, |x, y| x * y), |x, y| x + y);
    let expected = house.zip(&expected, &y, |x, y| x - y);
    house.expect(&sum, &expected, "three parts");
    assert_eq!(evaluator.multiply(&sum, &b).unwrap_err(), SchemeError::NotRelinearised { parts: 3 });
    assert_eq!(evaluator.rotate(&sum, 1).unwrap_err(), SchemeError::NotRelinearised { parts: 3 });
    let sum = evaluator.relinearise(sum).unwrap();
    assert_eq!(sum.rlwe().parts.len(), 2);
    house.expect(&sum, &expected, "two parts");
}

/// One step of a random circuit on a pool of two ciphertexts.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add,
    Sub,
    Neg,
    AddPlain,
    SubPlain,
    MulPlain,
    AddConstant(i64),
    MulConstant(i64),
    Multiply,
    Square,
    Switch(usize),
    Rotate(usize),
    SwapRows,
    Exchange,
}

fn step() -> impl Strategy<Value = Step> {
    let constant = prop_oneof![-9i64..10, any::<i64>()];
    prop_oneof![
        Just(Step::Add),
        Just(Step::Sub),
        Just(Step::Neg),
        Just(Step::AddPlain),
        Just(Step::SubPlain),
        Just(Step::MulPlain),
        constant.clone().prop_map(Step::AddConstant),
        constant.prop_map(Step::MulConstant),
        Just(Step::Multiply),
        Just(Step::Square),
        (1usize..3).prop_map(Step::Switch),
        (0usize..4).prop_map(Step::Rotate),
        Just(Step::SwapRows),
        Just(Step::Exchange),
    ]
}

struct Pool {
    a: (BgvCiphertext, Vec<i64>),
    b: (BgvCiphertext, Vec<i64>),
}

impl Pool {
    /// Brings both to the lower level.
    fn align(&mut self, house: &House) -> Result<(), SchemeError> {
        let level = self.a.0.level().min(self.b.0.level());
        for (ciphertext, _) in [&mut self.a, &mut self.b] {
            *ciphertext = house.evaluator.switch_to(ciphertext, level)?;
        }
        Ok(())
    }

    fn apply(&mut self, house: &House, step: Step, integers: &mut TestIntegers) -> Result<(), SchemeError> {
        let e = &house.evaluator;
        if matches!(step, Step::Add | Step::Sub | Step::Multiply) {
            self.align(house)?;
        }
        let ((a, x), (b, y)) = (&self.a, &self.b);
        let m = house.values(integers);
        let plain = house.encoder.encode(&m, a.level())?;
        let with = |c: i64| vec![c; x.len()];
        let (ciphertext, values) = match step {
            Step::Add => (e.add(a, b)?, house.zip(x, y, |x, y| x + y)),
            Step::Sub => (e.sub(a, b)?, house.zip(x, y, |x, y| x - y)),
            Step::Neg => (e.neg(a), house.zip(x, x, |x, _| -x)),
            Step::AddPlain => (e.add_plain(a, &plain)?, house.zip(x, &m, |x, y| x + y)),
            Step::SubPlain => (e.sub_plain(a, &plain)?, house.zip(x, &m, |x, y| x - y)),
            Step::MulPlain => (e.mul_plain(a, &plain)?, house.zip(x, &m, |x, y| x * y)),
            Step::AddConstant(c) => (e.add_constant(a, c)?, house.zip(x, &with(c), |x, y| x + y)),
            Step::MulConstant(c) => (e.mul_constant(a, c)?, house.zip(x, &with(c), |x, y| x * y)),
            Step::Multiply => (e.multiply(a, b)?, house.zip(x, y, |x, y| x * y)),
            Step::Square => (e.square(a)?, house.zip(x, x, |x, y| x * y)),
            Step::Switch(by) => {
                let level = Level(a.level().0.saturating_sub(by));
                (e.switch_to(a, level)?, x.clone())
            }
            Step::Rotate(i) => (e.rotate(a, ROTATIONS[i])?, house.rotated(x, ROTATIONS[i])),
            Step::SwapRows => (e.swap_rows(a)?, house.swapped(x)),
            Step::Exchange => {
                std::mem::swap(&mut self.a, &mut self.b);
                return Ok(());
            }
        };
        self.a = (ciphertext, values);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_circuits_decrypt_to_the_plain_result_within_the_predicted_noise(
        seed: u64,
        plaintext_bits in prop::sample::select(vec![9u32, 10, 17, 30, 60]),
        digits in prop::sample::select(vec![1usize, 2, 3, 6]),
        steps in prop::collection::vec(step(), 1..24),
    ) {
        println!("seed {seed}");
        let mut house = House::new(Shape { digits, ..shape(plaintext_bits) }, seed);
        let mut integers = TestIntegers(seed);
        let mut pool = Pool { a: sample(&mut house, &mut integers), b: sample(&mut house, &mut integers) };
        for step in steps {
            match pool.apply(&house, step, &mut integers) {
                Ok(()) => house.expect(&pool.a.0, &pool.a.1, &format!("seed {seed}, {step:?}")),
                // The pool stands as before.
                Err(SchemeError::OutOfModulus { needed_bits: noise_bits, available_bits, .. }) => {
                    prop_assert!(noise_bits >= available_bits);
                }
                Err(other) => panic!("seed {seed}, {step:?}: {other}"),
            }
        }
    }
}
