//! Residue number systems.

mod basis;
mod bigint;
mod cofactors;
mod convert;
mod encryption;
mod form;
mod groups;
mod images;
mod packed;
mod poly;
mod rescale;
mod runs;
mod scalar;
mod scaled_tensor;
mod size;
mod switch;
mod wide;
mod work;

pub use basis::{Basis, Limb, RingError, transforms};
pub use convert::Converter;
pub use encryption::Encryption;
pub use images::FixingAutomorphisms;
pub use packed::PackedPoly;
pub use poly::{Coefficient, Evaluation, LinearPoly, Poly, Representation};
pub use rescale::Divider;
pub use runs::Runs;
pub use scalar::Scalar;
pub use scaled_tensor::ScaledTensor;
pub use size::RelativeSize;
pub use switch::{Digits, KeyWords, SwitchKey, SwitchPart, image_combinations, switch_sums};
pub use wide::Summands;
pub(crate) use work::Work;
