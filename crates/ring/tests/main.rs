//! The tests of this crate. They are one executable, as each links the whole library.

mod columns;
mod forms;
mod images;
mod mixed_bases;
mod oracle;
mod sampling;
mod scaled_tensor;
mod torus;
mod wide;
