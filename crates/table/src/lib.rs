//! Tables of numbers, and what is public about them.
//!
//! A [`Table`] holds columns read from a CSV file ([`Data::from_path`]), or with the feature `arrow` from a Parquet or an Arrow file. A
//! [`Schema`] holds what may become public: the number of rows, and for each column its name, whether it is whole, and its range, never
//! a value.
//!
//! ```
//! use asanoha_table::{Schema, read_csv};
//!
//! let table = read_csv("age,bmi\n47,26.5\n63,31.2\n".as_bytes(), "patients.csv", &["age", "bmi"])?;
//! let schema = Schema::from_table(&table, &[])?;
//! assert_eq!(schema.column("age").unwrap().range.to_string(), "32..63");
//! # Ok::<(), asanoha_table::DataError>(())
//! ```

pub mod advice;
#[cfg(feature = "arrow")]
mod arrow;
mod categories;
mod cell;
mod centre;
mod column;
mod csv;
mod error;
mod extremes;
mod fit;
mod foreign;
mod format;
mod header;
mod limits;
mod lookup;
mod missing;
mod open;
mod quotes;
mod reading;
mod schema;
mod table;
mod typed;
mod typed_column;
mod utf16;
mod wish;
mod written;

#[cfg(feature = "arrow")]
pub use arrow::{FrameKind, columns_of_batches, panics_are_caught};
pub use asanoha_numeric::Range;
pub use categories::{MAX_CATEGORIES, MAX_CATEGORY_BYTES, TextError, unfit as unfit_category};
pub use cell::{FirstCell, Kind};
pub use centre::{Centre, PublicCentre, less, middle, parse_public_centre};
pub use column::RealSince;
pub use error::{DataError, Problem};
pub use extremes::outside;
pub use fit::{NoDigits, Unfit, fitted, from_digits};
pub use limits::{Above, Amount, Limits};
pub use lookup::{Columns, UnknownColumn, edit_distance, instead, listed, meant, nearest};
pub use open::{Data, read_csv, read_table};
pub use reading::{Missing, Reading};
pub use schema::{ColumnSchema, RangeOverride, Schema, parse_range_override};
pub use table::{Column, ColumnValues, MAX_COLUMNS, MAX_PLACES, MAX_ROWS, MAX_WHOLE_BITS, Table};
pub use typed_column::TypedColumn;
pub use written::{NumberFormat, Written};
