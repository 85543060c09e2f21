//! What triples may be asked for.

use std::ops::RangeInclusive;

/// The largest dimension of a matrix: one triple then has 3·2^20 entries.
pub const MAX_DIMENSION: usize = 1024;
/// The most parties.
pub const MAX_PARTIES: usize = 64;
/// The most triples of one folder.
pub const MAX_TRIPLES: u64 = 1 << 32;
/// The least security of the codes in bits ([`crate::store::Manifest::mac_security_bits`]) that is recommended for more than tests: that
/// of SPDZ's implementations.
pub const RECOMMENDED_MAC_BITS: u64 = 40;
/// The sizes of moduli, in bits.
pub const BITS: RangeInclusive<u32> = 20..=512;
