//! Equal parts of a block, read and written at the same place of each.

use std::arch::x86_64::{__m256i, _mm256_setzero_si256};
use std::marker::PhantomData;

use crate::avx2::vector::{LANES, Words, load, store};

/// A block in P equal parts; its i-th column is the i-th vector of each.
pub(super) struct Columns<'a, const P: usize> {
    start: *mut Words,
    /// Vectors in a part.
    length: usize,
    block: PhantomData<&'a mut [u64]>,
}

impl<'a, const P: usize> Columns<'a, P> {
    #[inline]
    pub(super) fn new(block: &'a mut [u64]) -> Self {
        Self { start: block.as_mut_ptr().cast(), length: block.len() / (P * LANES), block: PhantomData }
    }

    /// The number of columns.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn load(&self, i: usize) -> [__m256i; P] {
        assert!(i < self.length);
        let mut vectors = [_mm256_setzero_si256(); P];
        for (part, vector) in vectors.iter_mut().enumerate() {
            // SAFETY: part < P and i < length, so the vector lies in the block, which is borrowed for 'a.
            *vector = load(unsafe { &*self.start.add(part * self.length + i) });
        }
        vectors
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn store(&mut self, i: usize, vectors: [__m256i; P]) {
        assert!(i < self.length);
        for (part, vector) in vectors.into_iter().enumerate() {
            // SAFETY: as in `load`; `self` is borrowed mutably, so no other reference into the block lives.
            store(unsafe { &mut *self.start.add(part * self.length + i) }, vector);
        }
    }
}
