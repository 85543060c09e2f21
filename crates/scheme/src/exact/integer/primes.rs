//! Primes of any size: the test, and the search for those that batch.

use asanoha_kernels::is_prime;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

/// Rounds of Miller and Rabin: a composite passes with a probability of at most 4^−32, whoever chose it, for the bases
/// come out of a hash of it.
const ROUNDS: usize = 32;
/// Candidates with a factor below this are sieved out.
const SIEVE_BOUND: u32 = 1 << 13;
/// Candidates that are sieved at a time.
const WINDOW: usize = 1 << 12;

/// Whether n is prime; for more than 64 bits with an error below 2^−64 for composites.
pub fn is_prime_integer(n: &BigUint) -> bool {
    if let Some(word) = n.to_u64() {
        return is_prime(word);
    }
    n.is_odd() && is_strong_probable_prime(n, ROUNDS)
}

/// Miller and Rabin's test of an odd n of more than 64 bits.
fn is_strong_probable_prime(n: &BigUint, rounds: usize) -> bool {
    let minus_one = n - 1u32;
    let twos = minus_one.trailing_zeros().expect("n is above 1");
    let odd = &minus_one >> twos;
    let mut stream = blake3::Hasher::new().update(&n.to_bytes_le()).finalize_xof();
    (0..rounds).all(|_| {
        let mut bytes = vec![0; n.bits().div_ceil(8) as usize + 8];
        stream.fill(&mut bytes);
        // In [2, n − 2].
        let base = BigUint::from_bytes_le(&bytes) % (n - 3u32) + 2u32;
        let mut power = base.modpow(&odd, n);
        if power.is_one() || power == minus_one {
            return true;
        }
        (1..twos).any(|_| {
            power = &power * &power % n;
            power == minus_one
        })
    })
}

/// The primes k·step + 1 from a candidate on, in one direction.
struct Candidates {
    step: BigUint,
    /// The next candidate's k; `None` where there are no more.
    next: Option<BigUint>,
    down: bool,
    window: std::vec::IntoIter<BigUint>,
}

impl Candidates {
    /// From the largest below a bound down.
    fn below(bound: &BigUint, step: BigUint) -> Self {
        // The largest k with k·step + 1 < bound.
        let next = (*bound > BigUint::from(2u32)).then(|| (bound - 2u32) / &step);
        Self { step, next, down: true, window: Vec::new().into_iter() }
    }

    /// From the smallest above a bound up.
    fn above(bound: &BigUint, step: BigUint) -> Self {
        // The least k with k·step + 1 > bound.
        let next = if bound.is_zero() { BigUint::ZERO } else { (bound - 1u32) / &step + 1u32 };
        Self { step, next: Some(next), down: false, window: Vec::new().into_iter() }
    }

    /// Candidates without small factors, the next [`WINDOW`] ones.
    fn refill(&mut self) -> bool {
        let Some(start) = self.next.take() else { return false };
        let mut composite = vec![false; WINDOW];
        let first = &start * &self.step + 1u32;
        for p in (3..SIEVE_BOUND).step_by(2).filter(|&p| is_prime(u64::from(p))) {
            let residue = |x: &BigUint| (x % p).to_u32().expect("below a word");
            let step = residue(&self.step);
            if step == 0 {
                continue;
            }
            let step = if self.down { p - step } else { step };
            let mut candidate = residue(&first);
            for composite in &mut composite {
                *composite |= candidate == 0;
                candidate = (candidate + step) % p;
            }
        }
        let small = BigUint::from(SIEVE_BOUND);
        let mut candidates = Vec::new();
        for (i, composite) in composite.into_iter().enumerate() {
            let k = if self.down {
                if start < BigUint::from(i) {
                    break;
                }
                &start - i
            } else {
                &start + i
            };
            let candidate = &k * &self.step + 1u32;
            // A small prime is its own multiple.
            if !composite || candidate < small {
                candidates.push(candidate);
            }
        }
        self.window = candidates.into_iter();
        let window = BigUint::from(WINDOW);
        self.next = if self.down { (start >= window).then(|| start - window) } else { Some(start + window) };
        true
    }
}

impl Iterator for Candidates {
    type Item = BigUint;

    fn next(&mut self) -> Option<BigUint> {
        loop {
            // One round settles nearly all composites.
            let likely = |n: &BigUint| n.bits() <= 64 || is_strong_probable_prime(n, 1);
            if let Some(prime) = self.window.by_ref().find(|n| likely(n) && is_prime_integer(n)) {
                return Some(prime);
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

/// The nearest prime with all N slots above an integer. Above a word it's found as fast as primes of its size are: half a
/// second for 2048 bits.
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
