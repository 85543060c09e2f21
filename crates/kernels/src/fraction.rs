//! What the loops that measure fractions share.

/// Squares that are summed apart.
pub(crate) const GROUP: usize = 8;

/// The sum of this and a double of magnitude at most 2^51, less this, is the nearest integer; that's faster than rounding.
pub(crate) const TO_INTEGER: f64 = 1.5 * (1u64 << 52) as f64;

/// The length of all inputs of a sum of fractions.
pub(crate) fn checked_length(inputs: &[&[u64]], reciprocals: &[f64]) -> usize {
    let length = inputs.first().map_or(0, |input| input.len());
    assert!(inputs.len() == reciprocals.len() && inputs.iter().all(|input| input.len() == length));
    assert!(length.is_multiple_of(GROUP));
    length
}

/// The largest of all and the sum of all.
pub(crate) fn size_of_groups(largest: &[f64; GROUP], squares: &[f64; GROUP]) -> (f64, f64) {
    let largest = largest.iter().fold(0.0, |largest: f64, &fraction| largest.max(fraction));
    (largest, squares.iter().fold(0.0, |sum, square| sum + square))
}
