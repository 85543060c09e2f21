//! Where triples come from.

use asanoha_ring::WideModulus;

use crate::{Dealer, MpcError, PartyTriples, Shape, store::GeneratorSettings};

/// What makes blocks of triples, the same ones whenever it's asked for the same block.
pub trait TripleSource: Sync {
    /// The prime t.
    fn modulus(&self) -> &WideModulus;
    /// The dimensions.
    fn shape(&self) -> Shape;
    /// The number of parties.
    fn parties(&self) -> usize;
    /// The shares of the MAC key, one for each party, as rows of the modulus' words.
    fn mac_key_shares(&self) -> &[Vec<u64>];
    /// How many triples a block has; of the last, fewer may be needed: the first ones are taken.
    fn block_size(&self) -> usize;
    /// The security in bits of what parties see of each other.
    fn security_bits(&self) -> u32;
    /// Names how blocks are computed out of the seed: sources with different names give different triples.
    fn name(&self) -> String;
    /// The shares of one block, one for each party.
    ///
    /// # Errors
    /// [`MpcError::Generator`] if it can't be computed.
    fn block(&self, index: u64) -> Result<Vec<PartyTriples>, MpcError>;
}

/// What makes triples of these settings.
///
/// # Errors
/// As [`GeneratorSettings::check`], and [`MpcError::Memory`] if the memory doesn't suffice.
pub fn source(settings: &GeneratorSettings) -> Result<Box<dyn TripleSource>, MpcError> {
    // replaced by the homomorphic generator
    Ok(Box::new(Dealer::new(settings)?))
}
