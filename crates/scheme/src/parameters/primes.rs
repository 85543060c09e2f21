//! The search for the primes of a modulus.

use asanoha_kernels::is_prime;
use asanoha_lattice::SPECIAL_MARGIN_BITS;
use thiserror::Error;

/// The widest prime that the fastest kernels take.
pub const FAST_PRIME_BITS: u32 = 50;

/// What is aimed at above the least margin of the special modulus, in bits: primes are a little narrower than their width.
const ROUNDING_BITS: f64 = 0.1;

/// Too few primes of a size.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("too few primes near 2^{log2:.1} for ring degree {ring_degree}")]
pub struct NoPrimes {
    /// The size asked for.
    pub log2: f64,
    /// The ring degree.
    pub ring_degree: usize,
}

/// log2 of a product of primes.
pub fn log2_product(primes: &[u64]) -> f64 {
    primes.iter().map(|&q| (q as f64).log2()).sum()
}

/// Gives out distinct primes that are 1 modulo 2N.
///
/// # Errors
/// All methods: [`NoPrimes`] where there are too few of a size.
#[derive(Clone, Debug)]
pub struct Primes {
    ring_degree: usize,
    used: Vec<u64>,
}

impl Primes {
    /// Primes for a ring degree, none of them in `excluded`.
    pub fn new(ring_degree: usize, excluded: &[u64]) -> Self {
        Self { ring_degree, used: excluded.to_vec() }
    }

    /// The ring degree.
    pub fn ring_degree(&self) -> usize {
        self.ring_degree
    }

    /// The largest unused prime of at most 2^log2 that is 1 modulo `multiple`·2N.
    pub fn at_most(&mut self, log2: f64, multiple: u64) -> Result<u64, NoPrimes> {
        self.first(log2, descending(log2.exp2() as u64, 2 * self.ring_degree as u64 * multiple))
    }

    /// The unused prime nearest to a value that is 1 modulo `multiple`·2N.
    pub fn nearest(&mut self, target: f64, multiple: u64) -> Result<u64, NoPrimes> {
        let step = 2 * self.ring_degree as u64 * multiple;
        let middle = (target as u64) / step * step + 1;
        let candidates = (0..=middle / step).flat_map(|distance| {
            let (above, below) = (middle.checked_add(distance * step), middle.checked_sub(distance * step));
            above.into_iter().chain(below)
        });
        let near = |candidate: &u64| (*candidate as f64 / target).log2().abs() <= 1.0;
        self.first(target.log2(), candidates.take_while(near))
    }

    /// The largest unused prime below 2^bits that is 1 modulo `multiple`·2N.
    pub fn below(&mut self, bits: u32, multiple: u64) -> Result<u64, NoPrimes> {
        let candidates = descending((1 << bits) - 2, 2 * self.ring_degree as u64 * multiple);
        self.first(bits.into(), candidates.take_while(|candidate| candidate >> (bits - 1) != 0))
    }

    /// The first unused prime among candidates of about 2^log2.
    fn first(&mut self, log2: f64, mut candidates: impl Iterator<Item = u64>) -> Result<u64, NoPrimes> {
        let found = candidates.find(|&candidate| !self.used.contains(&candidate) && is_prime(candidate));
        self.used.extend(found);
        found.ok_or(NoPrimes { log2, ring_degree: self.ring_degree })
    }

    /// Special primes whose product exceeds a digit of the given width, in bits, with the margin: as few as possible, and then as
    /// narrow as possible.
    pub fn special(&mut self, digit_bits: f64) -> Result<Vec<u64>, NoPrimes> {
        let needed = digit_bits + SPECIAL_MARGIN_BITS + ROUNDING_BITS;
        let count = (needed / f64::from(FAST_PRIME_BITS)).ceil();
        self.special_of(digit_bits, ((needed / count).ceil() as u32).min(FAST_PRIME_BITS))
    }

    /// As [`Primes::special`], of primes of a given width, which are enough for as few.
    pub fn special_of(&mut self, digit_bits: f64, bits: u32) -> Result<Vec<u64>, NoPrimes> {
        let needed = digit_bits + SPECIAL_MARGIN_BITS + ROUNDING_BITS;
        let count = (needed / f64::from(FAST_PRIME_BITS)).ceil() as usize;
        let mut primes = (0..count).map(|_| self.below(bits, 1)).collect::<Result<Vec<_>, _>>()?;
        // Primes just below 2^bits lose a little each: one more where that adds up.
        let found = log2_product(&primes);
        if found < digit_bits + SPECIAL_MARGIN_BITS {
            let missing = (needed - found).max(30.0).ceil() as u32;
            primes.push(self.below(missing.min(FAST_PRIME_BITS), 1)?);
        }
        Ok(primes)
    }
}

/// The numbers that are 1 modulo a step, above 1, from the largest whose predecessor is at most `most` down.
fn descending(most: u64, step: u64) -> impl Iterator<Item = u64> {
    (1..=most / step).rev().map(move |k| k * step + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_distinct_near_their_target_and_one_modulo_2n() {
        let mut primes = Primes::new(1 << 14, &[]);
        let mut found = Vec::new();
        for _ in 0..20 {
            found.push(primes.nearest(2f64.powi(45), 1).unwrap());
        }
        found.push(primes.below(46, 65537).unwrap());
        assert_eq!(found[20] % 65537, 1);
        for (i, &q) in found.iter().enumerate() {
            assert!(is_prime(q) && q % (1 << 15) == 1 && !found[..i].contains(&q));
            assert!(i == 20 || ((q as f64).log2() - 45.0).abs() < 1e-5);
        }
    }

    #[test]
    fn special_primes_exceed_the_digit_by_four_bits() {
        for digit in [20.0, 36.0, 45.9, 46.0, 91.9, 137.0, 184.0, 230.0, 500.0] {
            let special = Primes::new(1 << 15, &[]).special(digit).unwrap();
            let log2: f64 = special.iter().map(|&p| (p as f64).log2()).sum();
            assert!(log2 >= digit + 4.0 && log2 <= digit + 40.0, "{digit}: {log2}");
            assert!(special.iter().all(|p| p.ilog2() < FAST_PRIME_BITS));
        }
    }

    #[test]
    fn exhausted_widths_are_errors() {
        let mut primes = Primes::new(1 << 17, &[]);
        let outcome = (0..100).try_for_each(|_| primes.below(22, 1).map(|_| ()));
        assert!(outcome.is_err());
    }
}
