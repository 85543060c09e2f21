//! The tests of this crate. They are one executable, as each links the whole library.

mod common;
mod parties;

mod bit_tables;
mod bootstrap;
mod foreseen;
mod interpolations;
mod interval;
mod linear_transform;
mod matrix_packing;
mod matrix_square;
mod nibble_division;
mod one_variable;
mod two_variables;
mod wide_division;
