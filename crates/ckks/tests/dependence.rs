//! Circuits that use their own values again and again, whose noises depend on one another.

mod common;

use asanoha_ckks::{CkksCiphertext, Complex64, measure};
use asanoha_scheme::SchemeError;
use common::{Case, params, rotated, zip};

/// A ciphertext and its values.
type Known = (CkksCiphertext, Vec<Complex64>);

/// The next of two values of a circuit that repeats its own as often as it can: powers, sums of equal terms and of one
/// ciphertext's rotations, weights of zero, differences that cancel, products with conjugates.
fn repeat(case: &Case, x: &Known, a: &Known, b: &Known, choice: u64) -> Result<Known, SchemeError> {
    let e = &case.evaluator;
    let times = |x: &[Complex64], y: &[Complex64]| zip(x, y, |x, y| x * y);
    let sum = |x: &[Complex64], y: &[Complex64]| zip(x, y, |x, y| x + y);
    let ((x, u), (a, v), (b, w)) = (x, a, b);
    let level = a.level().min(b.level());
    let at = |c: &CkksCiphertext| e.adjust_to(c, level);
    let (x, a, b) = (&at(x)?, &at(a)?, &at(b)?);
    let product = |x: &CkksCiphertext, y: &CkksCiphertext| e.rescale(&e.multiply(x, y)?);
    let rotation = 1 + (choice / 16 % 2) as i64;
    Ok(match choice % 8 {
        0 => (product(a, x)?, times(v, u)),
        1 => (product(a, a)?, times(v, v)),
        2 => (e.add(a, a)?, sum(v, v)),
        3 => (e.add(a, &e.rotate(a, rotation)?)?, sum(v, &rotated(v, rotation))),
        4 => (e.sub(&e.add(x, b)?, b)?, u.clone()),
        5 => {
            let doubled = e.add(b, b)?;
            (e.sub(&product(a, &doubled)?, &product(a, b)?)?, times(v, w))
        }
        6 => (product(a, &e.conjugate(a)?)?, zip(v, v, |v, _| v * v.conjugate())),
        _ => (product(a, b)?, times(v, w)),
    })
}

#[test]
#[ignore = "slow"]
fn circuits_that_repeat_their_values_stay_within_their_bounds_under_a_thousand_keys() {
    const KEYS: u64 = 1200;
    let mut worst = (f64::NEG_INFINITY, 0);
    let mut operations = 0;
    for seed in 0..KEYS {
        let mut case = Case::new(params(1 << 5, 8, 40), &[1, 2], seed);
        let (u, x) = case.random();
        let x = (x, u);
        let (mut a, mut b) = (x.clone(), x.clone());
        for step in 0..40 {
            let choice = case.integers.word() >> 8;
            match repeat(&case, &x, &a, &b, choice) {
                Ok(next) => {
                    let (ciphertext, values) = &next;
                    let measured = measure(&case.secret, ciphertext, values).unwrap();
                    assert!(
                        measured <= ciphertext.noise().to_f64(),
                        "seed {seed}, step {step}: {measured:e}"
                    );
                    operations += 1;
                    let excess = (measured / ciphertext.noise().to_f64()).log2();
                    worst = if excess > worst.0 { (excess, seed) } else { worst };
                    b = std::mem::replace(&mut a, next);
                }
                Err(SchemeError::OutOfModulus { .. } | SchemeError::LevelTooLow(_)) => {
                    (a, b) = (x.clone(), a);
                }
                Err(other) => panic!("seed {seed}, step {step}: {other}"),
            }
        }
    }
    println!(
        "CKKS, {KEYS} keys, {operations} operations: at most 2^{:.2} of the bound, seed {}",
        worst.0, worst.1
    );
}
