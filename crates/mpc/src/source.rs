//! Where triples come from.

use asanoha_ring::WideModulus;

use crate::{Generator, MpcError, PartyTriples, TripleShape};

/// What makes blocks of triples, the same ones whenever it's asked for the same block.
pub trait TripleSource: Sync {
    /// The prime t.
    fn modulus(&self) -> &WideModulus;
    /// The dimensions.
    fn shape(&self) -> TripleShape;
    /// The number of parties.
    fn parties(&self) -> usize;
    /// A party's share of the MAC key, as a row of the modulus' words.
    fn mac_key_share(&self, party: usize) -> &[u64];
    /// How many triples a block has; of the last, fewer may be needed: the first ones are taken.
    fn block_size(&self) -> usize;
    /// The security in bits of what parties see of each other.
    fn security_bits(&self) -> u32;
    /// Names how blocks are computed out of the seed, for a reader.
    fn name(&self) -> String;
    /// A digest of the parameters: with others, a seed gives other triples.
    fn digest(&self) -> String;
    /// The shares of one block, one for each party.
    ///
    /// # Errors
    /// [`MpcError::Generate`] if it can't be computed.
    fn block(&self, index: u64) -> Result<Vec<PartyTriples>, MpcError>;
}

impl TripleSource for Generator {
    fn modulus(&self) -> &WideModulus {
        self.params().modulus()
    }

    fn shape(&self) -> TripleShape {
        self.params().shape()
    }

    fn parties(&self) -> usize {
        self.params().parties()
    }

    fn mac_key_share(&self, party: usize) -> &[u64] {
        self.mac_key_shares().nth(party).expect("the party is one of them")
    }

    fn block_size(&self) -> usize {
        self.params().block_size()
    }

    fn security_bits(&self) -> u32 {
        self.params().rlwe().security_bits()
    }

    fn name(&self) -> String {
        let params = self.params();
        format!(
            "BGV of ring degree {}, by blocks of {} rows and columns",
            params.rlwe().ring_degree(),
            params.packing().outer()
        )
    }

    fn digest(&self) -> String {
        self.params().digest()
    }

    fn block(&self, index: u64) -> Result<Vec<PartyTriples>, MpcError> {
        let index = usize::try_from(index).expect("blocks are counted by words");
        Ok(self.block(index)?)
    }
}
