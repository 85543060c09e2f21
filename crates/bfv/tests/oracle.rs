//! Random circuits: ciphertexts decrypt to what plain arithmetic gives, within the predicted noise.

mod common;

use asanoha_bfv::BfvCiphertext;
use asanoha_lattice::Level;
use asanoha_scheme::{Scheme, SchemeError};
use asanoha_testkit::TestIntegers;
use common::{House, ROTATIONS, Shape, moduli};
use num_bigint::BigInt;
use proptest::prelude::*;

fn sample(house: &mut House, integers: &mut TestIntegers) -> (BfvCiphertext, Vec<BigInt>) {
    let values = house.values(integers);
    (house.encrypt(&values), values)
}

#[derive(Clone, Debug)]
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
    SumOfProducts,
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
        Just(Step::SumOfProducts),
        Just(Step::Square),
        (1usize..3).prop_map(Step::Switch),
        (0usize..4).prop_map(Step::Rotate),
        Just(Step::SwapRows),
        Just(Step::Exchange),
    ]
}

struct Pool {
    a: (BfvCiphertext, Vec<BigInt>),
    b: (BfvCiphertext, Vec<BigInt>),
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

    fn apply(&mut self, house: &House, step: &Step, integers: &mut TestIntegers) -> Result<(), SchemeError> {
        let e = &house.evaluator;
        if matches!(step, Step::Add | Step::Sub | Step::Multiply | Step::SumOfProducts) {
            self.align(house)?;
        }
        let ((a, x), (b, y)) = (&self.a, &self.b);
        let m = house.values(integers);
        let plain = house.encode(&m, a.level());
        let (ciphertext, values) = match *step {
            Step::Add => (e.add(a, b)?, house.zip(x, y, |x, y| x + y)),
            Step::Sub => (e.sub(a, b)?, house.zip(x, y, |x, y| x - y)),
            Step::Neg => (e.neg(a), house.zip(x, x, |x, _| -x)),
            Step::AddPlain => (e.add_plain(a, &plain)?, house.zip(x, &m, |x, y| x + y)),
            Step::SubPlain => (e.sub_plain(a, &plain)?, house.zip(x, &m, |x, y| x - y)),
            Step::MulPlain => (e.mul_plain(a, &plain)?, house.product(x, &m)),
            Step::AddConstant(c) => (e.add_constant(a, c)?, house.plus_constant(x, &c.into())),
            Step::MulConstant(c) => (e.mul_constant(a, c)?, house.zip(x, x, |x, _| x * c)),
            Step::Multiply => (e.multiply(a, b)?, house.product(x, y)),
            Step::SumOfProducts => {
                let mut sum = e.multiply_without_relinearise(a, b)?;
                e.add_assign(&mut sum, &e.square_without_relinearise(b)?)?;
                e.sub_assign(&mut sum, a)?;
                let values = house.zip(&house.product(x, y), &house.product(y, y), |x, y| x + y);
                let values = house.zip(&values, x, |sum, x| sum - x);
                house.expect(&sum, &values, "three parts");
                (e.relinearise(sum)?, values)
            }
            Step::Square => (e.square(a)?, house.product(x, x)),
            Step::Switch(by) => {
                let level = Level(a.level().0.saturating_sub(by));
                (e.switch_to(a, level)?, x.clone())
            }
            Step::Rotate(_) | Step::SwapRows if house.params.row_slots().is_none() => {
                assert_eq!(e.rotate(a, 1).unwrap_err(), SchemeError::NoSlots);
                assert_eq!(e.swap_rows(a).unwrap_err(), SchemeError::NoSlots);
                return Ok(());
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
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn random_circuits_decrypt_to_the_plain_result_within_the_predicted_noise(
        seed: u64,
        modulus in prop::sample::select(moduli()),
        digits in 1usize..4,
        steps in prop::collection::vec(step(), 1..24),
    ) {
        println!("seed {seed}");
        let mut house = House::new(&Shape { digits, ..Shape::of(modulus) }, seed);
        let mut integers = TestIntegers(seed);
        let mut pool = Pool { a: sample(&mut house, &mut integers), b: sample(&mut house, &mut integers) };
        for step in steps {
            match pool.apply(&house, &step, &mut integers) {
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
