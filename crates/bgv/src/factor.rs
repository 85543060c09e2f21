//! Correction factors modulo t.

use asanoha_lattice::Norm;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Zero};

/// Small integers (a, b) with a·left ≡ b·right modulo t, units both, such that a·left_noise + |b|·right_noise is about
/// as small as it can be. With noises alike, both are about √t; with equal factors, both are 1.
///
/// The remainders a and cofactors b of Euclid's algorithm on t and right/left are all candidates: a ≡ b·right/left
/// at every step, and |a·b| < t. Where t isn't prime, those that share a factor with it are none.
pub(crate) fn balance(
    t: &BigUint,
    (left, left_noise): (&BigUint, Norm),
    (right, right_noise): (&BigUint, Norm),
) -> (BigInt, BigInt) {
    if left == right {
        return (BigInt::one(), BigInt::one());
    }
    let ratio = right * left.modinv(t).expect("factors are units") % t;
    let cost = |a: &BigInt, b: &BigInt| {
        left_noise * Norm::from(a.magnitude()) + right_noise * Norm::from(b.magnitude())
    };
    let t = BigInt::from(t.clone());
    let (mut previous, mut current) = ((t.clone(), BigInt::zero()), (BigInt::from(ratio), BigInt::one()));
    let mut candidates = Vec::new();
    while !current.0.is_zero() {
        let quotient = &previous.0 / &current.0;
        let next = (previous.0 - &quotient * &current.0, previous.1 - quotient * &current.1);
        previous = std::mem::replace(&mut current, next);
        candidates.push((cost(&previous.0, &previous.1), previous.clone()));
    }
    candidates.sort_by_key(|(cost, _)| *cost);
    let best = candidates.into_iter().find(|(_, (a, _))| a.gcd(&t).is_one());
    best.expect("the first remainder is a unit").1
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Signed;
    use proptest::prelude::*;

    fn big(x: u64) -> BigUint {
        BigUint::from(x)
    }

    proptest! {
        #[test]
        fn balanced_multipliers_make_the_factors_equal_and_are_small(
            t in prop::sample::select(vec![
                big(17),
                big(65537),
                big(1152921504606830593),
                (BigUint::one() << 521) - 1u32,
                big(1 << 40),
                BigUint::one() << 2048,
                big(3 * 5 * 7 * 11 * 13 * 17 * 19),
            ]),
            left in prop::collection::vec(any::<u32>(), 64),
            right in prop::collection::vec(any::<u32>(), 64),
        ) {
            let unit = |digits| {
                let mut unit = BigUint::new(digits) % &t;
                while !unit.gcd(&t).is_one() {
                    unit = (unit + 1u32) % &t;
                }
                unit
            };
            let (left, right) = (unit(left), unit(right));
            let (a, b) = balance(&t, (&left, Norm::ONE), (&right, Norm::ONE));
            let modulus = BigInt::from(t.clone());
            let difference = &a * BigInt::from(left) - &b * BigInt::from(right);
            prop_assert!((difference % &modulus).is_zero());
            prop_assert!(a.is_positive() && a.gcd(&modulus).is_one() && b.gcd(&modulus).is_one());
            // Among the candidates stands the first remainder below √t, whose cofactor is at most √t; modulo a power
            // of two it or its neighbour is odd.
            let size = Norm::from(a.magnitude()) + Norm::from(b.magnitude());
            let prime_power = t.count_ones() == 1 || asanoha_scheme::is_prime_integer(&t);
            let slack = if t.is_odd() { 1.0 } else { 16.0 };
            prop_assert!(!prime_power || size.log2() <= slack + t.bits() as f64 / 2.0);
        }
    }

    #[test]
    fn equal_factors_stay_as_they_are() {
        let one = (BigInt::one(), BigInt::one());
        assert_eq!(balance(&big(65537), (&big(1234), Norm::ONE), (&big(1234), Norm::from(1e9))), one);
    }

    #[test]
    fn the_larger_noise_gets_the_smaller_multiplier() {
        let (a, b) = balance(&big(65537), (&big(3), Norm::ONE), (&big(12345), Norm::from(1e12)));
        assert!(b.magnitude().is_one());
        assert!(a > BigInt::one());
    }
}
