//! What is known of the parameters of TFHE.

use asanoha_lattice::{FileHeader, KeyId, shown_bits_limit};
use asanoha_tfhe::{TfheLiteral, TfheParams};

use crate::literal::ParamsLiteral;
use crate::params::Parameters;
use crate::scheme_name::SchemeName;

impl From<TfheLiteral> for ParamsLiteral {
    fn from(literal: TfheLiteral) -> Self {
        Self::new(SchemeName::Tfhe, &literal)
    }
}

impl Parameters for TfheParams {
    fn digest(&self) -> &str {
        self.digest()
    }

    fn literal(&self) -> ParamsLiteral {
        ParamsLiteral::new(SchemeName::Tfhe, self.literal())
    }

    /// 128 where the parameters are those of the table.
    fn security_bits(&self) -> u32 {
        self.security_bits()
    }

    /// The secret of blind rotations counts if it has fewer bits: the bootstrapping key encrypts it under the other one, so results can
    /// show it too.
    fn shown_bits_limit(&self) -> u64 {
        let TfheLiteral { lwe_dimension, rank, ring_degree, .. } = *self.literal();
        shown_bits_limit(lwe_dimension.min(rank * ring_degree), 1.0)
    }

    fn is_estimated(&self) -> bool {
        true
    }

    fn is_insecure(&self) -> bool {
        self.literal().insecure
    }

    fn ring_degree(&self) -> usize {
        self.literal().ring_degree
    }

    fn log2_modulus(&self) -> f64 {
        f64::from(u64::BITS)
    }

    fn slots(&self) -> usize {
        1
    }

    fn row_slots(&self) -> Option<usize> {
        Some(1)
    }

    fn lwe_dimension(&self) -> Option<usize> {
        Some(self.literal().lwe_dimension)
    }

    fn digits(&self) -> usize {
        self.literal().key_switch.levels as usize
    }

    fn file_header(&self, key: KeyId, kind: &str, fields: serde_json::Value) -> FileHeader {
        self.file_header(key, kind, fields)
    }
}
