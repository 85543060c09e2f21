//! What bootstrapping is made of: the transform between slots and coefficients as a few sparse matrices, and the
//! polynomial that takes a number modulo 1.

mod dft;
mod eval_mod;

pub use dft::{Complex, SlotTransform};
pub use eval_mod::{EvalMod, EvalModShape};
