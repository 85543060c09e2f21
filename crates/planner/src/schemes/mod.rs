//! The schemes that programs run on.

mod numbers;
mod real;
mod whole;

use asanoha_bfv::{Bfv, BfvLiteral};
use asanoha_bgv::{Bgv, BgvLiteral};
use asanoha_ckks::{Ckks, CkksLiteral};
use asanoha_kernels::Backend;
use asanoha_lattice::RlweParams;
use asanoha_scheme::{Exact as _, Scheme as _};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

pub(crate) use numbers::{MessageFields, Numbers, OperandOf, Planned, PlannedExact};

/// What's said of parameters of exact schemes that programs can't run on.
const NO_SLOTS: &str = "its plaintexts have no slots, which programs compute on";

/// The schemes that programs run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// Exact, on whole numbers.
    Bgv,
    /// Exact, on whole numbers.
    Bfv,
    /// Approximate, on real numbers.
    Ckks,
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bgv => "bgv",
            Self::Bfv => "bfv",
            Self::Ckks => "ckks",
        })
    }
}

/// Parameters of one scheme or another, as written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "scheme", rename_all = "lowercase")]
pub enum ParamsLiteral {
    /// BGV.
    Bgv(BgvLiteral),
    /// BFV.
    Bfv(BfvLiteral),
    /// CKKS.
    Ckks(CkksLiteral),
}

impl ParamsLiteral {
    /// Parameters on which programs can run.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub(crate) fn check(self, backend: Backend) -> Result<SchemeParams, String> {
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let params = match self {
            Self::Bgv(literal) => SchemeParams::Bgv(literal.check(backend).map_err(|e| words(&e))?),
            Self::Bfv(literal) => SchemeParams::Bfv(literal.check(backend).map_err(|e| words(&e))?),
            Self::Ckks(literal) => SchemeParams::Ckks(literal.check(backend).map_err(|e| words(&e))?),
        };
        if params.row_slots().is_some() { Ok(params) } else { Err(NO_SLOTS.to_owned()) }
    }
}

/// Checked parameters of one scheme or another.
#[derive(Clone, Debug)]
pub enum SchemeParams {
    /// BGV.
    Bgv(Bgv),
    /// BFV.
    Bfv(Bfv),
    /// CKKS.
    Ckks(Ckks),
}

/// The same expression of the parameters, whatever their scheme.
macro_rules! each {
    ($of:expr, $params:ident => $expression:expr) => {
        match $of {
            SchemeParams::Bgv($params) => $expression,
            SchemeParams::Bfv($params) => $expression,
            SchemeParams::Ckks($params) => $expression,
        }
    };
}

impl SchemeParams {
    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        match self {
            Self::Bgv(_) => Scheme::Bgv,
            Self::Bfv(_) => Scheme::Bfv,
            Self::Ckks(_) => Scheme::Ckks,
        }
    }

    /// The ring's parameters.
    pub fn rlwe(&self) -> &RlweParams {
        each!(self, params => params.rlwe())
    }

    /// The digest that keys and ciphertexts carry.
    pub fn digest(&self) -> &str {
        each!(self, params => params.digest())
    }

    /// The slots of a ciphertext.
    pub fn slots(&self) -> usize {
        each!(self, params => params.slots())
    }

    /// The slots that rotate among themselves.
    pub fn row_slots(&self) -> Option<usize> {
        each!(self, params => params.row_slots())
    }

    /// The plaintext modulus, in BGV and BFV.
    pub fn plaintext_modulus(&self) -> Option<&BigUint> {
        match self {
            Self::Bgv(params) => Some(params.plaintext_modulus()),
            Self::Bfv(params) => Some(params.plaintext_modulus()),
            Self::Ckks(_) => None,
        }
    }

    /// As written down.
    pub(crate) fn literal(&self) -> ParamsLiteral {
        match self {
            Self::Bgv(params) => ParamsLiteral::Bgv(params.literal().clone()),
            Self::Bfv(params) => ParamsLiteral::Bfv(params.literal().clone()),
            Self::Ckks(params) => ParamsLiteral::Ckks(params.literal().clone()),
        }
    }
}
