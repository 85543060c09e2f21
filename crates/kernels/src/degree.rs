//! The ring degrees of the NTT, and the order of its evaluation points.

/// The smallest ring degree of the NTT.
pub const MIN_RING_DEGREE: usize = 1 << 3;
/// The largest ring degree of the NTT.
pub const MAX_RING_DEGREE: usize = 1 << 18;

/// The odd exponent e such that entry `index` of a polynomial in evaluation order holds its value at ψ^e, where
/// ψ is the table's primitive 2N-th root: e = 2·reverse(index) + 1, with the log2(N) bits of the index reversed.
///
/// Everything that addresses evaluation points (automorphisms, slots) goes through this function.
pub fn evaluation_exponent(ring_degree: usize, index: usize) -> usize {
    debug_assert!(ring_degree.is_power_of_two() && index < ring_degree);
    2 * (index.reverse_bits() >> (usize::BITS - ring_degree.trailing_zeros())) + 1
}
