//! Checkpoints: what an evaluation has finished, in a folder, so that a later one on the same plan, keys and inputs goes on from it.
//!
//! A checkpoint is any set of values of steps that are needed still. Whatever of it is missing or can't be used is computed again, so
//! nothing depends on which files there are. Values are bound to the plan, the file of keys and the file of inputs by digests.

pub(crate) mod codec;
pub(crate) mod evaluation;
pub(crate) mod folder;
pub(crate) mod keeper;
pub(crate) mod kept;
pub(crate) mod needed;
pub(crate) mod pace;
pub(crate) mod part;

pub use evaluation::Evaluation;
pub use folder::{CheckpointError, Checkpoints};
pub use needed::Resumed;
