//! Schemes whose ciphertexts have slots: their operations on columns, schedules, and what these cost.

pub mod cost;
pub(crate) mod engine;
pub(crate) mod numbers;
pub(crate) mod plain;
pub(crate) mod schedule;

pub use engine::{Columns, Engine, Span, Values, apply, place_of, values_of_column};
pub use numbers::{MessageFields, Numbers, Planned, PlannedExact, SlotsKey};
pub use plain::PlainEngine;
