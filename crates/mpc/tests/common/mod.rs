//! A source of one triple that a test gives.

use asanoha_circuits::matrix::MatrixBatch;
use asanoha_mpc::{MpcError, PartyTriples, SharedMatrices, TripleShape, TripleSource};
use asanoha_ring::WideModulus;

/// Shares of one triple of numbers.
pub(crate) struct Fixed {
    modulus: WideModulus,
    mac_key: Vec<Vec<u64>>,
    triples: Vec<PartyTriples>,
}

impl Fixed {
    /// Every party's share of the MAC key, and of A, B and A·B the shares of the value and the code.
    pub(crate) fn new<const N: usize>(
        modulus: &WideModulus,
        mac_key: &[i64; N],
        shares: [[[i64; 2]; 3]; N],
    ) -> Self {
        let batch = |value: i64| {
            let mut batch = MatrixBatch::zero(modulus, [1, 1], 1);
            batch.words_mut().copy_from_slice(&modulus.row(&value.into()));
            batch
        };
        let shared = |[value, code]: [i64; 2]| SharedMatrices { values: batch(value), codes: batch(code) };
        Self {
            modulus: modulus.clone(),
            mac_key: mac_key.iter().map(|&share| modulus.row(&share.into())).collect(),
            triples: shares.map(|matrices| PartyTriples { matrices: matrices.map(shared) }).to_vec(),
        }
    }
}

impl TripleSource for Fixed {
    fn modulus(&self) -> &WideModulus {
        &self.modulus
    }

    fn shape(&self) -> TripleShape {
        TripleShape::square(1)
    }

    fn parties(&self) -> usize {
        self.mac_key.len()
    }

    fn mac_key_share(&self, party: usize) -> &[u64] {
        &self.mac_key[party]
    }

    fn block_size(&self) -> usize {
        1
    }

    fn security_bits(&self) -> u32 {
        0
    }

    fn name(&self) -> String {
        "the test".to_owned()
    }

    fn digest(&self) -> String {
        String::new()
    }

    fn block(&self, _index: u64) -> Result<Vec<PartyTriples>, MpcError> {
        Ok(self.triples.clone())
    }
}
