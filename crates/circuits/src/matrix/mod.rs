//! Products of encrypted matrices.

mod batch;
mod packing;
mod square;

pub use batch::MatrixBatch;
pub use packing::{BatchPacking, PackingError};
pub use square::{
    Keep, Rotations, SquareCost, SquareError, SquareLevels, SquareOptions, SquarePacking, SquareProduct,
    SquareWishes,
};
