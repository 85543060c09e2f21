//! Transforms and sums of residues modulo primes of several words, eight at a time.

/// Residues that are computed with side by side: the lanes of a strip.
pub const WIDE_LANES: usize = 8;
/// The most words of 52 bits that a modulus has, with [`WideTable::SPARE_BITS`].
pub const MAX_WIDE_LIMBS: usize = 64;
/// Transforms take numbers of either sign, below p·2^SIGN_BITS.
pub(crate) const SIGN_BITS: u32 = 18;
/// The most rows that are transformed, as log2: sums of so many residues fit the spare bits.
const MAX_LOG2_ROWS: u32 = 17;

/// An odd modulus p in words of 52 bits, with the constants of Montgomery's arithmetic modulo p ("Modular multiplication
/// without trial division", 1985), R = 2^(52·words).
#[derive(Clone, Debug)]
pub struct WideTable {
    words: Vec<u64>,
    /// −p⁻¹ modulo 2^52.
    negative_inverse: u64,
}

impl WideTable {
    /// The bits by which the words exceed the modulus: sums aren't reduced.
    pub const SPARE_BITS: u32 = 20;

    /// The number of words for a modulus of so many bits.
    pub fn limbs_of(bits: u64) -> usize {
        (bits + u64::from(Self::SPARE_BITS)).div_ceil(52) as usize
    }

    /// Takes the words of a modulus, the lowest first, so many as [`WideTable::limbs_of`] says.
    ///
    /// # Panics
    /// If the modulus is even, there are more than [`MAX_WIDE_LIMBS`] words, or words beyond 52 bits or less than the spare bits.
    pub fn new(words: &[u64]) -> Self {
        let top = words.last().expect("a modulus has words");
        assert!(words[0] % 2 == 1, "the modulus is odd");
        assert!(words.len() <= MAX_WIDE_LIMBS && words.iter().all(|word| word >> 52 == 0));
        assert!(top >> (52 - Self::SPARE_BITS) == 0, "the modulus leaves bits to spare");
        // Newton's iteration doubles the number of correct bits; p is its own inverse modulo 8.
        let p = words[0];
        let inverse = (0..5).fold(p, |x, _| x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x))));
        Self { words: words.to_vec(), negative_inverse: inverse.wrapping_neg() & ((1 << 52) - 1) }
    }

    /// The number of words.
    pub fn limbs(&self) -> usize {
        self.words.len()
    }

    /// The words of p, the lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn negative_inverse(&self) -> u64 {
        self.negative_inverse
    }
}

/// The loops over residues of several words of one back-end. Every back-end gives the same bits.
///
/// A strip holds rows of [`WIDE_LANES`] residues: word j of lane l of row r at (r·words + j)·8 + l. Roots are as many words
/// each, times R modulo p.
///
/// # Panics
/// Every kernel panics on slices whose lengths don't go together: that is a bug of the caller.
#[allow(clippy::type_complexity)] // As in `Kernels`, arguments are named in each type.
pub struct WideKernels {
    /// The back-end's name.
    pub name: &'static str,
    /// out ← Σ wₖ·aₖ/2^52 modulo p, word after word for all places: out is as many slices of the inputs' length as p has
    /// words. In: aₖ of 52 bits, wₖ < p, fewer than 2^10. Out: < (k + 1)·p for k inputs.
    ///
    /// # Panics
    /// Unless the length is a multiple of 8.
    pub weighted_sum: fn(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], p: &WideTable),
    /// Negacyclic NTT of the lanes of a strip, to evaluation order. `roots` has R modulo p, then ψ^reverse(i) at i. In: words
    /// of at most 2^62, signed, that make numbers below p·2^18 of either sign. Out: < p.
    pub ntt_forward: fn(strip: &mut [u64], roots: &[u64], p: &WideTable),
    /// The inverse. `roots` has the factor R/size modulo p, then ψ^−reverse(i) at i. In and out: < p.
    pub ntt_inverse: fn(strip: &mut [u64], roots: &[u64], p: &WideTable),
}

impl std::fmt::Debug for WideKernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WideKernels").field("name", &self.name).finish_non_exhaustive()
    }
}

pub(crate) fn check_sum(out: &[u64], inputs: &[&[u64]], weights: &[u64], p: &WideTable) {
    let length = out.len() / p.limbs();
    assert!(out.len() == length * p.limbs() && length.is_multiple_of(WIDE_LANES));
    assert!(inputs.len() < 1 << 10 && inputs.iter().all(|input| input.len() == length));
    assert_eq!(weights.len(), inputs.len() * p.limbs());
    debug_assert!(inputs.iter().all(|input| input.iter().all(|word| word >> 52 == 0)));
}

pub(crate) fn check_transform(strip: &[u64], roots: &[u64], p: &WideTable) {
    let size = roots.len() / p.limbs();
    assert!(size.is_power_of_two() && size.ilog2() <= MAX_LOG2_ROWS);
    assert!(roots.len() == size * p.limbs() && strip.len() == roots.len() * WIDE_LANES);
}
