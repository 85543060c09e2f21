//! Columns of data frames and of arrays.

use arrow_array::{RecordBatchReader, ffi_stream::RecordBatchStreamReader};
use arrow_pyarrow::FromPyArrow;
use asanoha::{
    data::{
        self, Column, ColumnValues, Data, DataError, FrameKind, MAX_PLACES, Missing, NoDigits, RangeOverride,
        Schema, TypedColumn, Unfit, columns_of_batches, from_digits, parse_range_override,
    },
    plan::Plan,
};
use pyo3::{prelude::*, types::PyBytes};
use serde_json::json;

use crate::fault::Fault;

/// What messages call the data.
const SOURCE: &str = "data";

/// Some columns, each of the kind that its type says.
#[pyclass(frozen, module = "_asanoha")]
#[derive(Debug, Default)]
pub(crate) struct Columns {
    columns: Vec<(TypedColumn, &'static str)>,
}

/// A column of NumPy: its name, its kind, its values, the rows that miss one, and the names of categories.
type Array<'py> = (String, String, Bound<'py, PyAny>, Vec<usize>, Vec<String>);

fn kind_name(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Whole => "whole",
        FrameKind::Real => "real",
        FrameKind::Decimal => "decimal",
        FrameKind::Truth => "bool",
        FrameKind::Date => "date",
        FrameKind::Text => "category",
    }
}

#[pymethods]
impl Columns {
    /// The columns `wanted` of what gives a stream of Arrow record batches; all of them if there is none.
    #[staticmethod]
    fn from_stream(stream: &Bound<'_, PyAny>, wanted: Option<Vec<String>>) -> PyResult<Self> {
        let batches = RecordBatchStreamReader::from_pyarrow_bound(stream)?;
        let schema = batches.schema();
        let all = || schema.fields().iter().map(|field| field.name().clone()).collect();
        let wanted: Vec<String> = wanted.unwrap_or_else(all);
        let columns = columns_of_batches(&schema, batches, &wanted, SOURCE).map_err(Fault::from)?;
        Ok(Self { columns: columns.into_iter().map(|(column, kind)| (column, kind_name(kind))).collect() })
    }

    /// Columns out of arrays. Values are the bytes of 64-bit words or, of `integer` and `decimal`, a list of digits in text; those of a
    /// `category` are places among its names.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
    fn from_arrays(arrays: Vec<Array<'_>>) -> PyResult<Self> {
        let column = |(name, kind, values, missing, names): &Array<'_>| {
            let (values, kind) = match kind.as_str() {
                "real" => (ColumnValues::Real(words(values, f64::from_le_bytes)?), "real"),
                "whole" => (ColumnValues::Whole(words(values, i64::from_le_bytes)?), "whole"),
                "bool" => (ColumnValues::Whole(words(values, i64::from_le_bytes)?), "bool"),
                "date" => (ColumnValues::Whole(words(values, i64::from_le_bytes)?), "date"),
                "category" => {
                    let values = words(values, i64::from_le_bytes)?;
                    (ColumnValues::Categories { values, names: names.clone() }, "category")
                }
                "integer" => (digits(name, &values.extract::<Vec<String>>()?)?, "whole"),
                "decimal" => (digits(name, &values.extract::<Vec<String>>()?)?, "decimal"),
                other => return Err(Fault::internal(format!("no kind {other}")).into()),
            };
            Ok((TypedColumn { name: name.clone(), values, missing: missing.clone() }, kind))
        };
        Ok(Self { columns: arrays.iter().map(column).collect::<PyResult<_>>()? })
    }

    /// The names and kinds.
    pub(crate) fn kinds(&self) -> Vec<(String, &'static str)> {
        self.columns.iter().map(|(column, kind)| (column.name.clone(), *kind)).collect()
    }

    /// Whether a value is missing.
    fn has_missing(&self) -> bool {
        self.columns.iter().any(|(column, _)| !column.missing.is_empty())
    }

    /// The number of rows.
    fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(column, _)| column.values.len())
    }

    /// Some of the rows, given as the bytes of 64-bit words, of columns with nothing missing.
    fn take(&self, rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        let all = self.rows();
        let rows: Vec<usize> = words(rows, u64::from_le_bytes)?.into_iter().map(|row| row as usize).collect();
        if self.has_missing() || rows.iter().any(|&row| row >= all) {
            return Err(Fault::internal("rows are taken that aren't there").into());
        }
        let column = |(column, kind): &(TypedColumn, &'static str)| {
            let (name, values) = (column.name.clone(), column.values.select(&rows));
            (TypedColumn { name, values, missing: Vec::new() }, *kind)
        };
        Ok(Self { columns: self.columns.iter().map(column).collect() })
    }
}

/// The 64-bit words of some bytes.
fn words<T>(values: &Bound<'_, PyAny>, word: fn([u8; 8]) -> T) -> PyResult<Vec<T>> {
    let bytes = values.cast::<PyBytes>()?.as_bytes();
    Ok(bytes.as_chunks::<8>().0.iter().map(|chunk| word(*chunk)).collect())
}

/// Whole numbers of any size, or decimals with as many places as the one that has most.
fn digits(name: &str, texts: &[String]) -> Result<ColumnValues, Fault> {
    from_digits(texts, &[]).map_err(|error| match error {
        NoDigits::Text { .. } => Fault::internal("no number"),
        NoDigits::Places { row, places } => Fault::data(format!(
            "row {row} of column {name:?} is {}, of {places} places after the point, and decimals of up to {MAX_PLACES} are taken: round the column, or cast it to float",
            texts[row]
        ))
        .figure("column", name)
        .figure("row", row)
        .figure("places", places),
    })
}

/// What is done about missing values, by its name.
pub(crate) fn missing(name: &str) -> Result<Missing, Fault> {
    Ok(match name {
        "raise" => Missing::Refuse,
        "mask" => Missing::Mask,
        "mean" => Missing::Mean,
        "zero" => Missing::Zero,
        other => {
            return Err(Fault::data(format!(
                "missing={other:?}: it is one of \"raise\", \"mask\", \"mean\" and \"zero\""
            )));
        }
    })
}

impl Columns {
    /// All columns.
    pub(crate) fn typed(&self) -> Vec<TypedColumn> {
        self.columns.iter().map(|(column, _)| column.clone()).collect()
    }

    /// The columns that a plan needs, each as the plan has it and with nothing missing, and the rows that were left out.
    pub(crate) fn complete(&self, plan: &Plan, missing: Missing) -> Result<(Self, Vec<usize>), Fault> {
        let data = self.for_plan(plan, missing)?;
        let kind_of = |name: &str| {
            let found = self.columns.iter().find(|(column, _)| column.name == name);
            found.map_or("whole", |(_, kind)| *kind)
        };
        let column = |column: Column| {
            let kind = kind_of(&column.name);
            (TypedColumn { name: column.name, values: column.values, missing: Vec::new() }, kind)
        };
        Ok((Self { columns: data.table.columns.into_iter().map(column).collect() }, data.left_out))
    }

    /// The table that a plan needs of these columns, each as the plan has it.
    pub(crate) fn for_plan(&self, plan: &Plan, missing: Missing) -> Result<Data, Fault> {
        let column = |name: &String| {
            let found = self.columns.iter().find(|(column, _)| column.name == *name);
            let (column, kind) = found.ok_or_else(|| {
                let present = self.columns.iter().map(|(column, _)| column.name.clone()).collect::<Vec<_>>();
                let message = format!(
                    "the data have no column {name:?}, which the plan needs; they have {}",
                    present.join(", ")
                );
                Fault::data(message).figure("column", name.as_str()).figure("present", present)
            })?;
            fitted(plan, column, kind)
        };
        let columns = plan.program.input_names().iter().map(column).collect::<Result<_, _>>()?;
        Ok(Data::from_columns(columns, missing, SOURCE)?)
    }
}

/// A column as a plan has it.
fn fitted(plan: &Plan, column: &TypedColumn, kind: &str) -> Result<TypedColumn, Fault> {
    let name = &column.name;
    let Some(planned) = plan.schema.column(name) else { return Ok(column.clone()) };
    let refused = |planned: &str, advice: &str| {
        Fault::data(format!("column {name:?} is {kind} in the data and {planned} in the plan: {advice}"))
            .figure("column", name.as_str())
            .figure("found", kind)
            .figure("planned", planned)
    };
    data::fitted(column, planned).map_err(|unfit| match unfit {
        Unfit::Text => refused("numbers", "cast it, or plan for these data"),
        Unfit::Numbers => refused("categories", "cast it, or plan for these data"),
        Unfit::Whole => refused("whole", "cast it to integers, or plan for these data"),
        Unfit::Real => refused("real", "cast it to float"),
        Unfit::NoDouble { row, value } => {
            refused("real", &format!("row {row} is {value}, which no double is: cast it to float"))
        }
        Unfit::NoDecimal { row, value, places } => Fault::data(format!(
            "row {row} of column {name:?} is {value}, which isn't a decimal of at most {places} places: round the column"
        ))
        .figure("row", row)
        .figure("column", name.as_str())
        .figure("value", value),
    })
}

/// The schema of some columns as JSON, with the kind of each beside it: `[schema, {name: kind}]`. Ranges that are given are written
/// `lo:hi`; other ranges are those of the values that aren't missing.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "it comes from Python")]
pub(crate) fn schema_of(columns: &Columns, ranges: Vec<(String, String)>) -> PyResult<String> {
    let ranges: Vec<RangeOverride> = ranges
        .iter()
        .map(|(name, ends)| {
            let declared = parse_range_override(&format!("x={ends}")).map_err(|error| match error {
                DataError::BadRange { problem, .. } => {
                    let message = format!("the range of column {name:?}, {ends}: {problem}");
                    Fault::data(message).figure("column", name.as_str())
                }
                other => other.into(),
            })?;
            if !columns.columns.iter().any(|(column, _)| column.name == *name) {
                let present: Vec<_> = columns.columns.iter().map(|(column, _)| column.name.clone()).collect();
                let message =
                    format!("a range is given for {name:?}, and the data have {}", present.join(", "));
                return Err(Fault::data(message).figure("column", name.as_str()));
            }
            Ok(RangeOverride { column: name.clone(), range: declared.range })
        })
        .collect::<Result<_, Fault>>()?;
    let one = |(column, _): &(TypedColumn, &str)| -> Result<_, Fault> {
        let data = Data::from_columns(vec![column.clone()], Missing::Mask, SOURCE)?;
        let ranges: Vec<_> = ranges.iter().filter(|range| range.column == column.name).cloned().collect();
        let mut schema = Schema::from_table(&data.table, &ranges)?;
        Ok(schema.columns.swap_remove(0))
    };
    let of_columns = columns.columns.iter().map(one).collect::<Result<_, _>>()?;
    let schema = Schema { rows: columns.rows().max(1), columns: of_columns };
    let kinds: serde_json::Map<String, serde_json::Value> =
        columns.kinds().into_iter().map(|(name, kind)| (name, kind.into())).collect();
    Ok(json!([schema, kinds]).to_string())
}
