//! What a party holds of triples.

use asanoha_circuits::matrix::MatrixBatch;

/// One party's shares of matrices and of their codes.
#[derive(Clone, Debug)]
pub struct SharedMatrices {
    /// The shares of the entries x.
    pub values: MatrixBatch,
    /// The shares of α·x.
    pub codes: MatrixBatch,
}

/// One party's shares of some triples of one shape: A, B and A·B. They are erased on drop.
#[derive(Clone, Debug)]
pub struct PartyTriples {
    /// A, B and A·B.
    pub matrices: [SharedMatrices; 3],
}

impl PartyTriples {
    /// How many triples there are.
    pub fn count(&self) -> usize {
        self.matrices[0].values.count()
    }
}
