//! The loops that the vector back-ends share, as macros: a body is written once, over the operations that its scope
//! has on vectors, and every back-end makes functions of it that enable its own instructions. The FFT's are in
//! `fft/passes.rs`; the NTT's schedules differ and stay with the back-ends.

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[macro_use]
mod columns;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[macro_use]
mod modular;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[macro_use]
mod residues;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[macro_use]
mod slices;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[macro_use]
mod sums;
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
#[macro_use]
mod words;
#[macro_use]
mod multiples;
#[macro_use]
mod wide;
