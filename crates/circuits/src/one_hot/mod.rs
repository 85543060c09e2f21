//! Functions of small ranges of integers, by powers and their linear combinations.
//!
//! A value x out of a [`Domain`] of n points makes the indicators \[x = u\], the *one-hot* vector of x: polynomials of
//! degree n − 1 in x, so linear combinations of its [`Powers`]. Any function of x is a linear combination of the
//! indicators, and so again of the powers: the one-hot vector never has to be computed. Of a number that is given by its
//! bits the indicators are products, and computed.

mod bits;
mod domain;
mod interpolate;
mod powers;

pub(crate) use bits::{MAX_BITS, indicators_of_bits};
pub use domain::{Domain, DomainError};
pub use powers::Powers;
pub(crate) use powers::powers;
