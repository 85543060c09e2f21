//! Residue number systems.

mod basis;
mod bigint;
mod convert;
mod form;
mod memory;
mod poly;
mod rescale;
mod scaled_tensor;
mod switch;
mod wide;

pub use basis::{Basis, Limb, RingError};
pub use convert::Converter;
pub use form::LinearPoly;
pub use memory::Words;
pub(crate) use poly::Work;
pub use poly::{Coefficient, Evaluation, Poly, Representation, Scalar};
pub use rescale::Divider;
pub use scaled_tensor::ScaledTensor;
pub use switch::{Digits, LimbWords, SwitchKey, SwitchPart, switch_sums};
