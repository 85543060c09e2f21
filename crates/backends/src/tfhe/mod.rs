//! TFHE: integers of few digits, each row by itself.

pub mod bootstraps;
pub(crate) mod rows;
pub(crate) mod schedule;
pub(crate) mod search;

pub use rows::{apply_integers, integer_type};
pub use search::{generate_tfhe, integer_states};
