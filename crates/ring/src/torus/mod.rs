//! Polynomials modulo X^N + 1 over the torus: a word w stands for w/2^64 modulo 1. Products with small integers go
//! through the Fourier domain in double precision.

mod fourier;
mod gadget;
mod poly;
mod product;

pub use fourier::{SmallPoly, TorusRing};
pub use gadget::{GadgetError, TorusGadget};
pub use poly::{TorusPolys, mul_by_power};
pub use product::{ProductKeys, ProductMemory, TorusProduct};
