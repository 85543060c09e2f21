//! Reports of plans and results: what every interface says of them.

mod answers;
mod check;
mod classified;
pub mod figures;
mod lines;
mod plan;
mod results;

pub use crate::execute::largest;
pub use answers::Answers;
pub use check::{Broken, Check, Lost, bound_text, error_bounds, indistinct, merged_bounds, within_precision};
pub use classified::{Classified, ErrorKind};
pub use lines::Lines;
pub use plan::{
    CandidateReport, candidates, deciding, describe, estimated, params_line, public_columns,
    rounded_constants, security_line, security_words, tables_by_text,
};
pub use results::{Cells, Results};
