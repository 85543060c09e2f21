//! TFHE: integers of few digits, each row by itself.

pub(crate) mod backend;
pub mod bootstraps;
pub(crate) mod codec;
pub(crate) mod file;
pub(crate) mod keys;
pub(crate) mod params;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod schedule;
pub(crate) mod search;
pub(crate) mod side_by_side;

pub use rows::{apply_integers, integer_type};
pub use search::integer_states;
