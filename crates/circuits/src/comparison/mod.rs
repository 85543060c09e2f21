//! Comparison of encrypted integers.

mod digits;

pub use digits::DigitComparison;

use crate::{BinaryFunction, Domain, ExactArithmetic, OneVariableTable, Output, Schedule, TableError};

/// A comparison of two integers of one range that slots hold as they are, by a polynomial of their difference.
///
/// For operands of l bits the difference is one of 2^(l+1) − 1 integers, and the polynomial's degree below 2^(l+1):
/// l + 1 products deep with [`Schedule::LeastDepth`], as deep as a [`crate::TwoVariableTable`], with about 3·2^(l/2)
/// products in place of 2^(l+1). Minimum and maximum are b + min(a − b, 0) and b + max(a − b, 0).
/// Source: Narumanchi, Goyal, Emmadi, Gauravaram 2017, with a polynomial on the differences that occur and no others.
#[derive(Clone, Debug)]
pub struct Comparison {
    table: OneVariableTable,
    adds_right: bool,
}

impl Comparison {
    /// The comparison of integers out of `domain`, of which only the size counts.
    ///
    /// # Errors
    /// [`TableError::NotOfDifference`] for quotients and remainders, [`TableError::Domain`] if there are more
    /// differences than residues, or than a domain may have.
    pub fn new(domain: &Domain, function: BinaryFunction) -> Result<Self, TableError> {
        if function.is_division() {
            return Err(TableError::NotOfDifference(function));
        }
        let largest = domain.len() as i64 - 1;
        let differences = Domain::integers(domain.modulus(), -largest..=largest)?;
        let table = OneVariableTable::new(&differences, &Output::Integer, |d| function.value(d, 0))?;
        Ok(Self { table, adds_right: function.adds_right() })
    }

    /// f(a, b).
    pub fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        a: &A::Value,
        b: &A::Value,
        schedule: Schedule,
    ) -> Result<A::Value, A::Error> {
        let value = self.table.apply(arithmetic, &arithmetic.sub(a, b)?, schedule)?;
        if self.adds_right { arithmetic.add(&value, b) } else { Ok(value) }
    }
}
