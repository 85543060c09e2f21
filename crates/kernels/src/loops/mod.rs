//! The loops that the vector back-ends share, as macros: a body is written once, over the operations that its scope
//! has on vectors, and every back-end makes functions of it that enable its own instructions. The FFT's are in
//! `fft/passes.rs`; the NTT's schedules differ and stay with the back-ends.

#[macro_use]
mod columns;
#[macro_use]
mod modular;
#[macro_use]
mod residues;
#[macro_use]
mod slices;
#[macro_use]
mod sums;
#[macro_use]
mod words;
