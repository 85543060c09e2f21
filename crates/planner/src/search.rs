//! Parameters for circuits: see [`asanoha_backends`].

pub use asanoha_backends::{
    BACKENDS, Backend, Backends, GenerateError, Machine, REFERENCE, ScheduleHints, Scheduled, SearchProgress,
    SearchResult, ckks::generate_ckks, failure, schedule_at, slots::cost,
};
