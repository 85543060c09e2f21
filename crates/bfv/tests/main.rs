//! The tests of this crate. They are one executable, as each links the whole library.

mod common;

mod circuits;
mod dependence;
mod encoding;
mod forms;
mod known_answers;
mod measured_noise;
mod noise;
mod operations;
mod other_parameters;
mod parameters;
mod reencryption;
mod refusals;
mod traces;
