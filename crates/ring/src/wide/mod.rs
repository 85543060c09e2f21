//! Integers modulo a number of any size, many at a time: each is a row of little-endian words, row after row.

mod modulus;
mod ntt;

pub use modulus::WideModulus;
pub use ntt::{WideNtt, transform_size};
