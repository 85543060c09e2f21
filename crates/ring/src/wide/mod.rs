//! Vectors of integers modulo a number of any size. An integer is a row of little-endian words; a vector is row after
//! row.

mod columns;
mod modulus;
mod ntt;

pub(crate) use columns::bits;
pub use columns::{Strip, WideColumns, WidePlanes};
pub use modulus::WideModulus;
pub use ntt::{WideNtt, transform_size};
