//! The dimensions of a triple.

use serde::{Deserialize, Serialize};

/// The dimensions of a triple (A, B, A·B): A has `rows` × `inner` entries, B `inner` × `columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TripleShape {
    /// Rows of A and of A·B.
    pub rows: usize,
    /// Columns of A and rows of B.
    pub inner: usize,
    /// Columns of B and of A·B.
    pub columns: usize,
}

impl TripleShape {
    /// Of square matrices.
    pub fn square(dimension: usize) -> Self {
        Self { rows: dimension, inner: dimension, columns: dimension }
    }

    /// The entries of A, B and A·B together.
    pub fn entries(&self) -> usize {
        self.matrices().iter().map(|[rows, columns]| rows * columns).sum()
    }

    /// The rows and columns of A, B and A·B.
    pub fn matrices(&self) -> [[usize; 2]; 3] {
        [[self.rows, self.inner], [self.inner, self.columns], [self.rows, self.columns]]
    }
}

impl std::fmt::Display for TripleShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}x{}", self.rows, self.inner, self.columns)
    }
}
