//! Tables as Parquet files.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use asanoha_runtime::data::{Data, DataError, Reading};
use num_bigint::BigInt;
use num_traits::Zero;
use parquet::arrow::ArrowWriter;

use super::{
    files::{digits, doubles},
    sheets::{Column, Kind, Sheet},
};

/// The most digits of a decimal of 128 bits.
const PRECISION: u8 = 38;

fn array(column: &Column) -> ArrayRef {
    let cells = &column.cells;
    let present = |row: usize| cells[row].is_some();
    let optional = |values: Vec<BigInt>| -> Vec<Option<BigInt>> {
        values.into_iter().enumerate().map(|(row, value)| present(row).then_some(value)).collect()
    };
    let decimals = |places: u32| -> ArrayRef {
        let values = optional(digits(column, places));
        let values = values.into_iter().map(|value| value.map(|value| i128::try_from(value).unwrap()));
        let array = Decimal128Array::from(values.collect::<Vec<_>>());
        Arc::new(array.with_precision_and_scale(PRECISION, places as i8).unwrap())
    };
    match column.kind {
        Kind::Whole => {
            let values = optional(digits(column, 0));
            let words = values.iter().map(|value| value.as_ref().map(i64::try_from).transpose());
            match words.collect::<Result<Vec<_>, _>>() {
                Ok(words) => Arc::new(Int64Array::from(words)),
                Err(_) => decimals(0),
            }
        }
        Kind::Decimal(places) => decimals(places),
        Kind::Real => {
            let values = doubles(column).into_iter().enumerate();
            Arc::new(values.map(|(row, value)| present(row).then_some(value)).collect::<Float64Array>())
        }
        Kind::Date => {
            let days = optional(digits(column, 0)).into_iter();
            let days = days.map(|days| days.map(|days| i32::try_from(days).unwrap()));
            Arc::new(Date32Array::from(days.collect::<Vec<_>>()))
        }
        Kind::Text => {
            let texts = cells.iter().map(|cell| cell.as_ref().map(|cell| &cell.written));
            Arc::new(texts.collect::<StringArray>())
        }
        Kind::Truth => {
            let truths = cells.iter().map(|cell| cell.as_ref().map(|cell| !cell.number.is_zero()));
            Arc::new(BooleanArray::from(truths.collect::<Vec<_>>()))
        }
    }
}

/// Writes the table to a Parquet file and reads some of its columns.
pub(crate) fn read(sheet: &Sheet, wanted: &[String], reading: &Reading) -> Result<Data, DataError> {
    let columns = sheet.columns.iter().map(|column| (column.name.as_str(), array(column), true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut writer = ArrowWriter::try_new(file.reopen().unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    Data::from_path(file.path(), wanted, reading)
}
