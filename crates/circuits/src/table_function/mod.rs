//! Functions of one and of two encrypted variables, given by all their values.

mod bits;
mod one;
mod sums;
mod two;

pub use asanoha_numeric::BinaryFunction;
pub use bits::BitTable;
pub use one::{OneVariableTable, Schedule};
pub use two::{MAX_TABLE_SIDE, TwoVariableTable};

use asanoha_ring::Modulus;
use thiserror::Error;

use crate::{Domain, DomainError};

/// Why a table can't be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// A domain, or a value of the function.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// Domains of different plaintext moduli.
    #[error("the plaintext moduli {left} and {right} of the variables differ")]
    Moduli {
        /// The left one's.
        left: u64,
        /// The right one's.
        right: u64,
    },
    /// A function that isn't one of the difference of its operands.
    #[error("{0} is no function of the difference a - b: use a table of two variables")]
    NotOfDifference(BinaryFunction),
    /// Too many entries.
    #[error(
        "a table of {rows} times {columns} has {} entries; at most {largest} times {largest} are possible here: split the variables into digits",
        *rows as u128 * *columns as u128
    )]
    TooLarge {
        /// The values of the left variable.
        rows: usize,
        /// The values of the right variable.
        columns: usize,
        /// The most values of each.
        largest: usize,
    },
}

/// How the result's slots hold a function's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// As integers modulo t.
    Integer,
    /// As the points of a domain, so that the result can be another function's operand.
    Domain(Domain),
}

impl Output {
    fn encode(&self, modulus: &Modulus, value: i64) -> Result<u64, DomainError> {
        match self {
            Self::Integer => Ok(modulus.reduce_i64(value)),
            Self::Domain(domain) => domain.point(value),
        }
    }
}

/// Σ wᵢ·rowᵢ.
pub(crate) fn combination(modulus: &Modulus, weights: &[u64], rows: &[Vec<u64>]) -> Vec<u64> {
    let mut sum = vec![0; rows[0].len()];
    for (&weight, row) in weights.iter().zip(rows).filter(|(w, _)| **w != 0) {
        let weight = modulus.shoup(weight);
        sum.iter_mut().zip(row).for_each(|(sum, &c)| *sum = modulus.add(*sum, modulus.mul_shoup(c, weight)));
    }
    sum
}
