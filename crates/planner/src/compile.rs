//! Circuits: see [`asanoha_compile`], and the crate of the schemes for schedules.

pub use asanoha_backends::{
    NoSchedule,
    ckks::{output_errors, published_errors, scale_of, schedule_ckks},
};
pub use asanoha_compile::*;
