//! The tests of this crate. They are one executable, as each links the whole library.

mod common;

mod dependence;
mod encoding;
mod hostile;
mod known_answers;
mod measured_noise;
mod operations;
mod oracle;
mod other_parameters;
mod parameters;
mod publication;
mod reencryption;
mod refusals;
mod relinearise;
mod traces;
