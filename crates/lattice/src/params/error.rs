//! Why parameters are refused.

use asanoha_ring::RingError;
use thiserror::Error;

use super::NoiseFactor;

/// The largest number of primes, special primes included: more than any secure modulus has.
pub(super) const MAX_PRIMES: usize = 512;

/// The reason why a literal is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParamsError {
    /// A prime or the ring degree isn't supported.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// There are more primes than parameters may have.
    #[error(
        "{found} primes are more than the {MAX_PRIMES} that parameters may have; no secure modulus needs as many"
    )]
    TooManyPrimes {
        /// The number of primes, special primes included.
        found: usize,
    },
    /// log2(QP) is above the bound of the security table.
    #[error(
        "log2(QP) = {log2_qp:.1} at ring degree {ring_degree} has {found}-bit security; 128 bits allow at most {largest} (set insecure: true only in tests)"
    )]
    Insecure {
        /// The ring degree.
        ring_degree: usize,
        /// log2 of the whole modulus QP.
        log2_qp: f64,
        /// The estimated security in bits.
        found: u32,
        /// The largest log2(QP) that would be secure, 0 if none is.
        largest: u32,
    },
    /// There are more digits than primes, or tiers without digits.
    #[error(
        "{digits} digits don't divide {primes} primes; choose 1 to {primes}, or 0 and no key tiers where no key is switched"
    )]
    Digits {
        /// The number of digits asked for.
        digits: usize,
        /// The number of primes of the ciphertext modulus.
        primes: usize,
    },
    /// The special modulus is too small for the digits.
    #[error("log2(P) = {log2_p:.1} must exceed the largest digit's {log2_digit:.1} bits by 4 bits")]
    SpecialModulus {
        /// log2 of P.
        log2_p: f64,
        /// log2 of the largest digit.
        log2_digit: f64,
    },
    /// A tier whose level isn't above that of the tier before, or isn't below the highest level.
    #[error(
        "key tier {tier} serves ciphertexts up to level {level}: tiers rise, this one from level {least} on, and end below the highest level, {highest}"
    )]
    TierLevel {
        /// The index of the tier.
        tier: usize,
        /// The highest level that the tier serves.
        level: usize,
        /// The lowest value that this may have.
        least: usize,
        /// The highest level of the parameters.
        highest: usize,
    },
    /// A tier without special primes, or with more than there are.
    #[error("key tier {tier} takes {special} special primes; choose 1 to {count}")]
    TierSpecial {
        /// The index of the tier.
        tier: usize,
        /// The number of its special primes.
        special: usize,
        /// The number of all special primes.
        count: usize,
    },
    /// A tier whose digits have no primes, or more than its levels have.
    #[error("key tier {tier} has digits of {digit_primes} primes; choose 1 to {count}")]
    TierDigits {
        /// The index of the tier.
        tier: usize,
        /// The number of primes of a digit.
        digit_primes: usize,
        /// The number of ciphertext primes of the tier's highest level.
        count: usize,
    },
    /// The special modulus of a tier is too small for its digits.
    #[error(
        "key tier {tier} has a special modulus of {log2_p:.1} bits, which must exceed its largest digit's {log2_digit:.1} bits by 4 bits"
    )]
    TierModulus {
        /// The index of the tier.
        tier: usize,
        /// log2 of its special modulus.
        log2_p: f64,
        /// log2 of its largest digit.
        log2_digit: f64,
    },
    /// The keys to the sparse secret of bootstrapping would be too large to be secure.
    #[error(
        "keys to the sparse secret of bootstrapping have log2(q₀·P) = {log2_modulus:.1}, and ring degree {ring_degree} allows {largest}: give level 0 a key tier with fewer special primes (0: no figure is known)"
    )]
    SparseModulus {
        /// log2 of the modulus of the keys of level 0.
        log2_modulus: f64,
        /// The ring degree.
        ring_degree: usize,
        /// The largest that is secure, 0 if none is known.
        largest: u32,
    },
    /// The noise factor is zero, or shares a factor with a prime of the moduli.
    #[error("noise factor {0} must be a positive whole number without a common factor with the primes")]
    NoiseFactor(NoiseFactor),
}
