//! Division of encrypted integers, by several methods.
//!
//! [`crate::TwoVariableTable`] with [`quotient`] is the fast one for operands of up to eight or ten bits. Beside it
//! stand [`WideDivision`] for longer dividends, [`NibbleDivision`] for numbers of any length, and [`crate::BitTable`] for
//! numbers of encrypted bits.
//!
//! Integers are divided rounding towards −∞, as Python does. No method can fail on a divisor of zero, since nobody sees
//! it: ⌊a/0⌋ is 0 and the remainder then is a, so that a = b·⌊a/b⌋ + remainder always holds. (Okada, Cid, Hidano,
//! Kiyomoto 2018 name ⌊x/0⌋ in the loop of their Algorithm 2 and leave it undefined; the loop of their Algorithm 7
//! leaves the term out, which makes it 0.)

mod interpolation;
mod nibble;
mod prefix;
mod wide;

pub use interpolation::{CacheError, Interpolations};
pub use nibble::{DigitQuotient, NibbleDivision};
pub use wide::WideDivision;

pub use asanoha_numeric::{quotient, remainder};
