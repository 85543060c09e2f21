//! The state of a service: the journal and the files in its folder, and what of them is in memory.

pub(crate) mod batch;
pub(crate) mod folder;
mod journal;
mod memory;
pub(crate) mod records;
mod recovery;
mod store_core;
mod usage;

pub use memory::Stop;
pub(crate) use memory::{CHUNK, PartialUpload, State};
pub use recovery::Recovery;
pub(crate) use recovery::exhausted;
pub use store_core::Settings;
pub(crate) use store_core::StoreCore;
