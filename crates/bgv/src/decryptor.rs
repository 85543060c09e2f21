//! Decryption.

use asanoha_lattice::SecretKey;
use asanoha_ring::{Converter, Scalar};

use crate::{BgvCiphertext, BgvError, BgvNoise, BgvParams, encoder::decode_residues};

/// Decrypts ciphertexts.
#[derive(Clone, Debug)]
pub struct Decryptor {
    params: BgvParams,
}

impl Decryptor {
    /// The decryptor of these parameters.
    pub fn new(params: &BgvParams) -> Self {
        Self { params: params.clone() }
    }

    /// The N values of a ciphertext in (−t/2, t/2), the first row first: f⁻¹·v modulo t with v = c₀ + c₁·s + …
    /// centred modulo Q.
    ///
    /// The conversion to t is exact but next to ±Q/2, where the noise bound, which is looked at first, keeps v away
    /// from.
    ///
    /// # Errors
    /// [`BgvError::OutOfModulus`] if the noise bound doesn't fit; evaluators never make such ciphertexts.
    pub fn decrypt(&self, secret: &SecretKey, ciphertext: &BgvCiphertext) -> Result<Vec<i64>, BgvError> {
        let params = &self.params;
        BgvNoise::new(params).check(ciphertext.state())?;
        let v = secret.decrypt(&ciphertext.rlwe);
        let mut residues = Converter::exact(v.basis(), params.plain()).convert(v);
        let inverse = params.plaintext_modulus().inverse(ciphertext.factor).expect("factors are units");
        residues.mul_scalar_assign(&Scalar::new(params.plain(), &inverse.into()));
        Ok(decode_residues(params, residues))
    }
}
