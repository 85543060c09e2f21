//! A folder of triples.
//!
//! ```text
//! manifest.json               what the triples are, for a reader too
//! secret-seed                 what all shares follow from: hexadecimal digits, for the owner alone
//! party-0/block-00000000      the first party's shares of the first triples
//! party-1/block-00000000 …
//! ```
//!
//! A block file is the eight bytes `asatrip1`; a BLAKE3 digest of the manifest, the party and the block; the party's share of
//! the MAC key; for each triple the entries of A, B and C row by row, of each the share of the value and then that of its
//! code, as little-endian words in [0, t); and a BLAKE3 digest of everything before. Every file is written beside its
//! place, brought to the disk and renamed, so a folder has whole blocks only: a run that was killed is repeated from its first
//! block that isn't there, and gives the same bytes.

mod block;
mod error;
mod filling;
mod generate;
mod manifest;
mod place;
mod run;
mod verify;

pub use error::StoreError;
pub use filling::{BlockMaker, Filling, Request};
pub use generate::{Generated, generate};
pub use manifest::{FORMAT, MANIFEST, Manifest};
pub use run::Run;
pub use verify::{Verdict, WrongTriple, verify};

pub(crate) use block::{BlockReader, append_triple};
pub(crate) use place::{private, write_folder_atomically};
