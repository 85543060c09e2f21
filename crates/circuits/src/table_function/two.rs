//! Functions of two variables.

use asanoha_ring::Modulus;
use rayon::prelude::*;

use super::{Output, TableError, combination};
use crate::{Domain, ExactArithmetic, Powers};

/// The most values of each variable of a table of two, 0 to 2^10: powers as many have to be made, and kept.
pub const MAX_TABLE_SIDE: usize = (1 << 10) + 1;

/// A function of two variables, ready to be evaluated on their powers.
///
/// With the indicators \[x = u\] = Σⱼ Lᵤⱼ·x^j of the left domain and \[y = v\] = Σₖ L'ᵥₖ·y^k of the right one,
/// f(x, y) = Σᵤᵥ f(u, v)·\[x = u\]·\[y = v\] = Σⱼₖ (Lᵀ·F·L')ⱼₖ·x^j·y^k: one bilinear form of the powers, whatever the
/// function. Division by suffix sums of indicators, comparison and all others are matrices F.
///
/// Cost: the powers, once for all functions of a variable, and for every function one dense product of a matrix of
/// constants with the powers of y, a tensor product for each power of x, and one relinearisation. Depth: one more than
/// the powers'.
#[derive(Clone, Debug)]
pub struct TwoVariableTable {
    modulus: Modulus,
    left: usize,
    right: usize,
    /// Lᵀ·F·L', row after row.
    weights: Vec<u64>,
}

impl TwoVariableTable {
    /// The table of f on two domains.
    ///
    /// # Errors
    /// [`TableError::TooLarge`], [`TableError::Moduli`], or [`TableError::Domain`] for a value that the output's domain
    /// doesn't have.
    pub fn new(
        left: &Domain,
        right: &Domain,
        output: &Output,
        f: impl Fn(i64, i64) -> i64 + Sync,
    ) -> Result<Self, TableError> {
        let (rows, columns) = (left.len(), right.len());
        let modulus = left.modulus();
        if modulus != right.modulus() {
            return Err(TableError::Moduli { left: modulus.value(), right: right.modulus().value() });
        }
        if rows.max(columns) > MAX_TABLE_SIDE {
            return Err(TableError::TooLarge { rows, columns, largest: MAX_TABLE_SIDE });
        }
        let values = left
            .range()
            .flat_map(|u| right.range().map(move |v| (u, v)))
            .map(|(u, v)| output.encode(modulus, f(u, v)))
            .collect::<Result<Vec<u64>, _>>()?;
        let (left, right): (Vec<_>, Vec<_>) = (left.indicators().collect(), right.indicators().collect());
        // F·L', and then Lᵀ times it.
        let combined: Vec<Vec<u64>> =
            values.par_chunks(columns).map(|values| combination(modulus, values, &right)).collect();
        let column = |j: usize| left.iter().map(|indicator| indicator[j]).collect::<Vec<u64>>();
        let weights: Vec<Vec<u64>> =
            (0..rows).into_par_iter().map(|j| combination(modulus, &column(j), &combined)).collect();
        Ok(Self { modulus: *modulus, left: rows, right: columns, weights: weights.concat() })
    }

    /// f(x, y) from the powers of x and of y, at least as many as the domains have integers.
    ///
    /// # Panics
    /// If there are too few powers, or the plaintext modulus isn't the domains'.
    pub fn evaluate<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        x: &Powers<A::Value>,
        y: &Powers<A::Value>,
    ) -> Result<A::Value, A::Error> {
        assert_eq!(arithmetic.modulus(), self.modulus.value().into());
        let level = x.level(arithmetic).min(y.level(arithmetic));
        let form = |x: &Powers<A::Value>, y: &Powers<A::Value>| {
            arithmetic.bilinear_form(&x.first(self.left), &self.weights, &y.first(self.right))
        };
        match (x.level(arithmetic) > level, y.level(arithmetic) > level) {
            (true, _) => form(&x.lowered(arithmetic, level)?, y),
            (_, true) => form(x, &y.lowered(arithmetic, level)?),
            _ => form(x, y),
        }
    }

    /// f(x, y), powers and all.
    ///
    /// # Panics
    /// If the plaintext modulus isn't the domains'.
    pub fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Value,
        y: &A::Value,
    ) -> Result<A::Value, A::Error> {
        let x = Powers::new(arithmetic, x, self.left)?;
        let y = Powers::new(arithmetic, y, self.right)?;
        self.evaluate(arithmetic, &x, &y)
    }
}
