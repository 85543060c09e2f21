//! Vectors of integers modulo a number of any size. An integer is a row of little-endian words; a vector is row after
//! row.

mod modulus;
mod ntt;

pub use modulus::WideModulus;
pub use ntt::{WideNtt, transform_size};
