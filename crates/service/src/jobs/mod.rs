//! Jobs: evaluations of a plan on inputs, with keys.

mod queue;
mod running;
mod submit;
mod view;
mod watch;

pub(crate) use queue::{Entry, Queue};
pub(crate) use running::{Claim, End};
pub use submit::{Submission, Submitted};
pub use view::{JobState, JobView, ResultFile};
pub(crate) use watch::{Granted, Interruption, Watch, resident_bytes};
