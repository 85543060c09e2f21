//! Polynomials in evaluation form whose values repeat, stored once for each run.

use std::ops::Range;

use super::{
    basis::Basis,
    poly::{Evaluation, Poly},
};
use crate::memory::Words;

/// A polynomial in evaluation order whose values come in runs of equal ones; one word is stored for each run.
///
/// A polynomial in X^r, r a power of two, takes the same value at ψ^e and ψ^(e + 2N/r), and evaluation order puts those
/// next to one another: in runs of r. The encoding of a vector of slots that repeats after n is one in X^(N/2n).
///
/// ```
/// use asanoha_ring::{Backend, Basis, Coefficient, Poly, Runs};
///
/// let basis = Basis::new(16, &[97], Backend::Scalar)?;
/// let mut coefficients = [0; 16];
/// (coefficients[0], coefficients[4]) = (5, -3);
/// let runs = Runs::new(Poly::<Coefficient>::from_small(&basis, &coefficients).into_evaluation());
/// assert_eq!((runs.run_length(), runs.bytes()), (4, 8 * 16 / 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Runs {
    basis: Basis,
    log2_length: u32,
    words: Words,
}

impl std::fmt::Debug for Runs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runs").field("run_length", &self.run_length()).finish_non_exhaustive()
    }
}

impl Runs {
    /// Packs a polynomial, in the longest runs that fit it modulo every prime.
    pub fn new(poly: Poly<Evaluation>) -> Self {
        let basis = poly.basis().clone();
        let n = basis.ring_degree();
        // Two runs are one if their first words are equal.
        let starts = |log2: u32| poly.words().iter().step_by(1 << (log2 - 1));
        let pairs = |log2: u32| starts(log2).step_by(2).zip(starts(log2).skip(1).step_by(2));
        let stands_in = |log2: &u32| pairs(*log2).all(|(first, second)| first == second);
        let log2_length = (1..=n.ilog2()).take_while(stands_in).last().unwrap_or(0);
        if log2_length == 0 {
            return Self { basis, log2_length, words: poly.into_words() };
        }
        let mut words = basis.pool().take(poly.words().len() >> log2_length);
        words.iter_mut().zip(poly.words().iter().step_by(1 << log2_length)).for_each(|(a, b)| *a = *b);
        Self { basis, log2_length, words }
    }

    /// The basis.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The number of equal values in a run.
    pub fn run_length(&self) -> usize {
        1 << self.log2_length
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// The polynomial's words in a range modulo the prime at a position: the stored ones if runs have length 1, else
    /// written to `scratch`. The range starts at a multiple of its length, which is a power of two and the length of
    /// `scratch`.
    pub(super) fn words<'a>(
        &'a self,
        position: usize,
        range: Range<usize>,
        scratch: &'a mut [u64],
    ) -> &'a [u64] {
        let runs = self.basis.ring_degree() >> self.log2_length;
        let limb = &self.words[position * runs..(position + 1) * runs];
        let values = &limb[range.start >> self.log2_length..];
        match self.log2_length {
            0 => return &values[..range.len()],
            1 => spread::<2>(scratch, values, 0),
            2 => spread::<4>(scratch, values, 0),
            log2 => spread::<8>(scratch, values, log2 - 3),
        }
        scratch
    }
}

/// Writes every value 2^shift times in a row, C words at once.
fn spread<const C: usize>(out: &mut [u64], values: &[u64], shift: u32) {
    let (chunks, rest) = out.as_chunks_mut::<C>();
    chunks.iter_mut().enumerate().for_each(|(i, chunk)| *chunk = [values[i >> shift]; C]);
    rest.fill(values[0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Coefficient};

    #[test]
    fn runs_hold_every_word_and_are_as_long_as_the_gaps_between_coefficients() {
        let n = 64;
        let basis = Basis::new(n, &[257, 641], Backend::Scalar).unwrap();
        for gap in (0..=n.ilog2()).map(|log2| 1 << log2) {
            let coefficients: Vec<i64> =
                (0..n as i64).map(|j| if (j as usize).is_multiple_of(gap) { 3 * j + 1 } else { 0 }).collect();
            let poly = Poly::<Coefficient>::from_small(&basis, &coefficients).into_evaluation();
            let runs = Runs::new(poly.clone());
            assert_eq!((runs.run_length(), runs.bytes()), (gap, 2 * 8 * n / gap));
            for block in [1, 2, 4, 16, n] {
                let mut scratch = vec![0; block];
                for (position, start) in (0..2).flat_map(|i| (0..n).step_by(block).map(move |s| (i, s))) {
                    let range = start..start + block;
                    let words = runs.words(position, range.clone(), &mut scratch);
                    assert_eq!(words, &poly.limb(position)[range], "gap {gap}, block {block}");
                }
            }
        }
    }
}
