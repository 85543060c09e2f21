//! Keys with their scheme, and evaluation keys requested by purpose.

mod builder;
mod owner;
mod sums;

pub use builder::EvaluationKeysBuilder;
pub use owner::{GenerateKeys, PublicKey, SecretKey};
pub use sums::{SwitchWork, Work, sum_factors, sum_trace};
