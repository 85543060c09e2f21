//! Record batches to columns whose kinds are those of their types.

use std::borrow::Cow;

use arrow_array::{
    Array, ArrayRef, RecordBatch,
    cast::AsArray,
    types::{
        ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
        Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
        Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
        TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
    },
};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef, TimeUnit};
use asanoha_numeric::text::is_steering;
use num_bigint::BigInt;

use super::damage::caught;
use crate::{
    categories::{self, MAX_CATEGORIES},
    column::Partial,
    error::{DataError, Problem, shorten},
    header::{Places, names},
    reading::Reading,
    table::{ColumnValues, MAX_PLACES, MAX_ROWS},
    typed_column::TypedColumn,
};

/// What the type of a column of a data frame says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// Integers.
    Whole,
    /// Floating-point numbers.
    Real,
    /// Decimals.
    Decimal,
    /// Truths, which are 0 and 1.
    Truth,
    /// Dates, which are days since 1970-01-01.
    Date,
    /// Text.
    Text,
}

const SECONDS_OF_A_DAY: i64 = 24 * 60 * 60;

impl FrameKind {
    /// The kind of a type; `None` for types that aren't taken.
    fn of(kind: &DataType) -> Option<Self> {
        Some(match kind {
            kind if kind.is_integer() => Self::Whole,
            kind if kind.is_floating() => Self::Real,
            DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => Self::Decimal,
            DataType::Boolean => Self::Truth,
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, None) => Self::Date,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            DataType::Dictionary(_, values) if Self::of(values) == Some(Self::Text) => Self::Text,
            _ => return None,
        })
    }
}

/// The columns `wanted` of record batches, in that order, with what their types say. Kinds come from the types and never from
/// the values: integers are whole, floating-point numbers real, timestamps without a time zone dates (at midnight only), and a
/// dictionary of text keeps its order. `source` stands in messages, where a line is a row, from 1.
///
/// # Errors
/// What the batches give, columns that aren't there or have other types, and values that their kind doesn't take.
pub fn columns_of_batches(
    schema: &SchemaRef,
    mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
    wanted: &[impl AsRef<str>],
    source: &str,
) -> Result<Vec<(TypedColumn, FrameKind)>, DataError> {
    let header = names(schema.fields().iter().map(|field| Cow::from(field.name())), source)?;
    let places = Places::of(&header, (source, 1));
    let column = |name: &str| {
        let place = places.of_name(name)?;
        Growing::new(schema.field(place), place).map_err(|problem| problem.at(source, 1, place + 1))
    };
    let mut columns: Vec<Growing> =
        wanted.iter().map(|name| column(name.as_ref())).collect::<Result<_, _>>()?;
    let broken = |error: ArrowError| DataError::Unreadable {
        file: source.to_owned(),
        source: std::io::Error::other(error.to_string().replace(is_steering, " ")),
    };
    let mut rows = 0;
    while let Some(batch) = caught(|| batches.next().transpose()).map_err(broken)? {
        if batch.num_rows() > MAX_ROWS - rows {
            return Err(DataError::TooLarge {
                file: source.to_owned(),
                limit: MAX_ROWS as u64,
                what: "rows",
            });
        }
        for column in &mut columns {
            let array = batch.columns().get(column.place).ok_or_else(|| {
                broken(ArrowError::SchemaError("a batch lacks columns of its schema".to_owned()))
            })?;
            column
                .push_all(array)
                .map_err(|(row, problem)| problem.at(source, row as u64 + 1, column.place + 1))?;
        }
        rows += batch.num_rows();
    }
    columns
        .into_iter()
        .map(|column| {
            let (place, row) = (column.place, column.missing.first().map_or(0, |&row| row));
            column.finish().map_err(|problem| problem.at(source, row as u64 + 1, place + 1))
        })
        .collect()
}

/// What is wrong, and in which row, from 0.
type Refusal = (usize, Problem);

/// A column of which some batches have been read.
struct Growing {
    name: String,
    place: usize,
    kind: FrameKind,
    /// Places after the point, of decimals.
    places: u32,
    whole: Vec<i64>,
    wide: Vec<BigInt>,
    real: Vec<f64>,
    texts: Option<Texts>,
    missing: Vec<usize>,
}

/// The text of a column: categories in the order of dictionaries, or in that of the texts.
enum Texts {
    Ordered(Vec<String>),
    Sorted(Box<Partial>),
}

impl Growing {
    fn new(field: &Field, place: usize) -> Result<Self, Problem> {
        let name = field.name().trim().to_owned();
        let unfit = |why: &str| Problem::UnfitType {
            name: name.clone(),
            found: format!("{}{why}", shorten(&field.data_type().to_string())),
        };
        let kind = FrameKind::of(field.data_type()).ok_or_else(|| unfit(""))?;
        let scale = match *field.data_type() {
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale)
            | DataType::Decimal256(_, scale) => i32::from(scale),
            _ => 0,
        };
        if !(0..=MAX_PLACES as i32).contains(&scale) {
            return Err(unfit(&format!(
                ", of {scale} places after the point where 0 to {MAX_PLACES} are taken"
            )));
        }
        let texts = match field.data_type() {
            DataType::Dictionary(..) => Some(Texts::Ordered(Vec::new())),
            _ if kind == FrameKind::Text => {
                Some(Texts::Sorted(Box::new(Partial::new(&name, &Reading::default()))))
            }
            _ => None,
        };
        let (whole, wide, real) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { name, place, kind, places: scale as u32, whole, wide, real, texts, missing: Vec::new() })
    }

    fn rows(&self) -> usize {
        match &self.texts {
            Some(Texts::Sorted(column)) => column.rows(),
            _ => self.whole.len() + self.wide.len() + self.real.len(),
        }
    }

    fn push_all(&mut self, array: &ArrayRef) -> Result<(), Refusal> {
        let first = self.rows();
        self.missing.extend((0..array.len()).filter(|&row| array.is_null(row)).map(|row| first + row));
        macro_rules! whole {
            ($kind:ty) => {
                self.push_whole(values::<$kind>(array).map(i64::from))
            };
        }
        macro_rules! timestamps {
            ($kind:ty, $per_second:expr) => {
                self.push_days(values::<$kind>(array), SECONDS_OF_A_DAY * $per_second, first)?
            };
        }
        match array.data_type() {
            DataType::Int8 => whole!(Int8Type),
            DataType::Int16 => whole!(Int16Type),
            DataType::Int32 => whole!(Int32Type),
            DataType::Int64 => whole!(Int64Type),
            DataType::UInt8 => whole!(UInt8Type),
            DataType::UInt16 => whole!(UInt16Type),
            DataType::UInt32 => whole!(UInt32Type),
            DataType::UInt64 => self.push_wide(values::<UInt64Type>(array).map(BigInt::from)),
            DataType::Float16 => self.push_real(values::<Float16Type>(array).map(f64::from), first),
            DataType::Float32 => self.push_real(values::<Float32Type>(array).map(f64::from), first),
            DataType::Float64 => self.push_real(values::<Float64Type>(array), first),
            DataType::Boolean => {
                let array = array.as_boolean();
                self.push_whole(
                    (0..array.len()).map(|row| i64::from(array.is_valid(row) && array.value(row))),
                );
            }
            DataType::Date32 => self.push_whole(values::<Date32Type>(array).map(i64::from)),
            DataType::Date64 => {
                self.push_days(values::<Date64Type>(array), SECONDS_OF_A_DAY * 1000, first)?;
            }
            DataType::Timestamp(TimeUnit::Second, _) => timestamps!(TimestampSecondType, 1),
            DataType::Timestamp(TimeUnit::Millisecond, _) => timestamps!(TimestampMillisecondType, 1000),
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                timestamps!(TimestampMicrosecondType, 1_000_000);
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                timestamps!(TimestampNanosecondType, 1_000_000_000);
            }
            DataType::Decimal32(..) => self.push_decimals::<Decimal32Type>(array),
            DataType::Decimal64(..) => self.push_decimals::<Decimal64Type>(array),
            DataType::Decimal128(..) => self.push_decimals::<Decimal128Type>(array),
            DataType::Decimal256(..) => self.push_decimals::<Decimal256Type>(array),
            _ => self.push_texts(array, first)?,
        }
        Ok(())
    }

    fn push_whole(&mut self, values: impl Iterator<Item = i64>) {
        if self.wide.is_empty() {
            self.whole.extend(values);
        } else {
            self.wide.extend(values.map(BigInt::from));
        }
    }

    /// Whole numbers, of which some may be beyond words.
    fn push_wide(&mut self, values: impl Iterator<Item = BigInt>) {
        for value in values {
            match i64::try_from(&value) {
                Ok(word) if self.wide.is_empty() => self.whole.push(word),
                _ => {
                    self.wide.extend(self.whole.drain(..).map(BigInt::from));
                    self.wide.push(value);
                }
            }
        }
    }

    /// Numbers, of which those that aren't any are missing.
    fn push_real(&mut self, values: impl Iterator<Item = f64>, first: usize) {
        for (row, value) in values.enumerate() {
            if value.is_nan() {
                self.missing.push(first + row);
            }
            self.real.push(if value.is_nan() { 0.0 } else { value });
        }
        self.missing.sort_unstable();
        self.missing.dedup();
    }

    /// Days out of times, so many of which are a day.
    fn push_days(
        &mut self,
        times: impl Iterator<Item = i64>,
        of_a_day: i64,
        first: usize,
    ) -> Result<(), Refusal> {
        for (row, time) in times.enumerate() {
            if time % of_a_day != 0 && self.missing.binary_search(&(first + row)).is_err() {
                let found = "a time of day, so that this row and maybe others".to_owned();
                return Err((first + row, Problem::NotADay { name: self.name.clone(), found }));
            }
            self.whole.push(time / of_a_day);
        }
        Ok(())
    }

    fn push_decimals<T: DecimalType>(&mut self, array: &ArrayRef)
    where
        T::Native: ToString,
    {
        let array = array.as_primitive::<T>();
        let digits = |row: usize| {
            if array.is_null(row) {
                return BigInt::ZERO;
            }
            array.value(row).to_string().parse().expect("a whole number is written in digits")
        };
        self.push_wide((0..array.len()).map(digits));
    }

    fn push_texts(&mut self, array: &ArrayRef, first: usize) -> Result<(), Refusal> {
        match self.texts.as_mut().expect("other types aren't taken") {
            Texts::Sorted(column) => {
                for row in 0..array.len() {
                    let line = (first + row) as u64;
                    match text(array, row) {
                        None => column.push_missing(line),
                        Some(text) => {
                            column.push_text_cell(text, line).map_err(|problem| (first + row, problem))?;
                        }
                    }
                }
            }
            Texts::Ordered(names) => {
                let dictionary = array.as_any_dictionary();
                let (keys, values) = (dictionary.normalized_keys(), dictionary.values());
                // Batches may have dictionaries of their own.
                let mut numbers = Vec::with_capacity(values.len());
                for place in 0..values.len() {
                    let name = text(values, place).unwrap_or_default();
                    let known = names.iter().position(|known| known == name);
                    numbers.push(known.unwrap_or(names.len()) as i64);
                    if known.is_none() && values.is_valid(place) {
                        names.push(name.to_owned());
                    }
                    if names.len() > MAX_CATEGORIES {
                        let (name, limit) = (self.name.clone(), MAX_CATEGORIES);
                        return Err((first, Problem::TooManyCategories { name, limit }));
                    }
                }
                for (row, &key) in keys.iter().enumerate() {
                    let is_missing = array.is_null(row) || values.is_null(key);
                    if is_missing && array.is_valid(row) {
                        self.missing.push(first + row);
                    }
                    self.whole.push(if is_missing { 0 } else { numbers[key] });
                }
                self.missing.sort_unstable();
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(TypedColumn, FrameKind), Problem> {
        let Self { name, kind, places, whole, wide, real, texts, missing, .. } = self;
        let values = match texts {
            Some(Texts::Sorted(column)) => {
                let Some(texts) = column.into_texts() else {
                    return Err(Problem::NoTexts { name });
                };
                texts
            }
            Some(Texts::Ordered(names)) => {
                categories::check(&name, &names)?;
                ColumnValues::Categories { values: whole, names }
            }
            None if kind == FrameKind::Real => ColumnValues::Real(real),
            None => match (wide.is_empty(), places) {
                (true, 0) => ColumnValues::Whole(whole),
                (false, 0) => ColumnValues::Integers(wide),
                (true, places) => ColumnValues::Decimal { values: whole, places },
                (false, places) => ColumnValues::WideDecimal { values: wide, places },
            },
        };
        Ok((TypedColumn { name, values, missing }, kind))
    }
}

/// The values of an array of numbers, 0 where they are missing.
fn values<T: ArrowPrimitiveType>(array: &ArrayRef) -> impl Iterator<Item = T::Native> {
    let array = array.as_primitive::<T>();
    (0..array.len()).map(|row| if array.is_null(row) { T::Native::default() } else { array.value(row) })
}

/// The text of a row.
fn text(array: &dyn Array, row: usize) -> Option<&str> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row),
        _ => array.as_string_view().value(row),
    })
}
