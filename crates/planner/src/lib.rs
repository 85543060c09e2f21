//! Programs, noise and cost models, parameter generation, choice of scheme, execution.
//!
//! A [`program::Program`] and the public facts about the data (a [`data::Schema`]) become a [`plan::Plan`]: scheme,
//! parameters, and a schedule of operations with the noise of every step predicted. [`execute`] carries it out.
//!
//! The rooms, each of which knows only those before it: [`program`] and [`data`]; the schemes that programs run on; [`compile`],
//! from programs to arithmetic graphs and schedules; [`search`], for parameters and what they cost; [`plan`]; [`execute`]; [`report`].

pub mod compile;
pub mod execute;
pub mod output;
pub mod plan;
pub mod program;
pub mod report;
pub mod search;

pub use asanoha_numeric::precision;
pub use asanoha_table::{self as data, advice};
