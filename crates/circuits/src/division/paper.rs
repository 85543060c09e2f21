//! Integer-wise division and functions of two variables as published: Okada, Cid, Hidano, Kiyomoto, "Linear Depth
//! Integer-Wise Homomorphic Division" (2018), Algorithms 1 to 7, over p = nextprime(2^l).
//!
//! They're here to be measured against. [`crate::TwoVariableTable`] does the same with one relinearisation in place of
//! p, and needs no plaintext modulus of its own.
//!
//! The paper's polynomials have no constant coefficient, which is right for those that vanish at 0; here all have one,
//! and the loop of Algorithm 7 begins at 0 like that of Algorithm 2, so that any function is right everywhere.

use std::path::Path;

use asanoha_kernels::is_prime;
use asanoha_ring::Modulus;
use rayon::prelude::*;

use super::{
    interpolation::{CacheError, Interpolations},
    quotient,
};
use crate::parallel::try_map;
use crate::{ExactArithmetic, TableError};

/// nextprime(2^l): 17, 37, 67, 131, 257 for l = 4 … 8.
///
/// ```
/// assert_eq!((4..9).map(asanoha_circuits::division::next_prime).collect::<Vec<_>>(), [17, 37, 67, 131, 257]);
/// ```
///
/// # Panics
/// If l is above 60.
pub fn next_prime(bits: u32) -> u64 {
    assert!(bits <= 60);
    ((1 << bits) + 1..2 << bits).find(|&p| is_prime(p)).expect("there is one below twice as much (Bertrand)")
}

/// Algorithm 3, Pows: C, C², …, C^(p−1), in ⌈log2(p − 1)⌉ levels, with C⁰ before them.
///
/// # Panics
/// If p is below 2.
pub fn pows<A: ExactArithmetic>(arithmetic: &A, c: &A::Value, p: u64) -> Result<Vec<A::Value>, A::Error> {
    let count = p as usize - 1;
    // C^j at index j − 1.
    let mut powers = vec![c.clone()];
    while powers.len() < count {
        // 2^i, and the j that there are.
        let half = powers.len();
        let last = half.min(count - half);
        let products = try_map(last, &|i| arithmetic.multiply(&powers[half - 1], &powers[i]))?;
        powers.extend(products);
    }
    let level = powers.iter().map(|power| arithmetic.level(power)).min().expect("there's one power at least");
    let mut all = vec![arithmetic.constant(1, level)?];
    all.extend(try_map(powers.len(), &|i| Ok(arithmetic.lowered(&powers[i], level)?.into_owned()))?);
    Ok(all)
}

/// Algorithms 4, 5 and 6, ConstDiv, ConstEq and ConstFunc: f_y(C) from the powers of C, for a public y. They differ in
/// the coefficients only.
///
/// # Panics
/// If there aren't p powers, or y isn't below p.
pub fn const_function<A: ExactArithmetic>(
    arithmetic: &A,
    powers: &[A::Value],
    coefficients: &Interpolations,
    y: usize,
) -> Result<A::Value, A::Error> {
    arithmetic.weighted_sum(&powers.iter().collect::<Vec<_>>(), coefficients.row(y))
}

/// Algorithm 7, Func, and with ⌊x/y⌋ for g Algorithm 2, Div: Σ_y g(C_a, y)·\[C_b = y\].
#[derive(Clone, Debug)]
pub struct PaperFunction {
    function: Interpolations,
    equality: Interpolations,
}

impl PaperFunction {
    /// Any function g(a, b) of a, b = 0 … p − 1.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] for p above 2^11.
    pub fn new(modulus: &Modulus, g: impl Fn(i64, i64) -> i64) -> Result<Self, TableError> {
        let (function, equality) = (Interpolations::new(modulus, g)?, Interpolations::new(modulus, equal)?);
        Ok(Self { function, equality })
    }

    /// The same, with the coefficients kept in files of a folder.
    ///
    /// # Errors
    /// As for [`Interpolations::cached`].
    pub fn cached(modulus: &Modulus, g: impl Fn(i64, i64) -> i64, folder: &Path) -> Result<Self, CacheError> {
        let function = Interpolations::cached(modulus, g, folder)?;
        Ok(Self { function, equality: Interpolations::cached(modulus, equal, folder)? })
    }

    /// Division, ⌊a/d⌋ and 0 for d = 0.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] for p above 2^11.
    pub fn division(modulus: &Modulus) -> Result<Self, TableError> {
        Self::new(modulus, quotient)
    }

    /// g(a, b): ⌈log2(p − 1)⌉ + 1 products deep, about 3p products and 2p² with constants.
    ///
    /// # Panics
    /// If the plaintext modulus isn't p.
    pub fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        a: &A::Value,
        b: &A::Value,
    ) -> Result<A::Value, A::Error> {
        let p = self.function.modulus().value();
        assert_eq!(arithmetic.modulus(), p.into());
        let (a, b) = (pows(arithmetic, a, p)?, pows(arithmetic, b, p)?);
        let term = |y: usize| {
            let value = const_function(arithmetic, &a, &self.function, y)?;
            arithmetic.multiply(&value, &const_function(arithmetic, &b, &self.equality, y)?)
        };
        let sum = (0..p as usize).into_par_iter().map(term);
        let sum = sum.try_reduce_with(|sum, term| arithmetic.add(&sum, &term));
        sum.expect("p is above 0")
    }
}

fn equal(x: i64, y: i64) -> i64 {
    i64::from(x == y)
}

/// Algorithm 1, Comp: 0 where a ≥ b and 1 where a < b, for a and b that differ by at most p/2.
#[derive(Clone, Debug)]
pub struct PaperComparison {
    /// f at row 0: 0 on 0 … ⌊p/2⌋ and 1 on the others, which represent −⌊p/2⌋ … −1.
    sign: Interpolations,
}

impl PaperComparison {
    /// For a prime p.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] for p above 2^11.
    pub fn new(modulus: &Modulus) -> Result<Self, TableError> {
        let half = modulus.value() as i64 / 2;
        Ok(Self { sign: Interpolations::new(modulus, |x, _| i64::from(x > half))? })
    }

    /// \[a < b\]: ⌈log2(p − 1)⌉ products deep, p − 2 products.
    ///
    /// # Panics
    /// If the plaintext modulus isn't p.
    pub fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        a: &A::Value,
        b: &A::Value,
    ) -> Result<A::Value, A::Error> {
        let p = self.sign.modulus().value();
        assert_eq!(arithmetic.modulus(), p.into());
        let powers = pows(arithmetic, &arithmetic.sub(a, b)?, p)?;
        const_function(arithmetic, &powers, &self.sign, 0)
    }
}
