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
    turned(out, a, exponent, |turned, _| turned);
}

/// out ← a·(X^`exponent` − 1) modulo X^N + 1, for any exponent. The exponent is public.
///
/// # Panics
/// Unless both polynomials have the same length.
pub fn mul_by_power_minus_one(out: &mut [u64], a: &[u64], exponent: usize) {
    turned(out, a, exponent, u64::wrapping_sub);
}

/// Writes `value` of each coefficient of a·X^exponent and of the coefficient of a at the same place.
fn turned(out: &mut [u64], a: &[u64], exponent: usize, value: impl Fn(u64, u64) -> u64) {
    let n = a.len();
    assert_eq!(out.len(), n);
    let (shift, half_turns) = (exponent % n, exponent / n);
    // All ones for a minus: x·(−1) is the complement of x, plus one.
    let minus = if half_turns % 2 == 1 { u64::MAX } else { 0 };
    let write = |out: &mut [u64], from: &[u64], at: &[u64], minus: u64| {
        out.iter_mut()
            .zip(from.iter().zip(at))
            .for_each(|(out, (&from, &at))| *out = value((from ^ minus).wrapping_sub(minus), at));
    };
    let (low, high) = out.split_at_mut(shift);
    write(low, &a[n - shift..], &a[..shift], !minus);
    write(high, &a[..n - shift], &a[shift..], minus);
}
