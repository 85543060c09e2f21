//! Primality and the search for NTT-friendly primes.

use thiserror::Error;

use crate::{MAX_RING_DEGREE, Modulus};

/// The error of a search for primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PrimeError {
    /// The step between candidates isn't a power of two in range.
    #[error("the step {0} between candidates must be a power of two of at most {max}", max = 2 * MAX_RING_DEGREE)]
    Step(u64),
    /// There are fewer such primes than asked for, or none.
    #[error(
        "only {found} primes of {bits} bits are 1 modulo {step} beyond those excluded; {wanted} were asked"
    )]
    TooFew {
        /// The width asked for, in bits.
        bits: u32,
        /// The step between candidates.
        step: u64,
        /// The number of primes asked for.
        wanted: usize,
        /// The number of such primes.
        found: usize,
    },
}

/// Whether n is prime: Miller–Rabin with the bases that decide every 64-bit word.
pub fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    if let Some(&base) = BASES.iter().find(|&&base| n.is_multiple_of(base)) {
        return n == base;
    }
    let mul = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(n)) as u64;
    let shift = (n - 1).trailing_zeros();
    let odd = (n - 1) >> shift;
    BASES.iter().all(|&base| {
        let (mut power, mut square, mut exponent) = (1, base % n, odd);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = mul(power, square);
            }
            square = mul(square, square);
            exponent >>= 1;
        }
        if power == 1 || power == n - 1 {
            return true;
        }
        (1..shift).any(|_| {
            power = mul(power, power);
            power == n - 1
        })
    })
}

/// The `count` largest primes of exactly `bits` bits that are 1 modulo `step`, from the largest down, without
/// those in `excluded`.
///
/// With `step` = 2N these are the primes modulo which a negacyclic NTT of N coefficients exists.
///
/// ```
/// use asanoha_kernels::primes_congruent_to_one;
/// let primes = primes_congruent_to_one(48, 1 << 16, 3, &[])?;
/// assert!(primes.iter().all(|p| p % (1 << 16) == 1 && p.ilog2() == 47));
/// # Ok::<(), asanoha_kernels::PrimeError>(())
/// ```
pub fn primes_congruent_to_one(
    bits: u32,
    step: u64,
    count: usize,
    excluded: &[u64],
) -> Result<Vec<u64>, PrimeError> {
    if !step.is_power_of_two() || step > 2 * MAX_RING_DEGREE as u64 || step < 2 {
        return Err(PrimeError::Step(step));
    }
    let mut primes = Vec::with_capacity(count.min(1024));
    if (2..=Modulus::MAX_BITS).contains(&bits) {
        let lowest = 1u64 << (bits - 1);
        let mut candidate = ((1u64 << bits) - 1) / step * step + 1;
        if candidate >= 1 << bits {
            candidate = candidate.saturating_sub(step);
        }
        while primes.len() < count && candidate > lowest {
            if is_prime(candidate) && !excluded.contains(&candidate) {
                primes.push(candidate);
            }
            candidate = candidate.saturating_sub(step);
        }
    }
    if primes.len() < count {
        return Err(PrimeError::TooFew { bits, step, wanted: count, found: primes.len() });
    }
    Ok(primes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primality_agrees_with_trial_division_on_small_words() {
        for n in 0u64..20_000 {
            let naive = n >= 2 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
            assert_eq!(is_prime(n), naive, "{n}");
        }
    }

    #[test]
    fn strong_pseudoprimes_are_composite() {
        for n in [3_215_031_751, 3_474_749_660_383, 341_550_071_728_321, 3_825_123_056_546_413_051] {
            assert!(!is_prime(n), "{n}");
        }
        assert!(is_prime((1 << 61) - 1) && is_prime(u64::MAX - 58));
    }

    #[test]
    fn search_gives_distinct_primes_of_the_asked_width_and_residue() {
        for bits in [20, 30, 46, 50, 61] {
            let primes = primes_congruent_to_one(bits, 1 << 12, 4, &[]).unwrap();
            assert!(primes.windows(2).all(|pair| pair[0] > pair[1]));
            assert!(primes.iter().all(|&p| is_prime(p) && p % (1 << 12) == 1 && p.ilog2() + 1 == bits));
            let others = primes_congruent_to_one(bits, 1 << 12, 2, &primes[..2]).unwrap();
            assert_eq!(others, primes[2..]);
        }
    }

    #[test]
    fn impossible_searches_say_how_many_exist() {
        let error = primes_congruent_to_one(17, 1 << 16, 2, &[]).unwrap_err();
        assert_eq!(error, PrimeError::TooFew { bits: 17, step: 1 << 16, wanted: 2, found: 1 });
        assert_eq!(primes_congruent_to_one(30, 24, 1, &[]), Err(PrimeError::Step(24)));
    }
}
