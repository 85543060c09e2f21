//! The tests of this crate. They are one executable, as each links the whole library.

mod common;

mod agreement;
mod external;
mod fft;
mod loops;
mod ntt_oracle;
mod slots;
mod switch;
