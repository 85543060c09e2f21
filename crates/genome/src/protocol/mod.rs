//! Private search by a scan: the client learns how many letters of its query agree with some haplotype of the server's panel from a
//! site on, and if it asks with how many haplotypes; the server learns nothing of the letters.
//!
//! `docs/notes/genome.md` derives the protocol and says who learns what.

mod blinding;
mod blocks;
mod carrier;
mod circuit;
mod client;
mod columns;
mod course;
mod encrypted;
mod error;
mod message;
#[cfg(test)]
mod plain;
mod prefix;
mod rows;
mod search;
mod server;
mod shape;
mod terms;
#[cfg(test)]
mod tests;
mod timed;
mod walk;
mod window;

pub use circuit::Phase;
pub use client::Client;
pub use error::ProtocolError;
pub use search::{RING_DEGREE, STATISTICAL_BITS, Search};
pub use server::Server;
pub use shape::{MAX_CANDIDATES, SearchShape};
pub use terms::Answer;
pub use timed::OperationTimes;
pub use window::Window;
