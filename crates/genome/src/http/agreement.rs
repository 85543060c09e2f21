//! The search that client and server derive alike.

use crate::protocol::{ProtocolError, Search, SearchShape};

/// The search of so many letters from one of so many starts on, in a panel of so many haplotypes, with counts: what both sides
/// derive by themselves. A ring degree is given for tests only, and makes a search that keeps nothing secret.
///
/// # Errors
/// Those of [`Search::new`].
pub fn agreed_search(
    (letters, candidates): (usize, usize),
    haplotypes: usize,
    insecure_ring: Option<usize>,
) -> Result<Search, ProtocolError> {
    let shape = SearchShape { letters, haplotypes, candidates, counts: true };
    insecure_ring.map_or_else(|| Search::new(shape), |degree| Search::insecure(shape, degree))
}
