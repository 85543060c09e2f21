//! Functions of one variable.

use asanoha_ring::Modulus;

use super::{Output, TableError};
use crate::{Domain, ExactArithmetic, Powers, polynomial};

pub use crate::polynomial::Schedule;

/// A function of one variable, as its polynomial on a domain.
#[derive(Clone, Debug)]
pub struct OneVariableTable {
    modulus: Modulus,
    /// The constant one first.
    coefficients: Vec<u64>,
}

impl OneVariableTable {
    /// The table of f on a domain.
    ///
    /// # Errors
    /// [`TableError::Domain`] for a value that the output's domain doesn't have.
    pub fn new(domain: &Domain, output: &Output, f: impl Fn(i64) -> i64) -> Result<Self, TableError> {
        let modulus = domain.modulus();
        let values =
            domain.range().map(|value| output.encode(modulus, f(value))).collect::<Result<Vec<u64>, _>>()?;
        Ok(Self { modulus: *modulus, coefficients: domain.interpolate(&values) })
    }

    /// The polynomial's coefficients modulo t, the constant one first.
    pub fn coefficients(&self) -> &[u64] {
        &self.coefficients
    }

    /// f(x) from powers of x that are there anyway: no product at all.
    ///
    /// # Panics
    /// If there are fewer powers than integers in the domain, or the plaintext modulus isn't the domain's.
    pub fn evaluate<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        x: &Powers<A::Value>,
    ) -> Result<A::Value, A::Error> {
        assert_eq!(arithmetic.modulus(), self.modulus.value().into());
        arithmetic.weighted_sum(&x.first(self.coefficients.len()), &self.coefficients)
    }

    /// f(x).
    ///
    /// # Panics
    /// If the plaintext modulus isn't the domain's.
    pub fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Value,
        schedule: Schedule,
    ) -> Result<A::Value, A::Error> {
        assert_eq!(arithmetic.modulus(), self.modulus.value().into());
        polynomial::evaluate_exact(arithmetic, &self.coefficients, x, schedule)
    }

    /// The values of several functions, which share the powers of x.
    ///
    /// # Panics
    /// If there are no functions, or the plaintext modulus isn't the domains'.
    pub fn apply_all<A: ExactArithmetic>(
        tables: &[&Self],
        arithmetic: &A,
        x: &A::Value,
        schedule: Schedule,
    ) -> Result<Vec<A::Value>, A::Error> {
        assert!(tables.iter().all(|table| arithmetic.modulus() == table.modulus.value().into()));
        let coefficients: Vec<&[u64]> = tables.iter().map(|table| table.coefficients.as_slice()).collect();
        polynomial::evaluate_all(arithmetic, &coefficients, x, schedule)
    }
}
