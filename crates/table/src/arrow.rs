//! Parquet and Arrow files to tables.

mod damage;
mod ipc;
mod pages;
mod typed;

use std::borrow::Cow;
use std::fs::File;

use arrow_array::{
    Array, RecordBatch,
    cast::AsArray,
    types::{
        Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type,
        Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
        UInt32Type, UInt64Type,
    },
};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use asanoha_numeric::text::is_steering;
use parquet::arrow::{ProjectionMask, arrow_reader::ParquetRecordBatchReaderBuilder};

pub use damage::panics_are_caught;
pub use typed::{FrameKind, columns_of_batches};

use crate::{
    column::{Partial, Refusal},
    error::{DataError, Problem, shorten},
    format::Format,
    header::{Columns, columns, names},
    limits::{Above, Limits},
    reading::Reading,
};
use damage::caught;

/// The most rows that are read of a batch at a time.
const ROWS_AT_ONCE: usize = 8192;

/// The rows of a file, some at a time.
type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// Reads the columns `wanted` of a file, as [`Reading`] says; `name` stands in messages, where a row, from 1, is a line.
pub(crate) fn read(
    file: File,
    format: Format,
    name: &str,
    wanted: &[impl AsRef<str>],
    reading: &Reading,
) -> Result<Columns, DataError> {
    let limits = reading.limits;
    let broken = |error: ArrowError| unreadable(&error, format, name);
    reading.check(wanted)?;
    let (schema, batches) = caught(|| open(file, format, limits)).map_err(broken)?;
    let header = names(schema.fields().iter().map(|field| Cow::from(field.name())), name)?;
    let mut columns = columns(&header, wanted, reading, (name, 1))?;
    for (place, column) in &columns {
        let kind = schema.field(*place).data_type();
        // One row of such a column has as many values as it likes.
        if kind.is_nested() {
            return Err(unfit(column.name(), kind).at(name, 1, place + 1));
        }
    }
    let mut projection: Vec<usize> = columns.iter().map(|&(place, _)| place).collect();
    projection.sort_unstable();
    projection.dedup();
    let mut rows = 0;
    let mut batches = caught(|| batches(&projection)).map_err(broken)?;
    while let Some(batch) = caught(|| batches.next().transpose()).map_err(broken)? {
        let found = (rows as u64).saturating_add(batch.num_rows() as u64);
        limits.check_rows(found).map_err(|above| DataError::above(above, name))?;
        for start in (0..batch.num_rows()).step_by(ROWS_AT_ONCE) {
            let batch = batch.slice(start, ROWS_AT_ONCE.min(batch.num_rows() - start));
            let mut bytes: u64 = columns.iter().map(|(_, column)| column.bytes()).sum();
            for (place, column) in &mut columns {
                let at = projection.binary_search(place).expect("a column that is read");
                let others = bytes - column.bytes();
                let check =
                    |column: &Partial, text: &str| limits.check_bytes(others + column.bytes_with(text));
                push_all(column, batch.column(at), rows as u64 + 1, &check).map_err(
                    |refused| match refused {
                        Refused::Above(above) => DataError::above(above, name),
                        Refused::At((line, problem)) => problem.at(name, line, *place + 1),
                    },
                )?;
                bytes = others + column.bytes();
            }
            rows += batch.num_rows();
        }
    }
    if rows == 0 {
        return Err(Problem::NoRows.at(name, 1, 1));
    }
    Ok((columns, rows))
}

fn unreadable(error: &ArrowError, format: Format, file: &str) -> DataError {
    if let ArrowError::ExternalError(inner) = error
        && let Some(&above) = inner.downcast_ref::<Above>()
    {
        return DataError::above(above, file);
    }
    // Messages are one line.
    let text = error.to_string().replace(is_steering, " ");
    let advice = "write it anew, uncompressed or by Zstandard, or as CSV";
    let source = std::io::Error::other(format!("as {format}: {text}; {advice}"));
    DataError::Unreadable { file: file.to_owned(), source }
}

/// What reads columns at some places, which ascend.
type Open = Box<dyn FnOnce(&[usize]) -> Result<Batches, ArrowError>>;

/// The schema of a file, and what reads its columns.
fn open(file: File, format: Format, limits: Limits) -> Result<(SchemaRef, Open), ArrowError> {
    Ok(match format {
        Format::Parquet => {
            pages::check_footer(&file, &limits)?;
            let builder = ParquetRecordBatchReaderBuilder::try_new(file.try_clone()?)?;
            let schema = builder.schema().clone();
            let read = move |places: &[usize]| {
                let mask = ProjectionMask::roots(builder.parquet_schema(), places.iter().copied());
                let rows = pages::check(&file, builder.metadata(), &mask, &limits)?;
                Ok(Box::new(builder.with_projection(mask).with_batch_size(rows).build()?) as Batches)
            };
            (schema, Box::new(read))
        }
        Format::Arrow => {
            let blocks = ipc::Blocks::open(file, limits)?;
            let schema = blocks.schema();
            let read = move |places: &[usize]| Ok(Box::new(blocks.project(places)) as Batches);
            (schema, Box::new(read))
        }
    })
}

/// What a value is to a column that is being read.
enum Cell<'a> {
    Missing,
    Double(f64),
    Text(Cow<'a, str>),
}

/// Why values are refused.
enum Refused {
    Above(Above),
    At(Refusal),
}

impl From<Above> for Refused {
    fn from(above: Above) -> Self {
        Self::Above(above)
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::At(refusal)
    }
}

/// Adds values to a column, the first of which stands in `first_line`. Before each of them `check` is asked whether the column has room
/// for it.
fn push_all(
    column: &mut Partial,
    array: &dyn Array,
    first_line: u64,
    check: &dyn Fn(&Partial, &str) -> Result<(), Above>,
) -> Result<(), Refused> {
    let dictionary = array.as_any_dictionary_opt().filter(|dictionary| !dictionary.values().is_empty());
    let dictionary = dictionary.map(|dictionary| (dictionary.values(), dictionary.normalized_keys()));
    let kind = dictionary.as_ref().map_or_else(|| array.data_type(), |(values, _)| values.data_type());
    if !matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null) {
        column.is_of_numbers();
    }
    if kind.is_floating() {
        column.is_of_doubles();
    }
    for (row, line) in (0..array.len()).zip(first_line..) {
        let cell = match &dictionary {
            Some((values, keys)) if array.is_valid(row) => cell(values, keys[row], column.name()),
            _ => cell(array, row, column.name()),
        };
        let cell = cell.map_err(|problem| (line, problem))?;
        check(column, if let Cell::Text(text) = &cell { text.as_ref() } else { "" })?;
        match cell {
            Cell::Missing => column.push_missing(line),
            Cell::Double(value) => column.push_double(value, line)?,
            // Such a file says by itself which values are missing.
            Cell::Text(text) => column.push_cell(text.trim(), true, line)?,
        }
    }
    Ok(())
}

/// The value of a row. Whole numbers, decimals, truths and dates are as CSV files have them.
fn cell<'a>(array: &'a dyn Array, row: usize, name: &str) -> Result<Cell<'a>, Problem> {
    if array.is_null(row) {
        return Ok(Cell::Missing);
    }
    macro_rules! value {
        ($kind:ty) => {
            array.as_primitive::<$kind>().value(row)
        };
    }
    macro_rules! decimal {
        ($kind:ty) => {
            array.as_primitive::<$kind>().value_as_string(row)
        };
    }
    let text = match array.data_type() {
        DataType::Null => return Ok(Cell::Missing),
        DataType::Utf8 => return Ok(Cell::Text(array.as_string::<i32>().value(row).into())),
        DataType::LargeUtf8 => return Ok(Cell::Text(array.as_string::<i64>().value(row).into())),
        DataType::Utf8View => return Ok(Cell::Text(array.as_string_view().value(row).into())),
        DataType::Float16 => return Ok(Cell::Double(value!(Float16Type).to_f64())),
        DataType::Float32 => return Ok(Cell::Double(value!(Float32Type).into())),
        DataType::Float64 => return Ok(Cell::Double(value!(Float64Type))),
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Int8 => value!(Int8Type).to_string(),
        DataType::Int16 => value!(Int16Type).to_string(),
        DataType::Int32 => value!(Int32Type).to_string(),
        DataType::Int64 => value!(Int64Type).to_string(),
        DataType::UInt8 => value!(UInt8Type).to_string(),
        DataType::UInt16 => value!(UInt16Type).to_string(),
        DataType::UInt32 => value!(UInt32Type).to_string(),
        DataType::UInt64 => value!(UInt64Type).to_string(),
        DataType::Decimal32(..) => decimal!(Decimal32Type),
        DataType::Decimal64(..) => decimal!(Decimal64Type),
        DataType::Decimal128(..) => decimal!(Decimal128Type),
        DataType::Decimal256(..) => decimal!(Decimal256Type),
        DataType::Date32 => date(value!(Date32Type).into(), name)?,
        DataType::Date64 => {
            let milliseconds = value!(Date64Type);
            if milliseconds % MILLISECONDS_OF_A_DAY != 0 {
                return Err(Problem::NotADay { name: name.to_owned(), found: format!("{milliseconds} ms") });
            }
            date(milliseconds / MILLISECONDS_OF_A_DAY, name)?
        }
        other => return Err(unfit(name, other)),
    };
    Ok(Cell::Text(text.into()))
}

fn unfit(name: &str, kind: &DataType) -> Problem {
    Problem::UnfitType { name: name.to_owned(), found: shorten(&kind.to_string()) }
}

const MILLISECONDS_OF_A_DAY: i64 = 24 * 60 * 60 * 1000;

/// A day, counted from 1970-01-01, as CSV files have it: of the years 0 to 9999.
fn date(days: i64, name: &str) -> Result<String, Problem> {
    let date = i32::try_from(days).ok().and_then(Date32Type::to_naive_date_opt).map(|date| date.to_string());
    date.filter(|text| text.len() == "YYYY-MM-DD".len())
        .ok_or_else(|| Problem::NotADay { name: name.to_owned(), found: format!("{days} days") })
}
