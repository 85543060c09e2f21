//! Circuits walked by an engine.

pub(crate) mod by_ciphertext;
pub(crate) mod run;
pub(crate) mod state;
