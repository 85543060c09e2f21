//! Correction factors modulo t.

use asanoha_lattice::Norm;
use asanoha_ring::Modulus;

/// Small integers (a, b) with a·left ≡ b·right modulo t, such that a·left_noise + |b|·right_noise is about as small
/// as it can be. With noises alike, both are about √t; with equal factors, both are 1.
///
/// The remainders a and cofactors b of Euclid's algorithm on t and right/left are all candidates: a ≡ b·right/left
/// at every step, and |a·b| < t.
pub(crate) fn balance(
    t: &Modulus,
    (left, left_noise): (u64, Norm),
    (right, right_noise): (u64, Norm),
) -> (i64, i64) {
    let ratio = t.mul(right, t.inverse(left).expect("factors are units"));
    let cost = |a: i64, b: i64| left_noise * a as f64 + right_noise * b.unsigned_abs() as f64;
    let (mut previous, mut current) = ((t.value() as i64, 0i64), (ratio as i64, 1i64));
    let mut best = current;
    while current.0 != 0 {
        if cost(current.0, current.1) < cost(best.0, best.1) {
            best = current;
        }
        let quotient = previous.0 / current.0;
        let next = (previous.0 - quotient * current.0, previous.1 - quotient * current.1);
        (previous, current) = (current, next);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn balanced_multipliers_make_the_factors_equal_and_are_small(
            prime in prop::sample::select(vec![17u64, 65537, 1073479681, 1152921504606830593]),
            left: u64,
            right: u64,
        ) {
            let t = Modulus::new(prime).unwrap();
            let (left, right) = (left % (prime - 1) + 1, right % (prime - 1) + 1);
            let (a, b) = balance(&t, (left, Norm::ONE), (right, Norm::ONE));
            prop_assert_eq!(t.mul(t.reduce_i64(a), left), t.mul(t.reduce_i64(b), right));
            prop_assert!(t.reduce_i64(a) != 0 && t.reduce_i64(b) != 0);
            // Among the candidates stands the first remainder below √t, whose cofactor is at most √t.
            prop_assert!(a as f64 + b.unsigned_abs() as f64 <= 2.0 * (prime as f64).sqrt());
        }
    }

    #[test]
    fn equal_factors_stay_as_they_are() {
        let t = Modulus::new(65537).unwrap();
        assert_eq!(balance(&t, (1234, Norm::ONE), (1234, Norm::from(1e9))), (1, 1));
    }

    #[test]
    fn the_larger_noise_gets_the_smaller_multiplier() {
        let t = Modulus::new(65537).unwrap();
        let (a, b) = balance(&t, (3, Norm::ONE), (12345, Norm::from(1e12)));
        assert_eq!(b.abs(), 1);
        assert!(a > 1);
    }
}
