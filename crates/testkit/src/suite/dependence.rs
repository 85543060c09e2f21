//! Circuits that use their own values again and again, whose noises depend on one another.

use asanoha_scheme::{Ciphertext, SchemeError};

use crate::{Known, Party, Subject};

/// Makes a test out of every claim of this suite.
#[macro_export]
macro_rules! dependence_suite {
    ($subject:ty) => {
        $crate::claims!($subject: dependence {
            circuits_that_repeat_their_values_stay_within_their_bounds_under_some_keys
            #[ignore = "slow"]
            circuits_that_repeat_their_values_stay_within_their_bounds_under_a_thousand_keys
        });
    };
}

/// The next of two values of a circuit that repeats its own as often as it can: powers, sums of equal terms and of one
/// ciphertext's rotations, weights of zero, differences that cancel, forms and products of the same operands.
fn repeat<T: Subject>(
    party: &Party<T>,
    x: &Known<T>,
    a: &Known<T>,
    b: &Known<T>,
    choice: u64,
) -> Result<Known<T>, SchemeError> {
    let e = &party.evaluator;
    let product = |x: &Ciphertext<T::Scheme>, y: &Ciphertext<T::Scheme>| T::settled_product(e, x, y);
    let ((x, u), (a, v), (b, w)) = (x, a, b);
    let level = a.level().min(b.level());
    let at = |c| T::brought_to(e, c, level);
    let (x, a, b) = (&at(x)?, &at(a)?, &at(b)?);
    let rotation = T::ROTATIONS[(choice / 16 % 4) as usize];
    Ok(match choice % 16 {
        0 => (product(a, x)?, party.product(v, u)),
        1 => (product(a, a)?, party.product(v, v)),
        2 => (e.add(a, a)?, party.sum(v, v)),
        3 => (e.add(a, &e.rotate(a, rotation)?)?, party.sum(v, &party.rotated(v, rotation))),
        4 => {
            let zero = e.mul_constant_exact(b, T::factor(0))?;
            (e.add(x, &zero)?, u.clone())
        }
        5 => {
            let next = product(a, &e.add_constant(b, T::addend(1))?)?;
            let product = product(a, b)?;
            let level = next.level().min(product.level());
            (e.sub(&T::brought_to(e, &next, level)?, &T::brought_to(e, &product, level)?)?, v.clone())
        }
        6 => (e.sub(&e.add(x, b)?, b)?, u.clone()),
        7 => {
            let doubled = product(a, &e.add(b, b)?)?;
            let product = product(a, b)?;
            let level = doubled.level().min(product.level());
            let difference =
                e.sub(&T::brought_to(e, &doubled, level)?, &T::brought_to(e, &product, level)?)?;
            (difference, party.product(v, w))
        }
        8 => (product(a, &e.swap_rows(a)?)?, party.product(v, &party.swapped(v))),
        9 => (product(a, &e.rotate(a, rotation)?)?, party.product(v, &party.rotated(v, rotation))),
        10..15 => match T::own_step(party, choice / 64, [(x, u), (a, v), (b, w)])? {
            Some(next) => next,
            None => (product(a, b)?, party.product(v, w)),
        },
        _ => (product(a, b)?, party.product(v, w)),
    })
}

fn hold<T: Subject>(keys: std::ops::Range<u64>) {
    let mut worst = (f64::NEG_INFINITY, 0);
    let mut operations = 0;
    let count = keys.end - keys.start;
    for seed in keys {
        let mut party = Party::<T>::new(T::deep(), seed);
        let x = party.random();
        let (mut a, mut b) = (x.clone(), x.clone());
        for step in 0..40 {
            let choice = party.integers.word() >> 8;
            match repeat(&party, &x, &a, &b, choice) {
                Ok(next) => {
                    let below = party.expect(&next.0, &next.1, &format!("seed {seed}, step {step}"));
                    worst = if -below > worst.0 { (-below, seed) } else { worst };
                    operations += 1;
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
        "{count} keys, {operations} operations: at most 2^{:.2} of the bound, seed {}",
        worst.0, worst.1
    );
    assert!(operations > 20 * count, "{operations}");
}

pub fn circuits_that_repeat_their_values_stay_within_their_bounds_under_some_keys<T: Subject>() {
    hold::<T>(0..20);
}

pub fn circuits_that_repeat_their_values_stay_within_their_bounds_under_a_thousand_keys<T: Subject>() {
    hold::<T>(20..1220);
}
