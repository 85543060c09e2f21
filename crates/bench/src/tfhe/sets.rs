//! The parameters that are measured, and what is published for some of them.

use asanoha_kernels::Backend;
use asanoha_tfhe::{GadgetLiteral, TfheLiteral, TfheParams, TfheParamsError};
use serde::Serialize;

const STANDARD: &str = "message_2_carry_2";

/// Checked parameters and their name.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) params: TfheParams,
}

/// Published times of another library, in milliseconds, at the dimensions of the insecure set.
///
/// Source: Tsuji, Endo, Oguchi, "Comparison of FHE schemes and libraries for efficient cryptographic processing" (2024),
/// table 6: an AMD Ryzen 7 5700G at 3.8 GHz, key generation of OpenFHE on 16 threads, all else on one.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TfhePublished {
    /// The library.
    pub library: &'static str,
    /// The secret key.
    pub secret_key_ms: f64,
    /// The keys of the server.
    pub server_key_ms: f64,
    /// Encryption of a number.
    pub encrypt_ms: f64,
    /// A bootstrapping.
    pub bootstrap_ms: f64,
    /// Decryption of a number.
    pub decrypt_ms: f64,
}

pub(super) const PUBLISHED: &[TfhePublished] = &[
    TfhePublished {
        library: "OpenFHE",
        secret_key_ms: 0.801,
        server_key_ms: 3652.380,
        encrypt_ms: 0.040,
        bootstrap_ms: 463.729,
        decrypt_ms: 0.007,
    },
    TfhePublished {
        library: "TFHEpp",
        secret_key_ms: 0.041,
        server_key_ms: 6442.310,
        encrypt_ms: 0.018,
        bootstrap_ms: 26.865,
        decrypt_ms: 0.003,
    },
];

/// The name of the set that has the dimensions of the published comparison alone.
const DIMENSIONS: &str = "n = 500, N = 2048 (insecure)";

/// The dimensions of the published comparison, n = 500 and N = 2048, with digits of ours. The LWE noise at this dimension has
/// about 94 bits of security (`docs/notes/tfhe.md`), so the set is marked insecure.
fn published_dimensions() -> TfheLiteral {
    TfheLiteral {
        lwe_dimension: 500,
        lwe_standard_deviation: 2.44e-5,
        key_switch: GadgetLiteral { digit_bits: 2, levels: 7 },
        message_bits: 3,
        log2_failure: -40.0,
        insecure: true,
        ..TfheLiteral::message_2_carry_2()
    }
}

/// The dimensions and bootstrapping digits of the published comparison: OpenFHE's and TFHEpp's. The number of digits isn't
/// published; here it's as many as leave room for gates. Key switches keep our digits: the libraries store a key for each
/// value of a digit, so that its size doesn't multiply the noise as it does here.
fn published_digits() -> [(&'static str, TfheLiteral); 2] {
    let of = |lwe_dimension, digit_bits, levels| {
        let bootstrap = GadgetLiteral { digit_bits, levels };
        TfheLiteral { lwe_dimension, bootstrap, ..published_dimensions() }
    };
    [
        ("n = 512, N = 2048, digits of 2^7 (insecure)", of(512, 7, 3)),
        ("n = 500, N = 2048, digits of 2^6 (insecure)", of(500, 6, 4)),
    ]
}

/// The parameters of a set, as the published comparison lists them.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TfheSet {
    /// The name of the parameters.
    pub parameters: &'static str,
    /// The ring degree N.
    pub ring_degree: usize,
    /// The LWE dimension n.
    pub lwe_dimension: usize,
    /// log2 of the torus's words.
    pub log2_q: u32,
    /// log2 of the base of the bootstrapping key's digits.
    pub log2_bootstrap_base: u32,
    /// The number of these digits.
    pub bootstrap_digits: u32,
    /// log2 of the base of the key switch's digits.
    pub log2_key_switch_base: u32,
    /// The number of these digits.
    pub key_switch_digits: u32,
}

impl Set {
    /// The standard parameters, those that fail more often, and those of the published comparison.
    pub(crate) fn all(backend: Backend) -> Result<Vec<Self>, TfheParamsError> {
        let others = [
            ("message_2_carry_2_failure_40", TfheLiteral::message_2_carry_2_failure_40()),
            (DIMENSIONS, published_dimensions()),
        ];
        let others = others.into_iter().chain(published_digits());
        let others = others.map(|(name, literal)| Ok(Self { name, params: literal.check(backend)? }));
        std::iter::once(Self::standard(backend)).chain(others).collect()
    }

    /// The parameters.
    pub(super) fn described(&self) -> TfheSet {
        let literal = self.params.literal();
        TfheSet {
            parameters: self.name,
            ring_degree: literal.ring_degree,
            lwe_dimension: literal.lwe_dimension,
            log2_q: u64::BITS,
            log2_bootstrap_base: literal.bootstrap.digit_bits,
            bootstrap_digits: literal.bootstrap.levels,
            log2_key_switch_base: literal.key_switch.digit_bits,
            key_switch_digits: literal.key_switch.levels,
        }
    }

    /// The standard parameters.
    pub(crate) fn standard(backend: Backend) -> Result<Self, TfheParamsError> {
        Ok(Self { name: STANDARD, params: TfheLiteral::message_2_carry_2().check(backend)? })
    }

    pub(super) fn is_standard(&self) -> bool {
        self.name == STANDARD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_can_be_made_and_has_a_name_of_its_own() {
        let sets = Set::all(Backend::Scalar).unwrap();
        let found: Vec<(&str, [usize; 2], [u32; 2])> = sets
            .iter()
            .map(|set| {
                let set = set.described();
                let bases = [set.log2_bootstrap_base, set.log2_key_switch_base];
                (set.parameters, [set.lwe_dimension, set.ring_degree], bases)
            })
            .collect();
        assert_eq!(
            found,
            [
                (STANDARD, [870, 2048], [23, 3]),
                ("message_2_carry_2_failure_40", [800, 2048], [23, 3]),
                (DIMENSIONS, [500, 2048], [23, 2]),
                // The dimensions and first bases of Table 4 of the comparison.
                ("n = 512, N = 2048, digits of 2^7 (insecure)", [512, 2048], [7, 2]),
                ("n = 500, N = 2048, digits of 2^6 (insecure)", [500, 2048], [6, 2]),
            ]
        );
    }
}
