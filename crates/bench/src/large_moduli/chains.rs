//! The measurement of one chain.

use asanoha_lattice::{security_bits, security_is_extrapolated};
use asanoha_scheme::MAX_PLAINTEXT_BITS;
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::{
    Settings,
    chain::{Chain, SchemeName},
};

/// The number of measurements of a chain, after a first multiplication that makes the tables.
pub(super) const REPEATS: usize = 3;

/// The case that one row measures. As text it's "bgv,64,4": scheme, log2_t, depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainCase {
    /// The scheme.
    pub scheme: SchemeName,
    /// log2 of the plaintext modulus, rounded.
    pub log2_t: u32,
    /// The number of squarings one after another.
    pub depth: usize,
}

impl std::fmt::Display for ChainCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{},{}", self.scheme.name(), self.log2_t, self.depth)
    }
}

impl std::str::FromStr for ChainCase {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').collect();
        let case = match parts[..] {
            [name, log2_t, depth] => SchemeName::EXACT
                .into_iter()
                .find(|scheme| scheme.name() == name)
                .zip(log2_t.parse().ok().filter(|bits| (1..=MAX_PLAINTEXT_BITS as u32).contains(bits)))
                .zip(depth.parse().ok().filter(|depth| *depth > 0)),
            _ => None,
        };
        let ((scheme, log2_t), depth) =
            case.ok_or_else(|| format!("{text}: a chain is named as in bgv,64,4: scheme, log2 t, depth"))?;
        Ok(Self { scheme, log2_t, depth })
    }
}

/// The measurements of one chain of squarings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChainRow {
    /// The scheme.
    pub scheme: SchemeName,
    /// log2 of the plaintext modulus, rounded.
    pub log2_t: u32,
    /// The number of squarings one after another.
    pub depth: usize,
    /// The smallest ring degree that holds the chain at 128 bits of security; `None` if no ring does.
    pub ring_degree: Option<usize>,
    /// log2 of the ciphertext modulus.
    pub log2_q: Option<f64>,
    /// log2 of the whole modulus QP.
    pub log2_qp: Option<f64>,
    /// The time in milliseconds of a squaring with relinearisation and, in BGV, modulus switching: the chain's time
    /// over its depth.
    pub ms_per_multiplication: Option<f64>,
    /// The peak memory in bytes, keys included.
    pub peak_memory_bytes: Option<u64>,
    /// The security in bits, by the table of 2024.
    pub security_bits: Option<u32>,
    /// Whether the security is extrapolated beyond that table.
    pub security_extrapolated: bool,
}

impl ChainRow {
    pub(super) fn impossible(ChainCase { scheme, log2_t, depth }: ChainCase) -> Self {
        Self {
            scheme,
            log2_t,
            depth,
            ring_degree: None,
            log2_q: None,
            log2_qp: None,
            ms_per_multiplication: None,
            peak_memory_bytes: None,
            security_bits: None,
            security_extrapolated: false,
        }
    }
}

/// A plaintext modulus of `log2_t` bits: 2, or the odd number 2^`log2_t` − 59, which isn't a special one.
pub(super) fn modulus(log2_t: u32) -> BigUint {
    match log2_t {
        0 | 1 => BigUint::from(2u32),
        bits => (BigUint::from(1u32) << bits) - 59u32,
    }
}

/// Measures one chain in the smallest ring that holds it, on the threads of the current pool. The peak memory is that
/// of the process.
pub fn chain_row(settings: &Settings, case: ChainCase) -> ChainRow {
    let backend = *settings.backends.last().expect("at least one back-end is measured");
    let ChainCase { scheme, log2_t, depth } = case;
    let chain = Chain {
        scheme,
        depth,
        plaintext_modulus: modulus(log2_t),
        ring_degree: None,
        backend,
        repeats: REPEATS,
        rotation: false,
    };
    let Ok(measured) = chain.measure() else { return ChainRow::impossible(case) };
    let ring_degree = measured.ring_degree;
    ChainRow {
        scheme,
        log2_t,
        depth,
        ring_degree: Some(ring_degree),
        log2_q: Some(measured.log2_q),
        log2_qp: Some(measured.log2_qp),
        ms_per_multiplication: Some(measured.timings.chain_ms / depth as f64),
        peak_memory_bytes: measured.peak_memory_bytes,
        security_bits: Some(security_bits(ring_degree, measured.log2_qp)),
        security_extrapolated: security_is_extrapolated(ring_degree),
    }
}
