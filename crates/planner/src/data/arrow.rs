//! Parquet and Arrow files to tables.

mod ipc;
mod typed;

use std::borrow::Cow;
use std::cell::Cell as ThreadCell;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
use parquet::arrow::{ProjectionMask, arrow_reader::ParquetRecordBatchReaderBuilder};

pub use typed::FrameKind;

use super::{
    Data, DataError, MAX_FILE_BYTES, MAX_ROWS, Problem, Reading,
    column::{Partial, Refusal, shorten},
    csv::{columns, names},
    format::Format,
};

/// The rows of a file, some at a time.
type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

thread_local! {
    static CATCHES: ThreadCell<bool> = const { ThreadCell::new(false) };
}

/// Whether this thread is in the reader of Parquet or of Arrow files. These panic on some damaged files; that's caught, and becomes a
/// [`DataError`], so that a hook of panics has nothing to tell.
pub fn panics_are_caught() -> bool {
    CATCHES.get()
}

/// What the reader of a format gives; its panics are errors.
fn caught<T>(read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, ArrowError> {
    CATCHES.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    CATCHES.set(false);
    result.unwrap_or_else(|_| Err(ArrowError::ParseError("the file is damaged".to_owned())))
}

/// Reads the columns `wanted` of a file, as [`Reading`] says; `name` stands in messages, where a row, from 1, is a line.
pub(super) fn read(
    file: File,
    format: Format,
    name: &str,
    wanted: &[impl AsRef<str>],
    reading: &Reading,
) -> Result<Data, DataError> {
    let too_large = |limit, what| DataError::TooLarge { file: name.to_owned(), limit, what };
    let broken = |error: ArrowError| unreadable(&error, format, name);
    reading.check(wanted)?;
    if file.metadata().map_err(|error| broken(error.into()))?.len() > MAX_FILE_BYTES {
        return Err(too_large(MAX_FILE_BYTES, "bytes"));
    }
    let (schema, batches) = caught(|| open(file, format)).map_err(broken)?;
    let header = names(schema.fields().iter().map(|field| Cow::from(field.name())), name, 1)?;
    let mut columns = columns(&header, wanted, reading, name)?;
    let mut projection: Vec<usize> = columns.iter().map(|&(place, _)| place).collect();
    projection.sort_unstable();
    projection.dedup();
    let mut rows = 0;
    let mut batches = caught(|| batches(&projection)).map_err(broken)?;
    while let Some(batch) = caught(|| batches.next().transpose()).map_err(broken)? {
        if batch.num_rows() > MAX_ROWS - rows {
            return Err(too_large(MAX_ROWS as u64, "rows"));
        }
        for (place, column) in &mut columns {
            let at = projection.binary_search(place).expect("a column that is read");
            push_all(column, batch.column(at), rows as u64 + 1)
                .map_err(|(line, problem)| problem.at(name, line, *place + 1))?;
        }
        rows += batch.num_rows();
    }
    if rows == 0 {
        return Err(Problem::NoRows.at(name, 1, 1));
    }
    Data::new(columns, rows, reading.missing, name)
}

fn unreadable(error: &ArrowError, format: Format, file: &str) -> DataError {
    // Messages are one line.
    let text = error.to_string().replace(char::is_control, " ");
    let advice = "write it anew, uncompressed or by Zstandard, or as CSV";
    let source = std::io::Error::other(format!("as {format}: {text}; {advice}"));
    DataError::Unreadable { file: file.to_owned(), source }
}

/// What reads columns at some places, which ascend.
type Open = Box<dyn FnOnce(&[usize]) -> Result<Batches, ArrowError>>;

/// The schema of a file, and what reads its columns.
fn open(file: File, format: Format) -> Result<(SchemaRef, Open), ArrowError> {
    Ok(match format {
        Format::Parquet => {
            let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
            let schema = builder.schema().clone();
            let read = move |places: &[usize]| {
                let mask = ProjectionMask::roots(builder.parquet_schema(), places.iter().copied());
                Ok(Box::new(builder.with_projection(mask).build()?) as Batches)
            };
            (schema, Box::new(read))
        }
        Format::Arrow => {
            let blocks = ipc::Blocks::open(file)?;
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

/// Adds values to a column, the first of which stands in `first_line`.
fn push_all(column: &mut Partial, array: &dyn Array, first_line: u64) -> Result<(), Refusal> {
    let dictionary = array.as_any_dictionary_opt().filter(|dictionary| !dictionary.values().is_empty());
    let dictionary = dictionary.map(|dictionary| (dictionary.values(), dictionary.normalized_keys()));
    let kind = dictionary.as_ref().map_or_else(|| array.data_type(), |(values, _)| values.data_type());
    if kind.is_floating() {
        column.is_of_doubles();
    }
    for (row, line) in (0..array.len()).zip(first_line..) {
        let cell = match &dictionary {
            Some((values, keys)) if array.is_valid(row) => cell(values, keys[row], column.name()),
            _ => cell(array, row, column.name()),
        };
        match cell.map_err(|problem| (line, problem))? {
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
        other => {
            return Err(Problem::UnfitType { name: name.to_owned(), found: shorten(&other.to_string()) });
        }
    };
    Ok(Cell::Text(text.into()))
}

const MILLISECONDS_OF_A_DAY: i64 = 24 * 60 * 60 * 1000;

/// A day, counted from 1970-01-01, as CSV files have it: of the years 0 to 9999.
fn date(days: i64, name: &str) -> Result<String, Problem> {
    let date = i32::try_from(days).ok().and_then(Date32Type::to_naive_date_opt).map(|date| date.to_string());
    date.filter(|text| text.len() == "YYYY-MM-DD".len())
        .ok_or_else(|| Problem::NotADay { name: name.to_owned(), found: format!("{days} days") })
}
