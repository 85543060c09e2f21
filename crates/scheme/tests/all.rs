//! The tests of this crate.

mod candidates;
mod plaintext;
