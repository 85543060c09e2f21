//! Many matrices of one shape.

use std::ops::Range;

use asanoha_ring::{WideModulus, Words};

/// `count` matrices of one shape, with entries modulo t as rows of little-endian words ([`WideModulus`]). The entries at
/// one place are next to each other, as they are transformed together.
/// They may be secret: they're erased on drop, and kept from core files and forked processes.
#[derive(Clone)]
pub struct MatrixBatch {
    rows: usize,
    columns: usize,
    count: usize,
    limbs: usize,
    words: Words,
}

impl std::fmt::Debug for MatrixBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Entries may be secret.
        let Self { rows, columns, count, .. } = self;
        write!(f, "MatrixBatch({count} of {rows} × {columns})")
    }
}

impl PartialEq for MatrixBatch {
    fn eq(&self, other: &Self) -> bool {
        let parts = |batch: &Self| [batch.rows, batch.columns, batch.count, batch.limbs];
        parts(self) == parts(other) && *self.words == *other.words
    }
}

impl Eq for MatrixBatch {}

impl MatrixBatch {
    /// Matrices of zeros.
    pub fn zero(modulus: &WideModulus, [rows, columns]: [usize; 2], count: usize) -> Self {
        let limbs = modulus.limbs();
        let mut words = Words::secret(rows * columns * count * limbs);
        words.fill(0);
        Self { rows, columns, count, limbs, words }
    }

    /// The numbers of rows and columns of each.
    pub fn shape(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    /// How many matrices there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// All words: place after place, in rows of each matrix; at a place matrix after matrix.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// All words, to be written.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// The entries of all matrices at a place.
    pub fn place(&self, row: usize, column: usize) -> &[u64] {
        let length = self.count * self.limbs;
        &self.words[(row * self.columns + column) * length..][..length]
    }

    /// The entries of some matrices at a place.
    pub fn entries(&self, indices: Range<usize>, row: usize, column: usize) -> &[u64] {
        &self.place(row, column)[indices.start * self.limbs..indices.end * self.limbs]
    }

    /// The entries of some matrices at a place, to be written.
    pub fn entries_mut(&mut self, indices: Range<usize>, row: usize, column: usize) -> &mut [u64] {
        let start = (row * self.columns + column) * self.count;
        &mut self.words[(start + indices.start) * self.limbs..(start + indices.end) * self.limbs]
    }

    /// An entry of one matrix.
    pub fn entry(&self, index: usize, row: usize, column: usize) -> &[u64] {
        &self.place(row, column)[index * self.limbs..][..self.limbs]
    }

    /// An entry of one matrix, to be written.
    pub fn entry_mut(&mut self, index: usize, row: usize, column: usize) -> &mut [u64] {
        let start = ((row * self.columns + column) * self.count + index) * self.limbs;
        &mut self.words[start..start + self.limbs]
    }

    /// The products of matrices modulo t, one by one: slow and obviously right.
    ///
    /// # Panics
    /// If the shapes or counts don't go together.
    pub fn product(&self, modulus: &WideModulus, other: &Self) -> Self {
        assert!(self.columns == other.rows && self.count == other.count);
        let mut product = Self::zero(modulus, [self.rows, other.columns], self.count);
        for index in 0..self.count {
            for row in 0..self.rows {
                for column in 0..other.columns {
                    let sum: num_bigint::BigUint = (0..self.columns)
                        .map(|k| {
                            let left = modulus.integer(self.entry(index, row, k));
                            left * modulus.integer(other.entry(index, k, column))
                        })
                        .sum();
                    product.entry_mut(index, row, column).copy_from_slice(&modulus.row(&sum.into()));
                }
            }
        }
        product
    }
}
