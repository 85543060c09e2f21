//! Circuits: graphs of arithmetic as schemes carry them out. See [`asanoha_compile`] for the graphs.

mod ckks_errors;
mod engine;
mod integer_engine;
mod multiples;
mod placement;
mod plain;
mod schedule;
mod schedule_ckks;
mod schedule_exact;
mod schedule_integers;

use asanoha_scheme::SchemeError;

pub use asanoha_compile::*;
pub(crate) use ckks_errors::unabsorbed_bits;
pub use ckks_errors::{output_errors, published_errors, scale_of};
pub(crate) use engine::{Columns, Engine, Span, Values, apply, place_of, values_of_column};
pub(crate) use integer_engine::{apply_integers, integer_type};
pub(crate) use placement::{Preference, bootstrap_placement};
pub(crate) use plain::PlainEngine;
pub use schedule_ckks::schedule_ckks;
pub(crate) use schedule_exact::schedule_exact;
pub(crate) use schedule_integers::schedule_integers;

/// Why there's no schedule at the given parameters.
#[derive(Debug)]
pub enum NoSchedule {
    /// More levels are needed.
    MoreLevels,
    /// An operation fails.
    Fails(SchemeError),
}

impl From<SchemeError> for NoSchedule {
    fn from(error: SchemeError) -> Self {
        Self::Fails(error)
    }
}
