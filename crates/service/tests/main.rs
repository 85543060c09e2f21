//! The tests of this crate. They are one executable, as each links the whole library.

mod common;

mod crash;
#[cfg(feature = "http")]
mod http;
mod jobs;
#[cfg(feature = "http")]
mod lies;
mod limits;
mod memory;
#[cfg(feature = "http")]
mod page;
mod plans;
#[cfg(feature = "http")]
mod remote;
mod restarts;
mod schemes;
mod stores;
mod uploads;
