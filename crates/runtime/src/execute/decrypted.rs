//! Decrypted results.

use asanoha_backends::Noise;
use num_rational::BigRational;

use crate::program::Outputs;

/// The place of results among all that are handed out under a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Publication {
    /// How many ciphertexts are published under the key, these included.
    pub count: u64,
    /// The largest τ that one of these is flooded for ([`asanoha_ckks::publication_tau`]).
    pub tau: f64,
}

/// The bits of the numbers that were shown under a key although nobody checked the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownBits {
    /// The bits of these results.
    pub these: u64,
    /// The bits of all results, these included.
    pub all: u64,
    /// The most bits under a key.
    pub limit: u64,
}

/// Decrypted results.
#[derive(Clone, Debug)]
pub struct Decrypted {
    /// The results as numbers: the outputs of the program that are shown, finished ones, and constants.
    pub outputs: Outputs<f64>,
    /// The results as fractions, where the scheme is exact.
    pub exact: Option<Outputs<BigRational>>,
    /// How far each result may be off, by noise and by approximation, where the scheme isn't exact; not a number for what's
    /// missing.
    pub error_bounds: Option<Vec<f64>>,
    /// The noise.
    pub noise: Noise,
    /// The count of publications, where results were flooded.
    pub publication: Option<Publication>,
    /// The count of bits, where results are shown on the client's word that the server followed the protocol.
    pub shown: Option<ShownBits>,
}

/// The largest magnitude of some values.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}
