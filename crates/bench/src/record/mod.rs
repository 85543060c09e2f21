//! The tables and figures of the papers, made again from reports of the benches.
//!
//! What a paper prints is data: a file of `record/` for each paper has its places, which are tables and figures, with the
//! published value of each cell and the place of ours in the reports of the benches. A ratio of the two needs a statement that
//! both are of the same (`statement`).

mod axis;
mod calls;
mod cells;
mod chart;
mod dots;
mod intro;
mod markdown;
mod notes;
mod numbers;
mod page;
mod papers;
mod result;
mod rows;
mod standing;
mod statement;

pub use calls::{Call, calls};
pub use cells::Record;
pub use papers::Paper;
pub use result::{Outcome, REPORTS, Saved, this_program};
pub use rows::{CallRow, CellRow};
pub use standing::Standing;
