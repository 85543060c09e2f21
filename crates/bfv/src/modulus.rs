//! Plaintext moduli as written down.

use asanoha_scheme::JsonInteger;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

/// A plaintext modulus t.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum BfvModulus {
    /// An integer from 2 on.
    Integer(JsonInteger),
    /// The polynomial X^k − b for a ring of degree N, k a power of two of at most N: a plaintext is k numbers modulo
    /// b^(N/k) + 1, the coefficients of 1, X, … X^(k−1), and products reduce X^k to b. Noise grows with b and not
    /// with that modulus: 16 numbers of 2048 bits take N = 2^14, k = 16, b = 4.
    Binomial {
        /// k.
        exponent: usize,
        /// b.
        base: u64,
    },
}

impl From<u64> for BfvModulus {
    fn from(t: u64) -> Self {
        Self::Integer(t.into())
    }
}

impl From<BigUint> for BfvModulus {
    fn from(t: BigUint) -> Self {
        Self::Integer(t.into())
    }
}

impl std::fmt::Display for BfvModulus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(t) => t.fmt(f),
            Self::Binomial { exponent, base } => write!(f, "X^{exponent} - {base}"),
        }
    }
}
