//! Residue number systems.

mod basis;
mod bigint;
mod convert;
mod encryption;
mod form;
mod groups;
mod images;
mod memory;
mod packed;
mod poly;
mod rescale;
mod runs;
mod scaled_tensor;
mod size;
mod switch;
mod wide;

pub use basis::{Basis, Limb, RingError, transforms};
pub use convert::Converter;
pub use encryption::Encryption;
pub use form::LinearPoly;
pub use images::FixingAutomorphisms;
pub use memory::{Words, keep_unused_memory};
pub use packed::PackedPoly;
pub(crate) use poly::Work;
pub use poly::{Coefficient, Evaluation, Poly, Representation, Scalar};
pub use rescale::Divider;
pub use runs::Runs;
pub use scaled_tensor::ScaledTensor;
pub use size::RelativeSize;
pub use switch::{Digits, KeyWords, SwitchKey, SwitchPart, image_combinations, switch_sums};
pub use wide::Summands;
