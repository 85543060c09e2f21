//! Chains of squarings in BGV and BFV: the smallest parameters for a plaintext modulus and a depth, found by the schemes'
//! own noise prediction, and what a multiplication takes with them.

mod party;
mod search;

use asanoha_lattice::{Level, RlweLiteral};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

pub(crate) use party::ChainParty;
pub(crate) use search::search;

/// The schemes that compute exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExactScheme {
    /// Noise beside the message, modulus switching.
    Bgv,
    /// Noise below the message, scale-invariant products.
    Bfv,
}

impl ExactScheme {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Bgv, Self::Bfv];

    /// The name as in a row.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bgv => "bgv",
            Self::Bfv => "bfv",
        }
    }
}

/// What a chain of squarings is computed with.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) scheme: ExactScheme,
    pub(crate) plaintext_modulus: BigUint,
    pub(crate) rlwe: RlweLiteral,
    /// The level of each squaring, from the first on.
    pub(crate) levels: Vec<Level>,
    pub(crate) log2_q: f64,
    pub(crate) log2_qp: f64,
}
