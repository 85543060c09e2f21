//! Primes of any size: the test, and the search for those that batch.

use std::ops::Range;

use asanoha_kernels::is_prime;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use rayon::prelude::*;

/// Rounds of Miller and Rabin: a composite passes with a probability of at most 4^−32, whoever chose it, for the bases
/// come out of a hash of it.
const ROUNDS: u64 = 32;
/// Candidates of more than a word with a factor below this are sieved out: of 2048 bits, one in 30 is left.
const SIEVE_BOUND: u32 = 1 << 16;
/// Candidates that are sieved at a time.
const WINDOW: usize = 1 << 12;

/// Whether n is prime; for more than 64 bits with an error below 2^−64 for composites.
pub fn is_prime_integer(n: &BigUint) -> bool {
    match n.to_u64() {
        Some(word) => is_prime(word),
        None => n.is_odd() && passes_first_round(n) && StrongTest::new(n).passes(1..ROUNDS),
    }
}

/// Whether a word is prime, or an odd number above a word passes the round that settles nearly all composites.
fn passes_first_round(n: &BigUint) -> bool {
    n.to_u64().map_or_else(|| StrongTest::new(n).passes(0..1), is_prime)
}

/// Miller and Rabin's test of an odd n of more than 64 bits.
struct StrongTest<'a> {
    n: &'a BigUint,
    minus_one: BigUint,
    /// n − 1 = odd·2^twos.
    odd: BigUint,
    twos: u64,
    bases: blake3::OutputReader,
}

impl<'a> StrongTest<'a> {
    fn new(n: &'a BigUint) -> Self {
        let minus_one = n - 1u32;
        let twos = minus_one.trailing_zeros().expect("n is above 1");
        let odd = &minus_one >> twos;
        let bases = blake3::Hasher::new().update(&n.to_bytes_le()).finalize_xof();
        Self { n, minus_one, odd, twos, bases }
    }

    /// Whether n passes the rounds, each with a base of its own.
    fn passes(&self, rounds: Range<u64>) -> bool {
        rounds.into_par_iter().all(|round| self.passes_round(round))
    }

    fn passes_round(&self, round: u64) -> bool {
        let mut bytes = vec![0; self.n.bits().div_ceil(8) as usize + 8];
        let mut bases = self.bases.clone();
        bases.set_position(round * bytes.len() as u64);
        bases.fill(&mut bytes);
        // In [2, n − 2].
        let base = BigUint::from_bytes_le(&bytes) % (self.n - 3u32) + 2u32;
        let mut power = base.modpow(&self.odd, self.n);
        if power.is_one() || power == self.minus_one {
            return true;
        }
        (1..self.twos).any(|_| {
            power = &power * &power % self.n;
            power == self.minus_one
        })
    }
}

/// The primes k·step + 1 from a candidate on, in one direction.
struct Candidates {
    step: BigUint,
    /// The next window's first k; `None` where there are no more.
    next: Option<BigUint>,
    down: bool,
    /// Those of a window without small factors, the nearest last.
    window: Vec<BigUint>,
}

impl Candidates {
    /// From the largest below a bound down.
    fn below(bound: &BigUint, step: BigUint) -> Self {
        // The largest k with k·step + 1 < bound.
        let next = (*bound > BigUint::from(2u32)).then(|| (bound - 2u32) / &step);
        Self { step, next, down: true, window: Vec::new() }
    }

    /// From the smallest above a bound up.
    fn above(bound: &BigUint, step: BigUint) -> Self {
        // The least k with k·step + 1 > bound.
        let next = if bound.is_zero() { BigUint::ZERO } else { (bound - 1u32) / &step + 1u32 };
        Self { step, next: Some(next), down: false, window: Vec::new() }
    }

    /// Candidates without small factors, of the next [`WINDOW`] ones.
    fn refill(&mut self) -> bool {
        let Some(start) = self.next.take() else { return false };
        let window = BigUint::from(WINDOW);
        let length =
            if self.down { start.to_usize().map_or(WINDOW, |most| WINDOW.min(most + 1)) } else { WINDOW };
        let candidate = |i: usize| (if self.down { &start - i } else { &start + i }) * &self.step + 1u32;
        // Words are tested faster than sieved.
        let words = candidate(0).min(candidate(length - 1)).bits() <= 64;
        let composite = if words { vec![false; length] } else { self.composites(&candidate(0), length) };
        self.window = (0..length).rev().filter(|&i| !composite[i]).map(candidate).collect();
        self.next = if self.down { (start >= window).then(|| start - window) } else { Some(start + window) };
        true
    }

    /// Which of a window of candidates, all above a word, have a small factor.
    fn composites(&self, first: &BigUint, length: usize) -> Vec<bool> {
        let mut composite = vec![false; length];
        for p in odd_primes_below(SIEVE_BOUND) {
            let residue = |x: &BigUint| (x % p).to_i64().expect("below a word");
            let p = i64::from(p);
            // first ± i·step ≡ 0 modulo p.
            let step = if self.down { residue(&self.step) } else { -residue(&self.step) };
            let euclid = step.extended_gcd(&p);
            if euclid.gcd.abs() == 1 {
                let hit = (residue(first) * euclid.x * euclid.gcd).rem_euclid(p) as usize;
                composite.iter_mut().skip(hit).step_by(p as usize).for_each(|composite| *composite = true);
            }
        }
        composite
    }
}

/// The odd primes below a bound, by Eratosthenes' sieve.
fn odd_primes_below(bound: u32) -> impl Iterator<Item = u32> {
    let mut composite = vec![false; bound as usize];
    let length = composite.len();
    for p in (3..).step_by(2).take_while(|p| p * p < length) {
        if !composite[p] {
            (p * p..length).step_by(2 * p).for_each(|multiple| composite[multiple] = true);
        }
    }
    (3..bound).step_by(2).filter(move |&p| !composite[p as usize])
}

impl Iterator for Candidates {
    type Item = BigUint;

    /// The next prime: the nearest, however many threads test candidates side by side.
    fn next(&mut self) -> Option<BigUint> {
        loop {
            while let Some(nearest) = self.window.last() {
                let width = if nearest.bits() <= 64 { 1 } else { rayon::current_num_threads() };
                let group = self.window.len().saturating_sub(width);
                let likely: Vec<bool> = self.window[group..].par_iter().map(passes_first_round).collect();
                for likely in likely.into_iter().rev() {
                    let candidate = self.window.pop().expect("as many as were tested");
                    if likely && (candidate.bits() <= 64 || StrongTest::new(&candidate).passes(1..ROUNDS)) {
                        return Some(candidate);
                    }
                }
            }
            if !self.refill() {
                return None;
            }
        }
    }
}

/// The `count` largest primes of exactly `bits` bits with all N slots (1 modulo 2N), from the largest down: fewer where
/// there are too few.
///
/// ```
/// let primes = asanoha_scheme::batching_primes(128, 1 << 12, 2);
/// assert!(primes.len() == 2 && primes.iter().all(|p| p.bits() == 128 && p % (1u32 << 13) == 1u32.into()));
/// ```
pub fn batching_primes(bits: u64, ring_degree: usize, count: usize) -> Vec<BigUint> {
    let candidates = Candidates::below(&(BigUint::one() << bits), BigUint::from(2 * ring_degree));
    candidates.take_while(|prime| prime.bits() == bits).take(count).collect()
}

/// The nearest primes with all N slots below and above an integer; see [`next_batching_prime`].
pub fn nearest_batching_primes(t: &BigUint, ring_degree: usize) -> (Option<BigUint>, Option<BigUint>) {
    let below = Candidates::below(t, BigUint::from(2 * ring_degree)).next();
    (below, next_batching_prime(t, ring_degree))
}

/// The nearest prime with all N slots above an integer. Above a word it's found as fast as primes of its size are, by all
/// threads: about 0.6 s of processor time for 2045 bits.
pub fn next_batching_prime(t: &BigUint, ring_degree: usize) -> Option<BigUint> {
    Candidates::above(t, BigUint::from(2 * ring_degree)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(n: u64) -> bool {
        n >= 2 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
    }

    #[test]
    fn nearest_primes_are_those_of_trial_division() {
        for ring_degree in [1usize, 8, 64, 1024] {
            let batches = |n: &u64| n % (2 * ring_degree as u64) == 1 && naive(*n);
            for t in [0u64, 1, 2, 3, 17, 18, 97, 257, 1000, 65537, 65539, 1_000_000] {
                let below = (0..t).rev().find(batches).map(BigUint::from);
                let above = (t + 1..1 << 24).find(batches).map(BigUint::from);
                assert_eq!(
                    nearest_batching_primes(&t.into(), ring_degree),
                    (below, above),
                    "{t} {ring_degree}"
                );
            }
        }
    }

    #[test]
    fn nearest_primes_are_the_first_that_pass_all_rounds_on_any_number_of_threads() {
        for (bits, ring_degree) in [(63, 1 << 4), (64, 1 << 4), (65, 1 << 3), (130, 1 << 10), (300, 1 << 5)] {
            // Both sides of a power of two: candidates of a word and of more stand in one window.
            let (t, step) = (BigUint::one() << bits, BigUint::from(2 * ring_degree));
            let k = &t / &step;
            let above = (0u32..1 << 16).map(|i| (&k + i) * &step + 1u32).find(is_prime_integer);
            let below = (1u32..1 << 16).map(|i| (&k - i) * &step + 1u32).find(is_prime_integer);
            for threads in [1, 2, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| nearest_batching_primes(&t, ring_degree));
                assert_eq!(found, (below.clone(), above.clone()), "{bits} bits, {threads} threads");
            }
        }
    }

    #[test]
    fn one_in_twenty_candidates_of_2048_bits_is_left_to_be_tested() {
        for bits in [300u32, 2048] {
            let mut candidates = Candidates::above(&(BigUint::one() << bits), BigUint::from(1u32 << 18));
            assert!(candidates.refill());
            let left = candidates.window.len();
            assert!((WINDOW / 30..WINDOW / 8).contains(&left), "{left} of {WINDOW}");
            for p in odd_primes_below(1 << 10) {
                assert!(candidates.window.iter().all(|candidate| !(candidate % p).is_zero()));
            }
        }
    }

    #[test]
    fn primes_of_many_bits_are_known_from_composites() {
        let p256 = (BigUint::one() << 256) - (BigUint::one() << 224)
            + (BigUint::one() << 192)
            + (BigUint::one() << 96)
            - 1u32;
        let mersenne = |n: u32| (BigUint::one() << n) - 1u32;
        for prime in [p256, mersenne(127), mersenne(521), (BigUint::one() << 255) - 19u32] {
            assert!(is_prime_integer(&prime));
            assert!(!is_prime_integer(&(&prime * mersenne(61))) && !is_prime_integer(&(&prime * &prime)));
            assert!(!is_prime_integer(&(prime + 1u32)));
        }
        // A pseudoprime to many small bases (Arnault 1995).
        let arnault: BigUint = "1195068768795265792518361315725116351898245581".parse().unwrap();
        assert!(!is_prime_integer(&arnault));
    }

    #[test]
    fn batching_primes_come_from_the_largest_down() {
        for (bits, ring_degree) in [(20, 1 << 5), (64, 1 << 12), (128, 1 << 12), (256, 1 << 17)] {
            let primes = batching_primes(bits, ring_degree, 3);
            assert_eq!(primes.len(), 3);
            assert!(primes.windows(2).all(|pair| pair[0] > pair[1]));
            assert!(primes.iter().all(|p| p.bits() == bits && (p % (2 * ring_degree)).is_one()));
            let (below, above) = nearest_batching_primes(&primes[1], ring_degree);
            assert_eq!((below.as_ref(), above.as_ref()), (Some(&primes[2]), Some(&primes[0])));
        }
        assert!(batching_primes(12, 1 << 12, 1).is_empty());
    }
}
