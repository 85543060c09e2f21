//! Programs, noise and cost models, parameter generation, choice of scheme, execution.
//!
//! A [`program::Program`] and the public facts about the data (a [`data::Schema`]) become a [`plan::Plan`]: scheme,
//! parameters, and a schedule of operations with the noise of every step predicted. [`execute`] carries it out.

mod alike;
pub mod choose;
pub mod circuit;
pub mod cost;
pub mod data;
pub mod execute;
pub mod failure;
pub mod generate;
pub mod output;
pub mod plan;
pub mod precision;
pub mod program;
