//! A search over HTTPS: a server of one panel, and its clients.
//!
//! | request | gives |
//! |---|---|
//! | `GET /health` | `ok` |
//! | `GET /v1/panel` | [`About`], as JSON |
//! | `GET /v1/sites?start=S&letters=L` | [`Sites`], as JSON: those that a query's letters belong to |
//! | `GET /v1/keys/DIGEST` | 204 if the server holds these keys |
//! | `PUT /v1/keys/DIGEST` | [`SentKeys`]: once, for all queries of a length |
//! | `POST /v1/queries` | [`Ask`]; the answer's bytes |
//!
//! Refusals are an [`asanoha_http::Refusal`]. The server learns what `docs/notes/genome.md` says,
//! and the client's address. Letters are encrypted under the client's keys; HTTPS vouches for the server.

#[cfg(test)]
mod attacks;
mod client;
mod error;
mod handlers;
mod keys;
mod limits;
mod remote;
mod server;
mod wire;

pub use client::{HttpClient, KeysDigest};
pub use error::SearchError;
pub use limits::Limits;
pub use remote::Remote;
pub use server::{HttpServer, Settings};
pub use wire::{About, Ask, SentKeys, Sites};

use crate::protocol::{ProtocolError, Search, Shape};

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
    let shape = Shape { letters, haplotypes, candidates, counts: true };
    insecure_ring.map_or_else(|| Search::new(shape), |degree| Search::insecure(shape, degree))
}
