//! Parameters of circuits that say where the modulus may be switched: how large a ring and modulus, and how many primes
//! are dropped at each of these candidates, for rules of noise, a width of words and a table of security that are given.

mod circuit;
mod matrix_triples;
mod rules;
mod search;

pub use circuit::{CandidateCircuit, CircuitError, CircuitNode};
pub use matrix_triples::{TripleSetting, matrix_triples_circuit, matrix_triples_table_1};
pub use rules::{AverageRules, NoiseRules, PromisedRules, SwitchedModulus};
pub use search::{CandidateError, CandidateParams, CandidateSearch};
