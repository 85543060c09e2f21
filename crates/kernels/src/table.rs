//! The table of kernels, one function per operation.

use crate::{
    ExternalProduct, FftTable, Modulus, NttTable, PackedWords, Permutation, ProductScratch, ShoupFactor,
    SlotTable,
};

/// The terms that one automorphism adds to the two sums of a key switch, modulo one prime.
#[derive(Clone, Copy, Debug)]
pub struct SwitchTerm<'a> {
    /// The automorphism; `None` is the identity.
    pub permutation: Option<&'a Permutation>,
    /// Residues added to each of the two sums, besides the products.
    pub addends: [Option<&'a [u64]>; 2],
    /// The digits of the polynomial that is key-switched.
    pub digits: &'a [&'a [u64]],
    /// The key, one pair for each digit. It applies to the digits' images, so it isn't permuted.
    pub keys: &'a [[PackedWords<'a>; 2]],
}

impl SwitchTerm<'_> {
    /// Whether all slices have `length` words.
    pub(crate) fn fits(&self, length: usize) -> bool {
        self.permutation.is_none_or(|permutation| permutation.len() == length)
            && self.digits.len() == self.keys.len()
            && self.addends.iter().flatten().chain(self.digits).all(|words| words.len() == length)
            && self.keys.iter().flatten().all(|words| words.len() == length)
    }
}

/// The loops over slices of one back-end. All slices of a call have the same length (any length, unless the
/// operation needs the ring degree); all residues are canonical, `< q`, on the way in and on the way out unless
/// a field says otherwise. Every back-end gives the same bits.
///
/// # Panics
/// Every kernel panics on slices of unequal length: that is a bug of the caller.
// The arguments are named in each type, as the contracts name them: an alias would hide the names.
#[allow(clippy::type_complexity)]
pub struct Kernels {
    /// Name as in `ASANOHA_KERNELS`.
    pub name: &'static str,
    /// The widest modulus, and the widest word in any input slice, in bits.
    pub max_bits: u32,
    /// a ← a + b.
    pub add_assign: fn(a: &mut [u64], b: &[u64], q: &Modulus),
    /// a ← a − b.
    pub sub_assign: fn(a: &mut [u64], b: &[u64], q: &Modulus),
    /// a ← −a.
    pub neg_assign: fn(a: &mut [u64], q: &Modulus),
    /// a ← a·b.
    pub mul_assign: fn(a: &mut [u64], b: &[u64], q: &Modulus),
    /// c ← c + a·b.
    pub fma_assign: fn(c: &mut [u64], a: &[u64], b: &[u64], q: &Modulus),
    /// a ← a·w. In: any a of at most `max_bits` bits.
    pub mul_scalar_assign: fn(a: &mut [u64], w: ShoupFactor, q: &Modulus),
    /// c ← c + a·w. In: any a of at most `max_bits` bits.
    pub fma_scalar_assign: fn(c: &mut [u64], a: &[u64], w: ShoupFactor, q: &Modulus),
    /// a ← (a − b)·w: the last step of dividing by a modulus that was dropped.
    pub sub_mul_scalar_assign: fn(a: &mut [u64], b: &[u64], w: ShoupFactor, q: &Modulus),
    /// out ← Σ aₖ·bₖ over the pairs, reduced once.
    pub inner_product: fn(out: &mut [u64], pairs: &[(&[u64], &[u64])], q: &Modulus),
    /// The sums of a key switch for many automorphisms ψ at once, reduced once:
    /// outₕ ← Σ over terms of ψ(addendₕ) + Σⱼ ψ(digitⱼ)·keyⱼₕ, for h = 0 and 1.
    ///
    /// # Panics
    /// Unless every term has as many pairs of the key as digits.
    pub switch_sum: fn(out: [&mut [u64]; 2], terms: &[SwitchTerm<'_>], q: &Modulus),
    /// out ← Σ wₖ·aₖ mod q, reduced once: one row of a base conversion. In: aₖ any words of at most `max_bits`
    /// bits.
    pub weighted_sum: fn(out: &mut [u64], inputs: &[&[u64]], weights: &[ShoupFactor], q: &Modulus),
    /// Row r of out ← Σ wᵣₖ·aₖ mod q, each reduced once: a matrix of constants times rows of words. The weights come
    /// row after row; out has as many rows, each as long as an input. In: aₖ any words of at most `max_bits` bits,
    /// wᵣₖ < q. Without inputs out is zero.
    ///
    /// # Panics
    /// Unless the weights are whole rows and out is as long as all of them.
    pub matrix_product: fn(out: &mut [u64], inputs: &[&[u64]], weights: &[u64], q: &Modulus),
    /// out ← ⌊Σ aₖ·rₖ + ½⌋ in double precision, added in the order given without fused operations, so that
    /// every back-end rounds alike. In: Σ aₖ·rₖ < 2^31.
    pub rounded_sum: fn(out: &mut [u64], inputs: &[&[u64]], reciprocals: &[f64]),
    /// With fⱼ = Σ aₖⱼ·rₖ less the nearest integer: the largest |fⱼ| and Σ fⱼ², in double precision, where every eighth square is
    /// summed apart and no operations are fused, so that every back-end rounds alike. In: Σ aₖ·rₖ < 2^31.
    ///
    /// # Panics
    /// Unless all inputs have one length, a multiple of eight.
    pub fraction_size: fn(inputs: &[&[u64]], reciprocals: &[f64]) -> (f64, f64),
    /// out ← input mod q. In: any signed words. Takes the same time for all values.
    pub from_signed: fn(out: &mut [u64], input: &[i64], q: &Modulus),
    /// outᵢ ← input at the permutation's source of i. In: any words.
    pub permute: fn(out: &mut [u64], input: &[u64], permutation: &Permutation),
    /// outᵢ ← word start + i of the packed ones. Fastest where start is a multiple of eight.
    ///
    /// # Panics
    /// If there are fewer words.
    pub unpack: fn(out: &mut [u64], words: PackedWords<'_>, start: usize),
    /// Signed digits of torus words (any words), rounded to `levels` digits: digit i of word j goes to
    /// out\[i·len + j\], i = 0 the most significant, with |word − Σ digitᵢ·2^(64 − (i+1)·bits)| ≤ 2^(63 − bits·levels)
    /// modulo 2^64. Out: −2^(bits−1) ≤ digit < 2^(bits−1). Takes the same time for all values.
    ///
    /// # Panics
    /// Unless 1 ≤ `digit_bits`·`levels` ≤ 64 and `out` has `levels` times the length of `input`.
    pub decompose: fn(out: &mut [i64], input: &[u64], digit_bits: u32, levels: u32),
    /// out ← ⌊input/2^shift + ½⌋ modulo 2^(64−shift): the modulus switch of torus words. In: any words.
    ///
    /// # Panics
    /// Unless `shift` < 64.
    pub round_shift: fn(out: &mut [u64], input: &[u64], shift: u32),
    /// out ← the nearest integer modulo 2^64, ties to even, for inputs of any magnitude; 2^63 for infinities and NaN.
    pub round_to_torus: fn(out: &mut [u64], input: &[f64]),
    /// Negacyclic NTT in place, to evaluation order (see [`evaluation_exponent`](crate::evaluation_exponent)). In and out: < q.
    pub ntt_forward: fn(a: &mut [u64], table: &NttTable),
    /// Inverse of `ntt_forward`, 1/N included. In and out: < q.
    pub ntt_inverse: fn(a: &mut [u64], table: &NttTable),
    /// Negacyclic FFT of n real coefficients, to the Fourier domain (order and layout: [`fourier_exponent`] and
    /// [`fourier_words`](crate::fourier_words)). In: any signed integers, such as small digits, or torus words as their
    /// bits (the word w means w/2^64, centred); they're rounded to double precision. Out: n words, the n/2 complex
    /// values, with an error of at most 2^−52·log2(n)·n times the largest |input| (random errors: √n in place of n).
    ///
    /// Fastest on slices that start at a cache line.
    ///
    /// [`fourier_exponent`]: crate::fourier_exponent
    pub fft_forward: fn(out: &mut [f64], input: &[i64], table: &FftTable),
    /// Inverse of `fft_forward`, 2/n included: n real coefficients, not rounded. `spectrum` is the input and serves as
    /// scratch memory: its contents afterwards are unspecified.
    pub fft_inverse: fn(out: &mut [f64], spectrum: &mut [f64], table: &FftTable),
    /// acc ← acc + a·b in the Fourier domain. All have the same length, a multiple of 16 words.
    pub fft_mul_add: fn(acc: &mut [f64], a: &[f64], b: &[f64]),
    /// out ← out + ⌊x⌉ mod 2^64, ties to even: real coefficients to torus words. In: any finite x; one of magnitude
    /// 2^116 or more is a multiple of 2^64 and adds 0.
    pub fft_round_add: fn(out: &mut [u64], x: &[f64]),
    /// out ← out + m·input, where `key` is a GGSW ciphertext of m ([`ExternalProduct::write_key`]): a GLWE ciphertext of
    /// 32-bit torus words, polynomial by polynomial. Out: rounded to words, ties to even, after sums in double precision.
    ///
    /// # Panics
    /// Unless the slices have the lengths that `shape` says.
    pub external_product: fn(
        out: &mut [u32],
        input: &[u32],
        key: &[f64],
        scratch: &mut ProductScratch<'_>,
        shape: &ExternalProduct,
    ),
    /// acc ← acc + m·(X^`exponent` − 1)·acc, the step of a blind rotation: as `external_product`. While it works it
    /// fetches `next`, which is read next.
    ///
    /// # Panics
    /// Unless the slices have the lengths that `shape` says.
    pub rotate: fn(
        acc: &mut [u32],
        exponent: usize,
        key: &[f64],
        next: &[f64],
        scratch: &mut ProductScratch<'_>,
        shape: &ExternalProduct,
    ),
    /// The slots of wₖ, n complex numbers ([`SlotTable`]), by real and imaginary parts. Nothing is fused: every back-end gives the
    /// same bits.
    pub to_slots: fn(from: [&[f64]; 2], to: [&mut [f64]; 2], table: &SlotTable),
    /// Inverse of `to_slots`, 1/n included. `from` serves as scratch memory: its contents afterwards are unspecified.
    pub to_coefficients: fn(from: [&mut [f64]; 2], to: [&mut [f64]; 2], table: &SlotTable),
    /// out ← low + q₀·digit modulo q₀·q₁, in (−q₀·q₁/2, q₀·q₁/2], rounded to double precision once: a number from its mixed-radix
    /// digits. In: low < q₀, digit < q₁, both odd.
    pub to_floats: fn(out: &mut [f64], low: &[u64], digits: &[u64], primes: [u64; 2]),
    /// outⱼ ← outⱼ − Σ factorᵢ·rowᵢⱼ modulo 2^32, over rows that are as long as out and stand one behind another: the sum of an LWE key switch. In: any words.
    ///
    /// # Panics
    /// Unless there are as many rows as factors.
    pub sub_multiples: fn(out: &mut [u32], rows: &[u32], factors: &[i32]),
}

impl std::fmt::Debug for Kernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernels")
            .field("name", &self.name)
            .field("max_bits", &self.max_bits)
            .finish_non_exhaustive()
    }
}
