//! What is known of the parameters of schemes with slots.

use asanoha_lattice::{FileHeader, KeyId, RlweParams};
use asanoha_scheme::Scheme;
use num_bigint::BigUint;

use crate::literal::ParamsLiteral;
use crate::params::Parameters;
use crate::slots::slots_scheme::SlotsScheme;

impl<S: SlotsScheme> Parameters for S {
    fn digest(&self) -> &str {
        Scheme::digest(self)
    }

    fn literal(&self) -> ParamsLiteral {
        self.written()
    }

    fn rlwe(&self) -> Option<&RlweParams> {
        Some(Scheme::rlwe(self))
    }

    fn security_bits(&self) -> u32 {
        Scheme::rlwe(self).security_bits()
    }

    fn is_insecure(&self) -> bool {
        Scheme::rlwe(self).literal().insecure
    }

    fn ring_degree(&self) -> usize {
        Scheme::rlwe(self).ring_degree()
    }

    fn log2_modulus(&self) -> f64 {
        Scheme::rlwe(self).log2_qp()
    }

    fn slots(&self) -> usize {
        Scheme::slots(self)
    }

    fn row_slots(&self) -> Option<usize> {
        Scheme::row_slots(self)
    }

    fn plaintext_modulus(&self) -> Option<&BigUint> {
        self.modulus_of_plaintexts()
    }

    fn log2_scale(&self) -> Option<f64> {
        self.log2_of_scale()
    }

    fn digits(&self) -> usize {
        Scheme::rlwe(self).literal().digits
    }

    fn file_header(&self, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader {
        Scheme::rlwe(self).file_header(Scheme::digest(self), key, kind, fields)
    }
}
