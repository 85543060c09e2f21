//! Whole numbers of 2 to 128 bits in radix 4, each digit a number of 2 bits with 2 bits above for carries.
//!
//! Results wrap modulo 4^blocks, like those of machine words. Each layer of independent bootstrappings is one batch
//! ([`ServerKey::apply_many`]), and [`Integers::cost`] counts both. The noise of each digit is tracked: operands with more
//! noise than an operation allows are bootstrapped first.
//!
//! `docs/notes/tfhe.md` has the cost of each operation.

mod add;
mod bitwise;
mod carry;
mod columns;
mod compare;
mod constant;
mod divide;
mod encrypted;
mod fixed;
mod integers;
mod layer;
mod multiply;
mod restoring;
mod select;
mod shift;
mod shift_by;
mod signs;
mod sum;
mod table;

pub use encrypted::EncryptedInteger;
pub(crate) use encrypted::{check_width, digits_of_value};
pub use fixed::{EncryptedFixed, FixedType};
pub use integers::Integers;
pub use layer::Cost;

use crate::integer_type::{BASE, DIGIT_BITS, IntegerType, digits};
use encrypted::{integer, same};
