//! Schemes whose ciphertexts have slots: their operations on columns, schedules, and what these cost.

pub(crate) mod backend;
pub(crate) mod codec;
pub(crate) mod copies;
pub mod cost;
pub(crate) mod ended;
pub(crate) mod engine;
pub(crate) mod failure;
pub(crate) mod file;
pub(crate) mod keys;
pub(crate) mod numbers;
pub(crate) mod params;
pub(crate) mod plain;
pub(crate) mod run;
pub(crate) mod schedule;
pub(crate) mod slots_scheme;
pub(crate) mod states;
pub(crate) mod tasks;
pub(crate) mod walk;

pub use engine::{CiphertextsOf, Columns, Engine, Span, apply, place_of, values_of_column};
pub use numbers::{MessageFields, Numbers, Planned, PlannedExact, SlotsKey};
pub use plain::PlainEngine;
