//! Products of encrypted square matrices, whole matrices in one ciphertext.
//!
//! With the permutations σ(A)ᵢⱼ = A_{i,i+j}, τ(B)ᵢⱼ = B_{i+j,j}, φ(A)ᵢⱼ = A_{i,j+1} and ψ(B)ᵢⱼ = B_{i+1,j} of d × d matrices, indices
//! modulo d, **AB = Σₖ φᵏ(σ(A)) ⊙ ψᵏ(τ(B))**, k in 0..d. In row order, ψᵏ is a rotation by k·d, and φᵏ is two rotations, by k
//! and by k − d, of which masks choose the columns. σ and τ are applied before encryption.
//!
//! Sources: Jiang, Kim, Lauter, Song, "Secure outsourced matrix computation and application to neural networks" (CCS 2018),
//! Sections 3 and 4; Mono, Güneysu, "Implementing and optimizing matrix triples with homomorphic encryption" (AsiaCCS 2023),
//! Sections 2.4, 2.5 (blocks), 3.1 (re-used keys, hoisting), 3.2 (packing, slicing) and 4.4 (lazy key switching, pre-rotation).

mod cost;
mod error;
mod images;
mod masks;
mod multiply;
mod options;
mod packing;
mod product;
mod steps;

pub use cost::SquareCost;
pub use error::SquareError;
pub use options::{Keep, Rotations, SquareOptions, SquareWishes};
pub use packing::SquarePacking;
pub use product::SquareProduct;
pub use steps::SquareLevels;
