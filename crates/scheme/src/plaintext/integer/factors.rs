//! The prime factors of plaintext moduli.

use asanoha_kernels::is_prime;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;

use super::{PlaintextError, is_prime_integer};

/// The factors of t where it's known to be a product of distinct primes: given, t itself, or found.
pub(super) fn distinct_primes(
    modulus: &BigUint,
    given: &[BigUint],
) -> Result<Option<Vec<BigUint>>, PlaintextError> {
    if !given.is_empty() {
        // Factors from 2 on, in number at most t's bits: nothing is multiplied or compared before that is known.
        let few = given.len() as u64 <= modulus.bits()
            && given.iter().all(|factor| (2..=modulus.bits()).contains(&factor.bits()));
        if !few {
            return Err(PlaintextError::Factors {
                modulus: modulus.clone(),
                factors: given.iter().take(4).cloned().collect(),
            });
        }
        let distinct = (1..given.len()).all(|i| !given[..i].contains(&given[i]));
        let sound =
            distinct && given.iter().product::<BigUint>() == *modulus && given.iter().all(is_prime_integer);
        let error = || PlaintextError::Factors { modulus: modulus.clone(), factors: given.to_vec() };
        return if sound { Ok(Some(given.to_vec())) } else { Err(error()) };
    }
    if is_prime_integer(modulus) {
        return Ok(Some(vec![modulus.clone()]));
    }
    let factors = modulus.to_u64().map(factorise);
    let factors = factors.filter(|factors| factors.windows(2).all(|pair| pair[0] != pair[1]));
    Ok(factors.map(|factors| factors.into_iter().map(BigUint::from).collect()))
}

/// The prime factors of a word from 2 on, in ascending order, each as often as it divides.
fn factorise(n: u64) -> Vec<u64> {
    if is_prime(n) {
        return vec![n];
    }
    let divisor = (2..1 << 8).find(|&d| n.is_multiple_of(d)).unwrap_or_else(|| divisor(n));
    let mut factors = factorise(divisor);
    factors.extend(factorise(n / divisor));
    factors.sort_unstable();
    factors
}

/// A proper divisor of an odd composite word, by Pollard's method: x ← x² + c modulo n falls into a cycle modulo a
/// divisor d long before it does modulo n, and the difference of two values of the same place in that cycle shares d
/// with n.
fn divisor(n: u64) -> u64 {
    let step = |x: u64, c: u64| ((u128::from(x) * u128::from(x) + u128::from(c)) % u128::from(n)) as u64;
    (1..)
        .find_map(|c| {
            let (mut slow, mut fast) = (2, 2);
            loop {
                slow = step(slow, c);
                fast = step(step(fast, c), c);
                match slow.abs_diff(fast).gcd(&n) {
                    1 => {}
                    whole if whole == n => return None,
                    divisor => return Some(divisor),
                }
            }
        })
        .expect("a composite has a divisor that one of the sequences finds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_primes_and_their_product_is_the_word() {
        let words = (2..3000).chain([
            4_294_967_291 * 4_294_967_279,
            u64::MAX,
            1 << 63,
            1_099_511_627_689 * 65_537,
            65_537 * 65_537 * 65_537,
        ]);
        for n in words {
            let factors = factorise(n);
            assert!(factors.iter().all(|&factor| is_prime(factor)), "{n}: {factors:?}");
            assert_eq!(factors.iter().map(|&factor| u128::from(factor)).product::<u128>(), u128::from(n));
        }
    }
}
