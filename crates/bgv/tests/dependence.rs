//! Circuits that use their own values again and again, whose noises depend on one another.

mod common;

use asanoha_bgv::BgvCiphertext;
use asanoha_scheme::SchemeError;
use asanoha_testkit::TestIntegers;
use common::{House, Shape};

/// A ciphertext and its values.
type Known = (BgvCiphertext, Vec<i64>);

/// The next of two values of a circuit that repeats its own as often as it can: powers, sums of equal terms and of one
/// ciphertext's rotations, weights of zero, differences that cancel, forms and products of the same operands.
fn repeat(house: &House, x: &Known, a: &Known, b: &Known, choice: u64) -> Result<Known, SchemeError> {
    let e = &house.evaluator;
    let times = |x: &[i64], y: &[i64]| house.zip(x, y, |x, y| x * y);
    let sum = |x: &[i64], y: &[i64]| house.zip(x, y, |x, y| x + y);
    let ((x, u), (a, v), (b, w)) = (x, a, b);
    let level = a.level().min(b.level());
    let (x, a, b) = (&*e.lowered(x, level)?, &*e.lowered(a, level)?, &*e.lowered(b, level)?);
    let rotation = common::ROTATIONS[(choice / 16 % 4) as usize];
    Ok(match choice % 10 {
        0 => (e.multiply_settled(a, x)?, times(v, u)),
        1 => (e.multiply_settled(a, a)?, times(v, v)),
        2 => (e.add(a, a)?, sum(v, v)),
        3 => (e.add(a, &e.rotate(a, rotation)?)?, sum(v, &house.rotated(v, rotation))),
        4 => (e.add(x, &e.mul_constant(b, 0)?)?, u.clone()),
        5 => (e.weighted_sum(&[a, b, a], &[1, 0, 2])?, house.zip(v, v, |v, _| v * 3)),
        6 => {
            let next = e.multiply_settled(a, &e.add_constant(b, 1)?)?;
            let product = e.multiply_settled(a, b)?;
            let level = next.level().min(product.level());
            (e.sub(&*e.lowered(&next, level)?, &*e.lowered(&product, level)?)?, v.clone())
        }
        7 => (e.bilinear_form(&[a, a], &[1, 1, 0, 1], &[a, x])?, house.zip(v, u, |v, u| v * v + v * u * 2)),
        8 => {
            let image = e.swap_rows(a)?;
            (e.multiply_settled(a, &image)?, times(v, &house.swapped(v)))
        }
        _ => (e.multiply_settled(a, b)?, times(v, w)),
    })
}

#[test]
#[ignore = "slow"]
fn circuits_that_repeat_their_values_stay_within_their_bounds_under_a_thousand_keys() {
    const KEYS: u64 = 1200;
    let mut worst = (f64::NEG_INFINITY, 0);
    let mut operations = 0;
    for seed in 0..KEYS {
        let shape = Shape { ring_degree: 1 << 4, prime_bits: 40, primes: 10, digits: 3, plaintext_bits: 17 };
        let mut house = House::new(shape, seed);
        let mut integers = TestIntegers(seed);
        let values = house.values(&mut integers);
        let x = (house.encrypt(&values), values);
        let (mut a, mut b) = (x.clone(), x.clone());
        for step in 0..40 {
            match repeat(&house, &x, &a, &b, integers.word() >> 8) {
                Ok(next) => {
                    house.expect(&next.0, &next.1, &format!("seed {seed}, step {step}"));
                    operations += 1;
                    let excess = house.norm_bits(&next.0) - next.0.noise().log2();
                    worst = if excess > worst.0 { (excess, seed) } else { worst };
                    b = std::mem::replace(&mut a, next);
                }
                Err(SchemeError::OutOfModulus { .. }) => (a, b) = (x.clone(), a),
                Err(other) => panic!("seed {seed}, step {step}: {other}"),
            }
        }
    }
    println!(
        "BGV, {KEYS} keys, {operations} operations: at most 2^{:.2} of the bound, seed {}",
        worst.0, worst.1
    );
}
