//! GLWE ciphertexts in words of 32 bits, which blind rotations turn.

use asanoha_ring::{ProductMemory, TorusPolys, TorusProduct, Words, mul_by_power};
use bytemuck::{cast_slice, cast_slice_mut};

use super::GlweCiphertext;

/// A GLWE ciphertext in words of 32 bits: the polynomials of the mask, then the body.
pub(super) struct Accumulator {
    /// Two of them in each.
    words: Words,
    ring_degree: usize,
}

impl Accumulator {
    /// The ciphertext, rounded.
    pub(super) fn rounded(ciphertext: &GlweCiphertext) -> Self {
        let polys = ciphertext.polys();
        let mut words = Words::zero(polys.words().len().div_ceil(2));
        let short: &mut [u32] = cast_slice_mut(&mut words);
        short
            .iter_mut()
            .zip(polys.words())
            .for_each(|(short, word)| *short = (word.wrapping_add(1 << 31) >> 32) as u32);
        Self { words, ring_degree: polys.ring_degree() }
    }

    /// X^(−`body`)·polynomial without a mask, where a blind rotation starts.
    pub(super) fn start(product: &TorusProduct, body: u64, polynomial: &[u64]) -> Self {
        let n = product.ring().ring_degree();
        assert_eq!(polynomial.len(), n);
        let positions = 2 * n as u64;
        let mut polys = TorusPolys::zero(n, product.polys());
        let last = polys.iter_mut().next_back().expect("there is a body");
        mul_by_power(last, polynomial, (positions - body % positions) as usize);
        Self::rounded(&GlweCiphertext(polys))
    }

    /// The ciphertext in words of 64 bits.
    pub(super) fn widened(&self) -> GlweCiphertext {
        let short = self.words();
        let mut polys = TorusPolys::zero(self.ring_degree, short.len() / self.ring_degree);
        polys.words_mut().iter_mut().zip(short).for_each(|(word, &short)| *word = u64::from(short) << 32);
        GlweCiphertext(polys)
    }

    pub(super) fn words(&self) -> &[u32] {
        cast_slice(&self.words)
    }

    pub(super) fn words_mut(&mut self) -> &mut [u32] {
        cast_slice_mut(&mut self.words)
    }
}

/// An accumulator and the exponents that it's turned by.
pub(super) struct Turned<'a> {
    pub(super) accumulator: Accumulator,
    mask: &'a [u64],
}

impl<'a> Turned<'a> {
    /// Where the rotation of a polynomial by a switched ciphertext starts, and its exponents.
    ///
    /// # Panics
    /// Unless there's a word for each bit and one for the body, and the polynomial has the product's degree.
    pub(super) fn new(
        product: &TorusProduct,
        bits: usize,
        (switched, polynomial): (&'a [u64], &[u64]),
    ) -> Self {
        assert_eq!(switched.len(), bits + 1);
        let (mask, body) = switched.split_at(bits);
        Self { accumulator: Accumulator::start(product, body[0], polynomial), mask }
    }
}

/// Turns all accumulators by one bit; while that's done `next` is fetched.
pub(super) fn turn(
    product: &TorusProduct,
    all: &mut [Turned<'_>],
    bit: usize,
    key: &[f64],
    next: &[f64],
    memory: &mut ProductMemory,
) {
    let count = all.len();
    let part = |i: usize| i * next.len() / count;
    for (i, Turned { accumulator, mask }) in all.iter_mut().enumerate() {
        let exponent = mask[bit] as usize;
        product.rotate(accumulator.words_mut(), exponent, key, &next[part(i)..part(i + 1)], memory);
    }
}
