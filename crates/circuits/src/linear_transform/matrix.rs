//! Matrices as diagonals.

use std::collections::BTreeMap;

use asanoha_lattice::Level;
use asanoha_scheme::Scheme;

use super::{LinearPlan, MatrixError, Method};

/// A matrix M that is known, to be multiplied with encrypted vectors v: M·v.
///
/// **How slots hold vectors.** The input block is as long as the next power of two of the columns, n; the output
/// block m as that of the rows. The input is one block, its slots after the vector holding zeros, repeated all over a row of
/// slots (N/2 of them, in BGV fewer for some t): [`Repeated`](super::Repeated), which is what products take, lays it out so. In
/// BGV both rows are multiplied, each by itself. The result stands as a block of m in the same way, repeated,
/// zeros after its last entry. A vector as long as a row is one block.
///
/// **Diagonals.** With k = min(n, m) diagonals, slot i of diagonal d holds M\[i mod m\]\[(i + d) mod n\], and
/// Σ_d diagonal_d ⊙ rot_d(v) is M·v where n ≤ m. A wide matrix, n > m, leaves n/m partial sums m slots apart, which
/// log2(n/m) more rotations add up. Diagonals of zeros cost nothing.
/// Source: Halevi, Shoup 2014; for wide matrices Juvekar, Vaikuntanathan, Chandrakasan 2018 ("hybrid").
///
/// ```
/// use asanoha_circuits::linear_transform::{LinearTransform, Method, Repeated};
/// use asanoha_ckks::Ckks;
/// use asanoha_scheme::{GenerateKeys, Scheme};
///
/// let params = Ckks::parameters().depth(1).precision_bits(20).slots(1024).build()?;
/// let matrix = LinearTransform::from_rows(&[vec![0.5, -1.0, 2.0], vec![1.0, 0.0, 3.0]])?;
/// let level = params.max_level();
/// let plan = matrix.plan(&params, level, Method::BabyGiant)?;
///
/// let (secret, public) = params.generate_keys();
/// let keys = secret.evaluation_keys().rotate(plan.rotations()).build()?;
/// let evaluator = params.evaluator(keys);
///
/// // Encoded once, at the scale of the prime that the rescaling divides by.
/// let prime = params.rlwe().q(level).modulus(level.0).value() as f64;
/// let prepared = plan.encode(&params, prime)?;
///
/// // The vector (1, 2, 3): a block of four slots, repeated.
/// let v = Repeated::slots(&[1.0, 2.0, 3.0], &params)?;
/// let v = v.try_map(|slots| public.with_bound(4.0).encrypt(slots))?;
///
/// let product = evaluator.rescale(prepared.apply(&evaluator, &v)?.value())?;
/// let result = secret.decrypt(&product)?;
/// for (found, expected) in result.iter().zip([4.5, 10.0]) {
///     assert!((found - expected).abs() <= product.error_bound());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinearTransform<V> {
    outputs: usize,
    inputs: usize,
    /// The diagonals that aren't zero, each as long as the longer block.
    diagonals: BTreeMap<usize, Vec<V>>,
}

impl<V: Clone + Default + PartialEq> LinearTransform<V> {
    /// A matrix by its rows.
    ///
    /// # Errors
    /// [`MatrixError::Empty`], [`MatrixError::RaggedRow`].
    pub fn from_rows(rows: &[Vec<V>]) -> Result<Self, MatrixError> {
        let (outputs, inputs) = (rows.len(), rows.first().map_or(0, Vec::len));
        let mut transform = Self::zero(outputs, inputs)?;
        if let Some(row) = rows.iter().position(|row| row.len() != inputs) {
            return Err(MatrixError::RaggedRow { row, found: rows[row].len(), expected: inputs });
        }
        for (i, row) in rows.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, entry)| transform.set(i, j, entry.clone()));
        }
        Ok(transform)
    }

    /// A matrix by its diagonals that aren't zero: entry i of diagonal d is M\[i\]\[(i + d) mod n\] with n the input
    /// block's length, one entry for each row.
    ///
    /// # Errors
    /// [`MatrixError::Empty`], [`MatrixError::NoSuchDiagonal`], [`MatrixError::DiagonalLength`],
    /// [`MatrixError::NoSuchColumn`].
    pub fn from_diagonals(
        outputs: usize,
        inputs: usize,
        diagonals: &BTreeMap<usize, Vec<V>>,
    ) -> Result<Self, MatrixError> {
        let mut transform = Self::zero(outputs, inputs)?;
        let block = transform.input_block();
        for (&diagonal, entries) in diagonals {
            if diagonal >= block {
                return Err(MatrixError::NoSuchDiagonal { diagonal, block });
            }
            if entries.len() != outputs {
                let found = entries.len();
                return Err(MatrixError::DiagonalLength { diagonal, found, expected: outputs });
            }
            for (row, entry) in entries.iter().enumerate().filter(|(_, entry)| **entry != V::default()) {
                let column = (row + diagonal) % block;
                if column >= inputs {
                    return Err(MatrixError::NoSuchColumn { diagonal, row, column, inputs });
                }
                transform.set(row, column, entry.clone());
            }
        }
        Ok(transform)
    }

    fn zero(outputs: usize, inputs: usize) -> Result<Self, MatrixError> {
        if outputs == 0 || inputs == 0 {
            return Err(MatrixError::Empty { outputs, inputs });
        }
        Ok(Self { outputs, inputs, diagonals: BTreeMap::new() })
    }

    /// Sets an entry that is zero: the slot is the one, among those that the row stands in, from which the column is
    /// nearest to the right.
    fn set(&mut self, row: usize, column: usize, entry: V) {
        if entry == V::default() {
            return;
        }
        let (n, m) = (self.input_block(), self.output_block());
        let distance = (column + n - row % n) % n;
        let (block, diagonal) = if n > m { (distance / m, distance % m) } else { (0, distance) };
        let slots = self.diagonals.entry(diagonal).or_insert_with(|| vec![V::default(); n.max(m)]);
        // In a tall matrix a row stands in one slot, in a wide one in n/m.
        slots[(row + block * m) % n.max(m)] = entry;
    }

    /// Plans the product with ciphertexts of a level: which rotations it takes and what it costs. The plan makes no keys
    /// and no plaintexts.
    ///
    /// # Errors
    /// [`MatrixError::TooLarge`], [`MatrixError::LevelTooHigh`].
    pub fn plan(
        &self,
        params: &impl Scheme,
        level: Level,
        method: Method,
    ) -> Result<LinearPlan<'_, V>, MatrixError> {
        let (block, slots) = (self.input_block().max(self.output_block()), params.row_slots().unwrap_or(0));
        if block > slots {
            return Err(MatrixError::TooLarge { block, slots });
        }
        let highest = params.rlwe().max_level();
        if level > highest {
            return Err(MatrixError::LevelTooHigh { asked: level.0, highest: highest.0 });
        }
        Ok(LinearPlan::new(&self.diagonals, [self.outputs, self.inputs], params.rlwe(), level, method))
    }
}

impl<V> LinearTransform<V> {
    /// The number of rows: the result's length.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The number of columns: the vector's length.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The length of the block that the vector stands in.
    pub fn input_block(&self) -> usize {
        self.inputs.next_power_of_two()
    }

    /// The length of the block that the result stands in.
    pub fn output_block(&self) -> usize {
        self.outputs.next_power_of_two()
    }

    /// The diagonals that aren't zero, by their offsets, each as long as the longer block.
    pub(crate) fn diagonals(&self) -> &BTreeMap<usize, Vec<V>> {
        &self.diagonals
    }
}
