//! The parameters of a plan as the commands print them.

use asanoha_lattice::RlweParams;
use asanoha_scheme::JsonInteger;
use serde::Serialize;

use super::SchemeParams;

/// The parameters of a plan as the commands print them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParamsSummary {
    /// N; in TFHE that of the bootstrapping.
    pub ring_degree: usize,
    /// log2 of the ciphertext modulus; 64 in TFHE.
    pub log2_q: f64,
    /// log2 of the special modulus; 0 in TFHE, which has none.
    pub log2_p: f64,
    /// t, in BGV and BFV.
    pub plaintext_modulus: Option<JsonInteger>,
    /// log2 of the scale, in CKKS.
    pub log2_scale: Option<f64>,
    /// Digits of key switching.
    pub digits: usize,
    /// The ciphertext primes and then the special ones; none in TFHE.
    pub primes: Vec<u64>,
    /// The dimension of the LWE secret of blind rotations, in TFHE.
    pub lwe_dimension: Option<usize>,
}

impl ParamsSummary {
    /// Of these parameters.
    pub fn new(params: &SchemeParams) -> Self {
        let rlwe = params.rlwe();
        let log2_q = |rlwe: &RlweParams| rlwe.q(rlwe.max_level()).log2_product();
        Self {
            ring_degree: params.ring_degree(),
            log2_q: rlwe.map_or_else(|| params.log2_modulus(), log2_q),
            log2_p: rlwe.map_or(0.0, |rlwe| rlwe.p().log2_product()),
            plaintext_modulus: params.plaintext_modulus().cloned().map(JsonInteger),
            log2_scale: params.log2_scale(),
            digits: params.digits(),
            primes: rlwe.map_or_else(Vec::new, |rlwe| rlwe.qp().primes().collect()),
            lwe_dimension: params.lwe_dimension(),
        }
    }
}
