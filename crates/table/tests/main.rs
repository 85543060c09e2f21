//! The tests of this crate. They are one executable.

#[cfg(feature = "arrow")]
mod arrow;
mod codes;
mod decimals;
mod formats;
#[cfg(feature = "arrow")]
mod frames;
mod missing;
mod tables;
