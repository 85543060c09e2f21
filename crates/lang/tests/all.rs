//! The tests of this crate.

mod documents;
mod errors;
mod examples;
mod functions;
mod language;
mod properties;
mod weights;
