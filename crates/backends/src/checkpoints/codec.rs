//! How values of a scheme stand in files.

use asanoha_lattice::{FileError, FileReader, FileWriter};

use super::part::Part;

/// How values of a scheme stand in files.
pub(crate) trait Codec: Sync {
    /// A ciphertext, or an integer.
    type Value: Clone + Send + Sync;

    /// The places of a column's values that a walk has apart: its ciphertexts, or its rows in TFHE.
    fn places(&self) -> usize;

    /// What parts of a step are, if it can have any.
    fn form(&self, part: Part) -> Option<Form>;

    /// Whether a value can be read again.
    fn fits(&self, _value: &Self::Value) -> bool {
        true
    }

    /// Its length in bytes.
    fn bytes(&self, value: &Self::Value) -> u64;

    /// Adds a value to a file.
    fn put<'v>(&self, value: &'v Self::Value, file: &mut FileWriter<'v>, name: &str);

    /// Reads a value, whose state is what the plan gives.
    ///
    /// # Errors
    /// What isn't such a value.
    fn get(
        &self,
        file: &FileReader<'_>,
        name: &str,
        part: Part,
        index: usize,
    ) -> Result<Self::Value, FileError>;
}

/// The form of a part in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// How many values it has: more than one for functions that have several results.
    pub(crate) values: usize,
    /// The dimensions of each.
    pub(crate) shape: Vec<usize>,
}
