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

mod agreement;
#[cfg(test)]
mod attacks;
mod client;
mod error;
mod handlers;
mod keys;
mod limits;
mod remote;
mod server;
mod shared;
mod wire;

pub use agreement::agreed_search;
pub use client::{HttpClient, KeysDigest};
pub use error::SearchError;
pub use limits::Limits;
pub use remote::Remote;
pub use server::{HttpServer, Settings};
pub use wire::{About, Ask, SentKeys, Sites};
