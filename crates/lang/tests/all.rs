//! The tests of this crate.

mod dates;
mod dialects;
mod documents;
mod errors;
mod examples;
mod first_guesses;
mod formulas;
mod functions;
mod language;
mod modular;
mod own_functions;
mod properties;
mod weights;
