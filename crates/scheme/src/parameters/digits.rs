//! Into how many digits key switching cuts a modulus.

use super::{NoPrimes, Primes};

/// The digit counts worth trying for so many primes: one for each digit size, few digits first.
fn digit_counts(primes: usize) -> impl Iterator<Item = usize> {
    let mut last_size = 0;
    (1..=primes).filter(move |&digits| {
        let size = primes.div_ceil(digits);
        std::mem::replace(&mut last_size, size) != size
    })
}

/// log2 of the largest digit when the primes are cut into so many digits.
pub(super) fn largest_digit_bits(primes: &[u64], digits: usize) -> f64 {
    let size = primes.len().div_ceil(digits);
    let bits = |digit: &[u64]| digit.iter().map(|&q| (q as f64).log2()).sum::<f64>();
    primes.chunks(size).map(bits).fold(0.0, f64::max)
}

/// log2 of a product of primes.
pub fn log2_product(primes: &[u64]) -> f64 {
    primes.iter().map(|&q| (q as f64).log2()).sum()
}

/// The cut into digits that costs the least among those whose whole modulus has at most so many bits, and whose keys take at
/// most so many bytes, if that is said: digits and special primes.
///
/// # Errors
/// [`NoPrimes`].
pub fn choose_digits(
    q: &[u64],
    primes: &Primes,
    largest: f64,
    key_bytes: Option<usize>,
) -> Result<Option<(usize, Vec<u64>)>, NoPrimes> {
    let mut best: Option<(f64, usize, Vec<u64>)> = None;
    for digits in digit_counts(q.len()) {
        let special = primes.clone().special(largest_digit_bits(q, digits))?;
        if log2_product(q) + log2_product(&special) > largest {
            continue;
        }
        let extended = (q.len() + special.len()) as f64;
        let bytes = 2 * digits * (q.len() + special.len()) * primes.ring_degree() * size_of::<u64>();
        if key_bytes.is_some_and(|most| bytes > most) {
            continue;
        }
        let cost = (digits as f64 + 2.0) * extended;
        if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            best = Some((cost, digits, special));
        }
    }
    Ok(best.map(|(_, digits, special)| (digits, special)))
}
