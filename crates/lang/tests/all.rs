//! The tests of this crate.

mod errors;
mod examples;
mod language;
mod properties;
mod weights;
