//! The rings that are tried.

use asanoha_lattice::largest_log2_modulus;

use crate::error::GenerateError;

/// The ring degrees that are tried, as log2.
const LOG2_RING_DEGREES: std::ops::RangeInclusive<u32> = 12..=17;
/// The security of test plans in small rings, which are marked insecure and which no plan file may have.
pub const NO_SECURITY: u32 = 0;
/// log2 of the factor by which the rings of such plans are smaller.
const LOG2_REDUCTION: u32 = 5;
/// More primes than any modulus that is secure at the largest ring degree has.
pub(crate) const MAX_PRIMES: usize = 110;

/// Log2 of the ring degree and the largest log2(QP) of every ring that is tried, or an error for a security that isn't in the
/// table. Without security the moduli are those of 128 bits, in rings that are too small for them.
pub(crate) fn rings(security: u32) -> Result<impl Iterator<Item = (u32, f64)>, GenerateError> {
    if security > 256 {
        return Err(GenerateError::Security(security));
    }
    let less = if security == NO_SECURITY { LOG2_REDUCTION } else { 0 };
    Ok(LOG2_RING_DEGREES.map(move |log2_n| {
        let largest = largest_log2_modulus(1 << log2_n, security);
        (log2_n - less, largest.map_or(0.0, f64::from))
    }))
}
