//! Vectors as matrices take them.

use asanoha_scheme::Scheme;

use super::MatrixError;

/// A vector that is repeated all over the rows of slots: in blocks as long as the next power of two of its length n, each of
/// which holds its n entries and zeros. So a matrix takes its vector, and returns its product.
///
/// [`Repeated::slots`] lays a vector out, and [`Repeated::try_map`] encrypts it:
///
/// ```
/// use asanoha_ckks::Ckks;
/// use asanoha_circuits::linear_transform::Repeated;
/// use asanoha_scheme::GenerateKeys;
///
/// let params = Ckks::parameters().slots(1024).build()?;
/// let (secret, public) = params.generate_keys();
/// let v = Repeated::slots(&[0.5, 0.25, 1.0], &params)?.try_map(|slots| public.encrypt(slots))?;
/// let slots = secret.decrypt(v.value())?;
/// for (found, expected) in slots.iter().zip([0.5, 0.25, 1.0, 0.0, 0.5, 0.25]) {
///     assert!((found - expected).abs() < 1e-5);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Repeated<T> {
    value: T,
    length: usize,
}

impl<V: Clone + Default> Repeated<Vec<V>> {
    /// All slots of the parameters, filled with a vector. Where slots form two rows, both hold it.
    ///
    /// # Errors
    /// [`MatrixError::TooLarge`] of a vector whose block is longer than a row.
    pub fn slots(vector: &[V], params: &impl Scheme) -> Result<Self, MatrixError> {
        let length = vector.len();
        let (block, row) = (length.next_power_of_two(), params.row_slots().unwrap_or(0));
        if block > row {
            return Err(MatrixError::TooLarge { block, slots: row });
        }
        let entry = |slot: usize| vector.get(slot % block).cloned().unwrap_or_default();
        Ok(Self { value: (0..params.slots()).map(entry).collect(), length })
    }
}

impl<T> Repeated<T> {
    /// What holds a vector of `length` entries in the way that [`Repeated`] describes. Nothing checks it: the caller answers
    /// for it, and of what isn't repeated products are wrong. Rows may hold different vectors.
    pub fn assume(value: T, length: usize) -> Self {
        Self { value, length }
    }

    /// The slots, the plaintext or the ciphertext.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The slots, the plaintext or the ciphertext.
    pub fn into_value(self) -> T {
        self.value
    }

    /// The number of the vector's entries.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The same vector in another form: slots encrypted, a ciphertext rescaled. The caller answers for it that `f` does the
    /// same to every block.
    ///
    /// # Errors
    /// Those of `f`.
    pub fn try_map<U, E>(self, f: impl FnOnce(T) -> Result<U, E>) -> Result<Repeated<U>, E> {
        Ok(Repeated { value: f(self.value)?, length: self.length })
    }
}
