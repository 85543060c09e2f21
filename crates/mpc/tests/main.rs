//! The tests of this crate. They are one executable, as each links the whole library.

mod common;

mod extreme_plaintexts;
mod filling;
mod generation;
mod store;
