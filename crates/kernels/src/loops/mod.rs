//! The loops that the vector back-ends share, as macros: a body is written once, over the operations that its scope
//! has on vectors, and every back-end makes functions of it that enable its own instructions. The FFT's are in
//! `fft/passes.rs`; the NTT's schedules differ and stay with the back-ends.

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod columns;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod modular;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod residues;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod slices;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod sums;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod words;
#[macro_use]
mod multiples;
#[macro_use]
mod wide;
