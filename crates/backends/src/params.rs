//! The schemes that programs run on.

use asanoha_bfv::{Bfv, BfvLiteral};
use asanoha_bgv::{Bgv, BgvLiteral};
use asanoha_ckks::{Ckks, CkksLiteral};
use asanoha_kernels::Backend;
use asanoha_lattice::{FileHeader, KeyId, RlweParams};
use asanoha_scheme::{Exact as _, Scheme as _};
use asanoha_tfhe::{TfheLiteral, TfheParams};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

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
    /// Exact, on whole numbers of which each stands in ciphertexts of its own.
    Tfhe,
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bgv => "bgv",
            Self::Bfv => "bfv",
            Self::Ckks => "ckks",
            Self::Tfhe => "tfhe",
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
    /// TFHE.
    Tfhe(TfheLiteral),
}

impl ParamsLiteral {
    /// Parameters on which programs can run.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub fn check(self, backend: Backend) -> Result<SchemeParams, String> {
        let words = |error: &dyn std::fmt::Display| error.to_string();
        let params = match self {
            Self::Bgv(literal) => SchemeParams::Bgv(literal.check(backend).map_err(|e| words(&e))?),
            Self::Bfv(literal) => SchemeParams::Bfv(literal.check(backend).map_err(|e| words(&e))?),
            Self::Ckks(literal) => SchemeParams::Ckks(literal.check(backend).map_err(|e| words(&e))?),
            Self::Tfhe(literal) => SchemeParams::Tfhe(literal.check(backend).map_err(|e| words(&e))?),
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
    /// TFHE.
    Tfhe(TfheParams),
}

/// An expression of the parameters, the same for all schemes whose ciphertexts have slots, and another for TFHE.
macro_rules! each {
    ($of:expr, $params:ident => $expression:expr, $tfhe:pat => $of_tfhe:expr) => {
        match $of {
            SchemeParams::Bgv($params) => $expression,
            SchemeParams::Bfv($params) => $expression,
            SchemeParams::Ckks($params) => $expression,
            SchemeParams::Tfhe($tfhe) => $of_tfhe,
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
            Self::Tfhe(_) => Scheme::Tfhe,
        }
    }

    /// The ring's parameters; TFHE has others.
    pub fn rlwe(&self) -> Option<&RlweParams> {
        each!(self, params => Some(params.rlwe()), _ => None)
    }

    /// The digest that keys and ciphertexts carry.
    pub fn digest(&self) -> &str {
        each!(self, params => params.digest(), params => params.digest())
    }

    /// The classical security in bits. TFHE's is 128 where its parameters are those of the table, and else isn't known: 0.
    pub fn security_bits(&self) -> u32 {
        each!(self, params => params.rlwe().security_bits(), params => params.security_bits())
    }

    /// Whether they say that they're insecure.
    pub fn is_insecure(&self) -> bool {
        each!(self, params => params.rlwe().literal().insecure, params => params.literal().insecure)
    }

    /// The ring degree; in TFHE that of the bootstrapping.
    pub fn ring_degree(&self) -> usize {
        each!(self, params => params.rlwe().ring_degree(), params => params.literal().ring_degree)
    }

    /// log2 of the whole modulus, with special primes; the 64 bits of the torus' words in TFHE.
    pub fn log2_modulus(&self) -> f64 {
        each!(self, params => params.rlwe().log2_qp(), _ => f64::from(u64::BITS))
    }

    /// The slots of a ciphertext; in TFHE one for a number, whatever the number of its ciphertexts.
    pub fn slots(&self) -> usize {
        each!(self, params => params.slots(), _ => 1)
    }

    /// The slots that rotate among themselves.
    pub fn row_slots(&self) -> Option<usize> {
        each!(self, params => params.row_slots(), _ => Some(1))
    }

    /// The plaintext modulus, in BGV and BFV.
    pub fn plaintext_modulus(&self) -> Option<&BigUint> {
        match self {
            Self::Bgv(params) => Some(params.plaintext_modulus()),
            Self::Bfv(params) => Some(params.plaintext_modulus()),
            Self::Ckks(_) | Self::Tfhe(_) => None,
        }
    }

    /// The header of a file that belongs to these parameters.
    pub fn file_header(&self, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader {
        each!(
            self,
            params => params.rlwe().file_header(params.digest(), key, kind, fields),
            params => params.file_header(key, kind, fields)
        )
    }

    /// As written down.
    pub fn literal(&self) -> ParamsLiteral {
        match self {
            Self::Bgv(params) => ParamsLiteral::Bgv(params.literal().clone()),
            Self::Bfv(params) => ParamsLiteral::Bfv(params.literal().clone()),
            Self::Ckks(params) => ParamsLiteral::Ckks(params.literal().clone()),
            Self::Tfhe(params) => ParamsLiteral::Tfhe(params.literal().clone()),
        }
    }
}
