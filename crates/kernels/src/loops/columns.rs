//! A block of words in equal parts, read column by column by the layers of the NTT that work between vectors.

/// Defines `Columns`. Its scope has `Vector`, `Words`, `LANES`, `load`, `store` and `zero`.
macro_rules! vector_columns {
    (#[$feature:meta]) => {
        /// A block in P equal parts; its i-th column is the i-th vector of each.
        pub(crate) struct Columns<'a, const P: usize> {
            start: *mut Words,
            /// Vectors in a part.
            length: usize,
            block: std::marker::PhantomData<&'a mut [u64]>,
        }

        impl<'a, const P: usize> Columns<'a, P> {
            #[inline]
            pub(crate) fn new(block: &'a mut [u64]) -> Self {
                Self {
                    start: block.as_mut_ptr().cast(),
                    length: block.len() / (P * LANES),
                    block: std::marker::PhantomData,
                }
            }

            /// The number of columns.
            #[inline]
            pub(crate) fn len(&self) -> usize {
                self.length
            }

            #[inline]
            #[$feature]
            pub(crate) fn load(&self, i: usize) -> [Vector; P] {
                assert!(i < self.length);
                let mut vectors = [zero(); P];
                for (part, vector) in vectors.iter_mut().enumerate() {
                    // SAFETY: part < P and i < length, so the vector lies in the block, which is borrowed for 'a.
                    *vector = load(unsafe { &*self.start.add(part * self.length + i) });
                }
                vectors
            }

            #[inline]
            #[$feature]
            pub(crate) fn store(&mut self, i: usize, vectors: [Vector; P]) {
                assert!(i < self.length);
                for (part, vector) in vectors.into_iter().enumerate() {
                    // SAFETY: as in `load`; `self` is borrowed mutably, so no other reference into the block lives.
                    store(unsafe { &mut *self.start.add(part * self.length + i) }, vector);
                }
            }
        }
    };
}
