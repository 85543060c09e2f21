//! Parameters for circuits: see [`asanoha_backends`].

pub use asanoha_backends::{
    GenerateError, ScheduleHints, SearchProgress, SearchResult, ckks::generate_ckks, failure, schedule_at,
    slots::cost,
};
