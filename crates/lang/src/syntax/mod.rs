//! Programs as text.

mod lexer;
pub(crate) mod lower;
mod parser;
mod print;
pub(crate) mod weights;
