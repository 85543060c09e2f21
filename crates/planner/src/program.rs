//! Programs: see [`asanoha_lang`].

pub use asanoha_lang::*;
pub(crate) use asanoha_numeric::number;
