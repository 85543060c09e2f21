//! Reports of plans and results: what every interface says of them.

mod check;
pub mod figures;
mod lines;
mod plan;

pub use crate::execute::largest;
pub use check::{Broken, Check, Lost, bound_text, error_bounds, indistinct, merged_bounds, within_precision};
pub use lines::Lines;
pub use plan::{
    CandidateReport, candidates, deciding, describe, estimated, params_line, public_columns, security_line,
    security_words,
};
