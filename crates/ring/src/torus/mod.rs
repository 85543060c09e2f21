//! Polynomials modulo X^N + 1 over the torus: a word w stands for w/2^64 modulo 1. Products with small integers go
//! through the Fourier domain in double precision.

mod fourier;
mod gadget;
mod poly;

pub use fourier::{FourierPolys, SmallPoly, TorusRing};
pub use gadget::{GadgetError, GadgetSum, TorusGadget};
pub use poly::{TorusPolys, mul_by_power, mul_by_power_minus_one};
