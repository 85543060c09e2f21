//! Bootstrapping: ciphertexts of the lowest level get their levels back.

mod bootstrapper;
mod dft;
mod eval_mod;
mod ladder;
mod matrix;
mod passes;

pub use bootstrapper::{BOOTSTRAP_OPERATIONS, BootstrapError, Bootstrapper, SlotKind};
pub use dft::SlotTransform;
pub use eval_mod::{EvalMod, EvalModShape};
