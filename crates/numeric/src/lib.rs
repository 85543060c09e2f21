//! The numbers that programs are about: exact constants, ranges of them, numbers that are known up to an error, functions of two
//! whole numbers, precisions; days of the calendar; and the characters of texts that steer a terminal. Nothing here knows of encryption.
//!
//! ```
//! use asanoha_numeric::{Range, number::parse_number, precision::Precision};
//!
//! let price = Range::new(parse_number("0.25").unwrap(), parse_number("12.5").unwrap()).unwrap();
//! assert_eq!(price.scale(&parse_number("-2").unwrap()).to_string(), "-25..-0.5");
//! // 2^-20 of the power of two above all prices, 16.
//! assert_eq!(Precision::Relative { bits: 20 }.tolerance(&price), 2_f64.powi(-16));
//! ```

mod approximately;
mod binary;
pub mod date;
pub mod number;
pub mod precision;
mod range;
pub mod text;
pub mod uncertain;

pub use approximately::approximately_equal;
pub use binary::{BinaryFunction, quotient, remainder};
pub use range::{MAX_MAGNITUDE_BITS, Range};
