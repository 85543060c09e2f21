//! Programs as text.

mod advice;
mod dates;
mod dialects;
mod lexer;
pub(crate) mod lower;
mod parser;
mod print;
pub(crate) mod weights;
