//! Jobs: evaluations of a plan on inputs, with keys.

mod running;
mod submit;
mod view;

pub(crate) use running::{Claim, End, claim, finish};
pub(crate) use submit::submit;
pub use submit::{Submission, Submitted};
pub use view::{JobState, JobView, ResultFile};
pub(crate) use view::{cancel, job, remove_job, results, wait_for_job};
