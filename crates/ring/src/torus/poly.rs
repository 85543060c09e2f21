//! Torus polynomials, and their products with powers of X.

use crate::Words;

/// Torus polynomials of one degree, one behind another in public memory.
#[derive(Clone, Debug)]
pub struct TorusPolys {
    words: Words,
    ring_degree: usize,
}

impl TorusPolys {
    /// `count` polynomials that are zero.
    pub fn zero(ring_degree: usize, count: usize) -> Self {
        Self { words: Words::zero(ring_degree * count), ring_degree }
    }

    /// The number of coefficients N of a polynomial.
    pub fn ring_degree(&self) -> usize {
        self.ring_degree
    }

    /// The number of polynomials.
    pub fn count(&self) -> usize {
        self.words.len() / self.ring_degree
    }

    /// The coefficients of all polynomials, N words of the first, then N of the next.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The coefficients of all polynomials.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The polynomials.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[u64]> + ExactSizeIterator {
        self.words.chunks_exact(self.ring_degree)
    }

    /// The polynomials.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut [u64]> + ExactSizeIterator {
        self.words.chunks_exact_mut(self.ring_degree)
    }
}

/// out ← a·X^`exponent` modulo X^N + 1, for any exponent: X^N is −1. The exponent is public.
///
/// # Panics
/// Unless both polynomials have the same length.
pub fn mul_by_power(out: &mut [u64], a: &[u64], exponent: usize) {
    let n = a.len();
    assert_eq!(out.len(), n);
    let (shift, minus) = (exponent % n, exponent / n % 2 == 1);
    let write = |out: &mut [u64], from: &[u64], minus: bool| {
        let value = |&word: &u64| if minus { word.wrapping_neg() } else { word };
        out.iter_mut().zip(from).for_each(|(out, from)| *out = value(from));
    };
    let (low, high) = out.split_at_mut(shift);
    write(low, &a[n - shift..], !minus);
    write(high, &a[..n - shift], minus);
}
