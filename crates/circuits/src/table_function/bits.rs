//! Functions of two numbers that are given by their bits.

use std::collections::BTreeMap;

use super::{TableError, sums::SharedSums};
use crate::{
    ExactArithmetic,
    level::lowered,
    one_hot::{MAX_BITS, indicators_of_bits},
    parallel::try_map_owned,
};

/// A function of two numbers of encrypted bits, whose result is bits too.
///
/// A bit of the result is Σᵤᵥ F(u, v)·\[x = u\]·\[y = v\] with a matrix F of zeros and ones: a bilinear form of the
/// indicators of x and of y. Indicators with equal rows or columns of F are summed first, and those without any 1 left
/// out. Division by bits thus takes less than twice the tensor products for all bits of the quotient than for the lowest
/// one.
///
/// Cost: for numbers of l bits 2^l − 1 − l products each, and for every bit of the result a tensor product for each
/// different row of F, and one relinearisation. Depth: one more than ⌈log2 l⌉ of the longer number, which is least for
/// polynomials of the degree that most functions have, 2l: 3 for four bits, 4 for five to eight.
///
/// Noise: the weights are zeros and ones, and indicators follow from one another by subtraction. In BGV primes that are 1
/// modulo t keep all of these small; others make their correction factors differ.
///
/// ```
/// use asanoha_circuits::{BitTable, CostCounter, division::quotient};
///
/// let table = BitTable::new(4, 4, 4, quotient)?;
/// let counter = CostCounter::new(65537u32);
/// let bits = vec![counter.input(); 4];
/// let Ok(quotient) = table.apply(&counter, &bits, &bits);
/// assert_eq!((quotient.len(), counter.cost().depth), (4, 3));
/// # Ok::<(), asanoha_circuits::TableError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BitTable {
    left_bits: u32,
    right_bits: u32,
    left: SharedSums,
    right: SharedSums,
    outputs: Vec<Form>,
}

/// A bit of the result: Σⱼₖ wⱼₖ·leftⱼ·rightₖ of sums of indicators, by their positions.
#[derive(Clone, Debug)]
struct Form {
    left: Vec<usize>,
    right: Vec<usize>,
    weights: Vec<u64>,
}

impl BitTable {
    /// The table of the lowest bits of f(x, y), in two's complement, for x and y from 0.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] for numbers of more than ten bits.
    ///
    /// # Panics
    /// If a number or the result has no bits, or the result more than 64.
    pub fn new(
        left_bits: u32,
        right_bits: u32,
        output_bits: u32,
        f: impl Fn(i64, i64) -> i64,
    ) -> Result<Self, TableError> {
        assert!(left_bits > 0 && right_bits > 0 && (1..=64).contains(&output_bits));
        let values = |bits: u32| 1usize.checked_shl(bits).unwrap_or(usize::MAX);
        let (rows, columns) = (values(left_bits), values(right_bits));
        if left_bits.max(right_bits) > MAX_BITS {
            return Err(TableError::TooLarge { rows, columns, largest: values(MAX_BITS) });
        }
        let results: Vec<Vec<i64>> =
            (0..rows as i64).map(|u| (0..columns as i64).map(|v| f(u, v)).collect()).collect();
        let (mut left, mut right) = (SharedSums::new(rows), SharedSums::new(columns));
        let output = |place: u32| {
            let bits = |row: &Vec<i64>| row.iter().map(|result| (result >> place & 1) as u64).collect();
            let (rows, matrix) = classes(results.iter().map(bits).collect());
            let transposed =
                (0..columns).map(|v| matrix.iter().map(|row: &Vec<u64>| row[v]).collect()).collect();
            let (columns, matrix) = classes(transposed);
            let weights =
                (0..rows.len()).flat_map(|row| matrix.iter().map(move |column| column[row])).collect();
            Form { left: left.add_stage(rows), right: right.add_stage(columns), weights }
        };
        let outputs = (0..output_bits).map(output).collect();
        Ok(Self { left_bits, right_bits, left, right, outputs })
    }

    /// The bits of f(x, y), the least significant first, from those of x and of y.
    ///
    /// # Panics
    /// If there are other numbers of bits than the table has.
    pub fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        x: &[A::Value],
        y: &[A::Value],
    ) -> Result<Vec<A::Value>, A::Error> {
        assert_eq!((x.len(), y.len()), (self.left_bits as usize, self.right_bits as usize));
        let (x, y) = (indicators_of_bits(arithmetic, x)?, indicators_of_bits(arithmetic, y)?);
        let level = arithmetic.level(&x[0]).min(arithmetic.level(&y[0]));
        let [x, y] = [(x, &self.left), (y, &self.right)].map(|(indicators, sums)| {
            let indicators =
                try_map_owned(indicators, &|_, indicator| lowered(arithmetic, indicator, level))?;
            sums.evaluate(arithmetic, indicators)
        });
        let (x, y) = (x?, y?);
        let output = |form: &Form| {
            if form.left.is_empty() {
                return arithmetic.constant(0, level);
            }
            let left: Vec<&A::Value> = form.left.iter().map(|&position| &x[position]).collect();
            let right: Vec<&A::Value> = form.right.iter().map(|&position| &y[position]).collect();
            arithmetic.bilinear_form(&left, &form.weights, &right)
        };
        self.outputs.iter().map(output).collect()
    }
}

/// The sets of equal lines that aren't zero, and the line of each.
fn classes(lines: Vec<Vec<u64>>) -> (Vec<Vec<usize>>, Vec<Vec<u64>>) {
    let mut sets: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
    for (index, line) in lines.into_iter().enumerate().filter(|(_, line)| line.iter().any(|&w| w != 0)) {
        sets.entry(line).or_default().push(index);
    }
    sets.into_iter().map(|(line, set)| (set, line)).unzip()
}
