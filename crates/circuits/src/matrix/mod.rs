//! Products of encrypted matrices.

mod batch;
mod packing;

pub use batch::MatrixBatch;
pub use packing::{BatchPacking, PackingError};
