//! Small parameters and their keys.

use asanoha_ring::{Sampler, Seed};
use asanoha_tfhe::{ClientKey, GadgetLiteral, ServerKey, TfheLiteral, TfheParams};

/// Small and insecure, with little noise, and numbers of 3 or 4 bits.
pub(crate) fn tiny(message_bits: u32) -> TfheLiteral {
    TfheLiteral {
        lwe_dimension: 24,
        lwe_standard_deviation: 2f64.powi(-30),
        ring_degree: 512,
        rank: 1,
        glwe_standard_deviation: 2f64.powi(-48),
        bootstrap: GadgetLiteral { digit_bits: 12, levels: 2 },
        key_switch: GadgetLiteral { digit_bits: 4, levels: 5 },
        message_bits,
        log2_failure: -128.0,
        insecure: true,
    }
}

pub(crate) fn sampler(seed: u8) -> Sampler {
    Sampler::new(&Seed([seed; 32]))
}

/// Both keys from one seed.
pub(crate) fn keys(params: &TfheParams, seed: u8) -> (ClientKey, ServerKey) {
    let client = ClientKey::generate(params, &mut sampler(seed));
    let server = client.server_key(&mut sampler(seed));
    (client, server)
}
