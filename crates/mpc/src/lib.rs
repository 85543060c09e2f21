//! Preprocessing for multi-party computation: matrix triples, shared and authenticated.
//!
//! A triple is (A, B, C = A·B) modulo a prime t, with A of `rows` × `inner` and B of `inner` × `columns` entries. Each of n
//! parties holds an additive share of every entry x, and one of its code α·x, where α is the sum of the parties' shares of
//! the MAC key: what SPDZ (Damgård, Pastro, Smart, Zakarias 2012) computes products of matrices with.

mod generate;
mod parameters;
mod shape;
mod shares;
mod threshold;

pub use generate::{GenerateError, Generator, PhaseSeconds};
pub use parameters::{STATISTICAL_BITS, TripleParams, TripleParamsError, TripleWishes};
pub use shape::Shape;
pub use shares::{PartyTriples, SharedMatrices};
