//! Bootstrapping: ciphertexts of the lowest level get their levels back.

mod bootstrapper;
mod dft;
mod error;
mod eval_mod;
mod matrix;
mod scale_schedule;

pub use bootstrapper::{BOOTSTRAP_OPERATIONS, Bootstrapper, SlotKind};
pub use dft::SlotTransform;
pub use error::BootstrapError;
pub use eval_mod::{EvalMod, EvalModShape};
