//! What is known of the parameters of schemes with slots.

use asanoha_lattice::{FileHeader, KeyId, RlweParams, SPARSE_SHOWN_BITS, shown_bits_limit};
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

    fn shown_bits_limit(&self) -> u64 {
        let rlwe = Scheme::rlwe(self);
        let ternary = shown_bits_limit(rlwe.ring_degree(), 3f64.log2());
        // One of the evaluation keys encrypts the sparse secret, so results can show it.
        if rlwe.log2_sparse_modulus().is_some() { ternary.min(SPARSE_SHOWN_BITS) } else { ternary }
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
