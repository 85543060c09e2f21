//! BGV and BFV: whole numbers modulo a plaintext modulus.

pub(crate) mod backend;
mod integer_bits;
pub(crate) mod numbers;
pub(crate) mod open;
pub(crate) mod schedule;
pub(crate) mod search;
pub(crate) mod switches;

pub use schedule::schedule_exact;
