//! Words: moduli, primes, and the loops over slices.
//!
//! This is the only crate with SIMD and with hand-written `unsafe`. Everything above asks a [`Kernels`] table,
//! chosen once by [`Backend`], for an operation on whole slices.
#![allow(unsafe_code)]
// WebAssembly is checked before it runs, so functions with features are safe there. They aren't on other processors.
#![cfg_attr(target_arch = "wasm32", allow(unused_unsafe))]

#[macro_use]
mod fft;
#[macro_use]
mod loops;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512ifma;
mod degree;
mod fork;
mod fraction;
mod gadget;
mod keystream;
mod matrix;
mod memory;
mod modulus;
mod ntt_table;
mod packed;
mod permutation;
mod prime;
mod roots;
mod scalar;
mod select;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
mod slots;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod switch;
mod table;
mod wide;
mod wipe;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod word;

pub use degree::{MAX_RING_DEGREE, MIN_RING_DEGREE, evaluation_exponent};
pub use fft::{
    ExternalProduct, ExternalProductError, FftError, FftTable, MAX_FFT_DEGREE, MIN_FFT_DEGREE,
    ProductScratch, fourier_exponent, fourier_words,
};
pub use fork::fork_generation;
#[cfg(all(unix, any(test, feature = "fork")))]
pub use fork::in_fork;
pub use keystream::Keystream;
pub use memory::{Piece, Region};
pub use modulus::{Modulus, ModulusError, ShoupFactor};
pub use ntt_table::{NttError, NttTable};
pub use packed::PackedWords;
pub use permutation::{Permutation, PermutationError};
pub use prime::{PrimeError, is_prime, primes_congruent_to_one};
pub use select::{Backend, SelectError};
pub use slots::SlotTable;
pub use table::{Kernels, SwitchTerm};
pub use wide::{MAX_WIDE_LIMBS, WIDE_LANES, WideKernels, WideTable};
