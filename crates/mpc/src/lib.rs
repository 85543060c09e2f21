//! Preprocessing for multi-party computation: matrix triples, shared and authenticated.
//!
//! A triple is (A, B, C = A·B) modulo a prime t, with A of `rows` × `inner` and B of `inner` × `columns` entries. Each of n
//! parties holds an additive share of every entry x, and one of its code α·x, where α is the sum of the parties' shares of
//! the MAC key: what SPDZ (Damgård, Pastro, Smart, Zakarias 2012) computes products of matrices with.
//!
//! [`store::generate`] fills a folder with triples block by block, and goes on where it was stopped; [`store::verify`] checks
//! all that's in it; [`export`] writes what other programs read.

mod arithmetic;
mod blocks;
mod error;
mod generate;
mod limits;
mod noise;
mod opening;
mod parameters;
mod phases;
mod pieces;
mod settings;
mod shape;
mod shares;
mod source;
mod threshold;

pub mod export;
pub mod store;

pub use asanoha_ring::keep_unused_memory;
pub use error::{GenerateError, MpcError};
pub use generate::Generator;
pub use limits::{BITS, MAX_DIMENSION, MAX_PARTIES, MAX_TRIPLES, RECOMMENDED_MAC_BITS};
pub use noise::STATISTICAL_BITS;
pub use parameters::{TripleOptions, TripleParams, TripleParamsError};
pub use phases::PhaseSeconds;
pub use pieces::{Pieces, source};
pub use settings::{GeneratorSettings, ModulusChoice, check_count, check_parties, check_shape};
pub use shape::TripleShape;
pub use shares::{PartyTriples, SharedMatrices};
pub use source::TripleSource;
