//! Residue number systems.

mod basis;
mod bigint;
mod convert;
mod memory;
mod poly;
mod rescale;
mod switch;

pub use basis::{Basis, Limb, RingError};
pub use convert::Converter;
pub use memory::Words;
pub(crate) use poly::Work;
pub use poly::{Coefficient, Evaluation, Poly, Representation, Scalar};
pub use rescale::Divider;
pub use switch::{Digits, LimbWords, SwitchKey, SwitchPart, switch_sums};
