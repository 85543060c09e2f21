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
///
/// Source: Sorenson and Webster, "Strong pseudoprimes to twelve prime bases" (2017).
pub fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 {
        return false;
    }
    if let Some(&base) = BASES.iter().find(|&&base| n.is_multiple_of(base)) {
        return n == base;
    }
    let residues = Montgomery::new(n);
    let (one, minus_one) = (residues.one, n - residues.one);
    let shift = (n - 1).trailing_zeros();
    let odd = (n - 1) >> shift;
    BASES.iter().all(|&base| {
        let mut power = residues.power(residues.of(base), odd);
        power == one
            || power == minus_one
            || (1..shift).any(|_| {
                power = residues.multiply(power, power);
                power == minus_one
            })
    })
}

/// Residues x modulo an odd n below 2^64, as x·2^64 modulo n: products without a division.
struct Montgomery {
    n: u64,
    /// n⁻¹ modulo 2^64.
    inverse: u64,
    /// 2^64 modulo n.
    one: u64,
    /// 2^128 modulo n.
    square: u64,
}

impl Montgomery {
    fn new(n: u64) -> Self {
        // Newton's iteration doubles the number of correct bits; n is its own inverse modulo 8.
        let inverse = (0..5).fold(n, |x, _| x.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(x))));
        let one = n.wrapping_neg() % n;
        let square = (u128::from(one) * u128::from(one) % u128::from(n)) as u64;
        Self { n, inverse, one, square }
    }

    /// The residue of x < n.
    fn of(&self, x: u64) -> u64 {
        self.multiply(x, self.square)
    }

    /// a·b/2^64 modulo n, for a, b < n. The multiple of n with the product's low word is subtracted, not added to clear it:
    /// both have a high word below n, so that nothing overflows for n next to 2^64.
    fn multiply(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let factor = (product as u64).wrapping_mul(self.inverse);
        let multiple = ((u128::from(factor) * u128::from(self.n)) >> 64) as u64;
        let (difference, below) = ((product >> 64) as u64).overflowing_sub(multiple);
        if below { difference.wrapping_add(self.n) } else { difference }
    }

    /// a^exponent.
    fn power(&self, a: u64, mut exponent: u64) -> u64 {
        let (mut power, mut square) = (self.one, a);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = self.multiply(power, square);
            }
            square = self.multiply(square, square);
            exponent >>= 1;
        }
        power
    }
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
            if !excluded.contains(&candidate) && is_prime(candidate) {
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
        let to_the_first_bases = [
            2047,
            1_373_653,
            25_326_001,
            3_215_031_751,
            2_152_302_898_747,
            3_474_749_660_383,
            341_550_071_728_321,
            3_825_123_056_546_413_051,
        ];
        for n in to_the_first_bases.into_iter().chain([561, 1105, 4_294_967_291 * 4_294_967_279]) {
            assert!(!is_prime(n), "{n}");
        }
        assert!(is_prime((1 << 61) - 1) && is_prime(u64::MAX - 58) && is_prime((1 << 63) - 25));
    }

    /// The same test by 128-bit remainders.
    fn is_prime_by_remainders(n: u64) -> bool {
        const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        if n < 2 || BASES.iter().any(|&base| n.is_multiple_of(base)) {
            return BASES.contains(&n);
        }
        let multiply = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(n)) as u64;
        let shift = (n - 1).trailing_zeros();
        BASES.iter().all(|&base| {
            let bits = (0..64).rev().map(|bit| (n - 1) >> shift >> bit & 1);
            let first = bits.fold(1, |power, bit| {
                let square = multiply(power, power);
                if bit == 1 { multiply(square, base % n) } else { square }
            });
            let squares = std::iter::successors(Some(first), |&power| Some(multiply(power, power)));
            first == 1 || squares.take(shift as usize).any(|power| power == n - 1)
        })
    }

    #[test]
    fn primality_is_that_of_128_bit_remainders_up_to_the_last_word() {
        let near = |middle: u64| middle.saturating_sub(3000)..=middle.saturating_add(3000);
        let ends = [1 << 31, 1 << 32, 1 << 50, 1 << 62, 1 << 63, u64::MAX].map(near);
        // Fixed words of all widths, and products of two primes of 32 bits.
        let words = (1..20_000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 60));
        let products = (0..2000).map(|i| (4_294_967_291 - 2 * i) * 4_294_967_279);
        for n in ends.into_iter().flatten().chain(words).chain(products) {
            assert_eq!(is_prime(n), is_prime_by_remainders(n), "{n}");
        }
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
