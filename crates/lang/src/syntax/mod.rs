//! Programs as text.

mod advice;
mod dates;
mod dialects;
mod lexer;
mod lists;
pub(crate) mod lower;
mod modular;
mod parser;
mod parser_state;
mod print;
mod spreadsheets;
pub(crate) mod weights;
