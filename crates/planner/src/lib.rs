//! Chooses a scheme and its parameters for a program.
//!
//! A [`program::Program`] and the public facts about the data (a [`data::Schema`]) become a [`plan::Plan`]: scheme,
//! parameters, and a schedule of operations with the noise of every step predicted. The crate `asanoha-runtime` carries it out.

pub mod compile;
pub mod output;
pub mod plan;
pub mod program;
pub mod search;

pub use asanoha_numeric::{precision, text};
pub use asanoha_table::{self as data, advice};
