//! The tests of this crate. They are one executable, as each links the whole library.

mod common;

mod back_ends;
mod bootstrap;
mod files;
mod fixed;
mod hostile;
mod integers;
mod keys;
mod noise;
