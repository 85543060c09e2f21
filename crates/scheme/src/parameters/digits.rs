//! Into how many digits key switching cuts a modulus.

use asanoha_lattice::{Level, RlweLiteral};

use super::{FAST_PRIME_BITS, NoPrimes, Primes, log2_product};

/// The digit counts worth trying for a number of primes: one for each digit size, few digits first.
fn digit_counts(primes: usize) -> impl Iterator<Item = usize> {
    let mut last_size = 0;
    (1..=primes).filter(move |&digits| {
        let size = primes.div_ceil(digits);
        std::mem::replace(&mut last_size, size) != size
    })
}

/// log2 of the largest digit when the primes are cut into `digits` digits.
fn largest_digit_bits(primes: &[u64], digits: usize) -> f64 {
    let size = primes.len().div_ceil(digits);
    primes.chunks(size).map(log2_product).fold(0.0, f64::max)
}

/// At which levels a circuit switches keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchLevels {
    /// At all, about as often at each.
    All,
    /// At the highest.
    Highest,
    /// At none: there are only sums, and products with public values.
    None,
}

/// The width of the special prime where no key is switched: the noise of a public-key encryption, divided by it, is far below
/// that of the rounding.
const ENCRYPTION_PRIME_BITS: u32 = 24;

/// The literal with the special primes, digits and tiers of keys that make key switches cost the least among those whose
/// whole modulus has at most `most_bits` bits; and, if a limit is given, whose keys take at most that many bytes each.
///
/// # Errors
/// [`NoPrimes`].
pub fn choose_digits(
    q: &[u64],
    primes: &Primes,
    largest: f64,
    levels: SwitchLevels,
    key_bytes: Option<usize>,
) -> Result<Option<RlweLiteral>, NoPrimes> {
    if levels == SwitchLevels::None {
        let special = primes.clone().below(ENCRYPTION_PRIME_BITS, 1)?;
        let literal = RlweLiteral::new(primes.ring_degree(), q.to_vec(), vec![special], 0);
        return Ok((log2_product(q) + (special as f64).log2() <= largest).then_some(literal));
    }
    let mut best: Option<(u64, RlweLiteral)> = None;
    let lowest = if levels == SwitchLevels::All { 0 } else { q.len() - 1 };
    for digits in digit_counts(q.len()) {
        for special in special_primes(q, primes, digits)? {
            let bytes = 2 * digits * (q.len() + special.len()) * primes.ring_degree() * size_of::<u64>();
            let is_secure = log2_product(q) + log2_product(&special) <= largest;
            if !is_secure || key_bytes.is_some_and(|most| bytes > most) {
                continue;
            }
            let literal = RlweLiteral::new(primes.ring_degree(), q.to_vec(), special, digits);
            let literal = if levels == SwitchLevels::All { literal.with_tiers() } else { literal };
            let work = literal.switch_work((lowest..q.len()).map(Level));
            if best.as_ref().is_none_or(|(least, _)| work < *least) {
                best = Some((work, literal));
            }
        }
    }
    Ok(best.map(|(_, literal)| literal))
}

/// As [`choose_digits`], with a given number of digits.
///
/// # Errors
/// [`NoPrimes`].
pub fn with_digits(
    q: &[u64],
    primes: &Primes,
    largest: f64,
    digits: usize,
) -> Result<Option<RlweLiteral>, NoPrimes> {
    let narrow = primes.clone().special(largest_digit_bits(q, digits))?;
    let literal = RlweLiteral::new(primes.ring_degree(), q.to_vec(), narrow, digits).with_tiers();
    Ok((log2_product(q) + log2_product(&literal.p_primes) <= largest).then_some(literal))
}

/// The special primes that a number of digits may take: as narrow as they can be, or wide, of which tiers take fewer.
fn special_primes(q: &[u64], primes: &Primes, digits: usize) -> Result<[Vec<u64>; 2], NoPrimes> {
    let digit = largest_digit_bits(q, digits);
    Ok([primes.clone().special(digit)?, primes.clone().special_of(digit, FAST_PRIME_BITS)?])
}
