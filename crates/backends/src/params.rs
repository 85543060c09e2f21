//! What is known of the parameters of every scheme.

use std::{any::Any, fmt::Debug};

use asanoha_lattice::{FileHeader, KeyId, RlweParams};
use num_bigint::BigUint;

use crate::literal::ParamsLiteral;

/// Checked parameters of a scheme.
pub trait Parameters: Any + Debug + Send + Sync {
    /// The digest that keys and ciphertexts carry.
    fn digest(&self) -> &str;

    /// As written down.
    fn literal(&self) -> ParamsLiteral;

    /// The ring's parameters, in schemes on RLWE.
    fn rlwe(&self) -> Option<&RlweParams> {
        None
    }

    /// The classical security in bits; 0 if it isn't known.
    fn security_bits(&self) -> u32;

    /// Whether the security is the lattice estimator's, and not that of the table of rings.
    fn is_estimated(&self) -> bool {
        false
    }

    /// Bits of decrypted numbers that a key of these parameters may show in its lifetime if the server may have lied: a
    /// security of 128 bits then falls by at most 2 (see [`asanoha_lattice::shown_bits_limit`]).
    fn shown_bits_limit(&self) -> u64;

    /// Whether they say that they're insecure.
    fn is_insecure(&self) -> bool;

    /// The ring degree; in TFHE that of the bootstrapping.
    fn ring_degree(&self) -> usize;

    /// log2 of the whole modulus, with special primes; the 64 bits of the torus' words in TFHE.
    fn log2_modulus(&self) -> f64;

    /// The slots of a ciphertext; in TFHE one for a number, whatever the number of its ciphertexts.
    fn slots(&self) -> usize;

    /// The slots that rotate among themselves.
    fn row_slots(&self) -> Option<usize>;

    /// The plaintext modulus, in BGV and BFV.
    fn plaintext_modulus(&self) -> Option<&BigUint> {
        None
    }

    /// log2 of the scale of fresh ciphertexts, in CKKS.
    fn log2_scale(&self) -> Option<f64> {
        None
    }

    /// The dimension of the LWE secret of blind rotations, in TFHE.
    fn lwe_dimension(&self) -> Option<usize> {
        None
    }

    /// The digits of key switching.
    fn digits(&self) -> usize;

    /// The header of a file that belongs to these parameters.
    fn file_header(&self, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader;
}
