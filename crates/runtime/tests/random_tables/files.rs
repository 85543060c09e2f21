//! Tables as CSV text, as columns of data frames and as Parquet files.

use std::fmt::Write as _;

use asanoha_runtime::data::{ColumnValues, Data, DataError, Reading, TypedColumn};
use asanoha_runtime::program::Program;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Pow, Zero};

use super::sheets::{Column, Kind, Sheet, Source};

/// The table as CSV text.
pub(crate) fn csv(sheet: &Sheet) -> String {
    let quoted = |text: &str, is_text: bool| {
        let needs = text.contains([',', '"', '\n', ' ', '#']) || (is_text && text.len().is_multiple_of(3));
        if needs { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    };
    let names: Vec<String> = sheet.columns.iter().map(|column| quoted(&column.name, true)).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..sheet.rows {
        let cells = sheet.columns.iter().map(|column| match &column.cells[row] {
            None => ["", "NA", "NaN"][row % 3].to_owned(),
            Some(cell) if column.kind == Kind::Truth && column.name.len() > 3 => {
                if cell.number.is_zero() { "false" } else { "True" }.to_owned()
            }
            Some(cell) => quoted(&cell.written, column.is_text()),
        });
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join(","));
    }
    text
}

/// The digits of a column as whole numbers.
pub(crate) fn digits(column: &Column, places: u32) -> Vec<BigInt> {
    let unit = BigRational::from_integer(BigInt::from(10).pow(places));
    let digits = |number: &BigRational| (number * &unit).to_integer();
    column
        .cells
        .iter()
        .map(|cell| cell.as_ref().map_or(BigInt::zero(), |cell| digits(&cell.number)))
        .collect()
}

pub(crate) fn doubles(column: &Column) -> Vec<f64> {
    column.cells.iter().map(|cell| cell.as_ref().map_or(0.0, |cell| cell.written.parse().unwrap())).collect()
}

/// A column as data frames have it.
fn typed(column: &Column) -> TypedColumn {
    let words = |values: &[BigInt]| values.iter().map(i64::try_from).collect::<Result<Vec<_>, _>>().ok();
    let values = match column.kind {
        Kind::Text => {
            let mut names: Vec<String> =
                column.cells.iter().flatten().map(|cell| cell.written.clone()).collect();
            names.sort_unstable();
            names.dedup();
            let place = |text: &String| names.iter().position(|name| name == text).unwrap() as i64;
            let values = column.cells.iter().map(|cell| cell.as_ref().map_or(0, |cell| place(&cell.written)));
            ColumnValues::Categories { values: values.collect(), names }
        }
        Kind::Real => ColumnValues::Real(doubles(column)),
        Kind::Decimal(places) => {
            let digits = digits(column, places);
            match words(&digits) {
                Some(values) => ColumnValues::Decimal { values, places },
                None => ColumnValues::WideDecimal { values: digits, places },
            }
        }
        Kind::Whole | Kind::Date | Kind::Truth => {
            let digits = digits(column, 0);
            words(&digits).map_or(ColumnValues::Integers(digits), ColumnValues::Whole)
        }
    };
    let missing = (0..column.cells.len()).filter(|&row| column.cells[row].is_none()).collect();
    TypedColumn { name: column.name.clone(), values, missing }
}

/// Reads the columns that a program names, as its user does.
pub(crate) fn read(sheet: &Sheet, program: &Program) -> Result<Data, DataError> {
    let text = program.text_columns();
    let reading = Reading { text: &text, missing: sheet.missing, ..Reading::default() };
    let names = program.input_names();
    #[cfg(feature = "arrow")]
    if sheet.source == Source::Parquet {
        return super::parquet::read(sheet, names, &reading);
    }
    match sheet.source {
        Source::Csv => Data::from_reader(csv(sheet).as_bytes(), "random.csv", names, &reading),
        Source::Frame | Source::Parquet => {
            let read = |column: &&Column| names.iter().any(|name| name.as_str() == column.name);
            let columns = sheet.columns.iter().filter(read).map(typed).collect();
            Data::from_columns(columns, sheet.missing, "the data frame")
        }
    }
}
