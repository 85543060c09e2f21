//! What is public about a table.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use serde::{Deserialize, Serialize};

use super::{Column, ColumnValues, DataError, MAX_COLUMNS, MAX_ROWS, Problem, Table};
use crate::program::{MAX_CONSTANT_BITS, Range, number};

/// The largest schema file, in bytes.
const MAX_SCHEMA_BYTES: u64 = 64 << 20;

/// The number of rows and the columns of a table, without its values.
///
/// As JSON: `{"rows": 442, "columns": [{"name": "bmi", "whole": false, "range": {"lo": "0", "hi": "64"}}]}`.
/// Reading it from a file checks it: at least one row, bounded sizes, no column twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedSchema")]
pub struct Schema {
    /// The number of rows.
    pub rows: usize,
    /// The columns.
    pub columns: Vec<ColumnSchema>,
}

/// A schema as a file holds it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedSchema {
    rows: usize,
    columns: Vec<ColumnSchema>,
}

impl TryFrom<UncheckedSchema> for Schema {
    type Error = String;

    fn try_from(UncheckedSchema { rows, columns }: UncheckedSchema) -> Result<Self, String> {
        if rows == 0 || rows > MAX_ROWS {
            return Err(format!("rows is {rows}, and should be from 1 to {MAX_ROWS}"));
        }
        if columns.len() > MAX_COLUMNS {
            return Err(format!("there are {} columns, above the limit of {MAX_COLUMNS}", columns.len()));
        }
        let mut seen = HashSet::new();
        if let Some(column) = columns.iter().find(|column| !seen.insert(column.name.as_str())) {
            return Err(format!("column {:?} stands twice", column.name));
        }
        Ok(Self { rows, columns })
    }
}

/// A column without its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSchema {
    /// The name.
    pub name: String,
    /// Whether all values are whole numbers.
    pub whole: bool,
    /// Where all values lie.
    pub range: Range,
}

/// A range that was declared for a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeOverride {
    /// The column.
    pub column: String,
    /// Its range.
    pub range: Range,
}

/// Reads `name=lo:hi`, the value of `--range`. The ends are whole numbers, decimals or fractions `p/q`.
///
/// ```
/// let declared = asanoha_planner::data::parse_range_override("bmi=0:62.5")?;
/// assert_eq!(declared.range.to_string(), "0..62.5");
/// # Ok::<(), asanoha_planner::data::DataError>(())
/// ```
pub fn parse_range_override(text: &str) -> Result<RangeOverride, DataError> {
    let bad = |problem: String| DataError::BadRange { text: text.chars().take(80).collect(), problem };
    let (column, ends) = text.rsplit_once('=').ok_or_else(|| bad("there is no `=`".to_owned()))?;
    let column = column.trim();
    if column.is_empty() {
        return Err(bad("there is no column before `=`".to_owned()));
    }
    let (lo, hi) =
        ends.split_once(':').ok_or_else(|| bad("there is no `:` between the two ends".to_owned()))?;
    let end = |text: &str| {
        let shown: String = text.chars().take(40).collect();
        number::parse_signed(text, MAX_CONSTANT_BITS).ok_or_else(|| bad(format!("{shown:?} is not a number")))
    };
    let (lo, hi) = (end(lo)?, end(hi)?);
    let range = Range::new(lo, hi).ok_or_else(|| bad("the lower end is above the upper end".to_owned()))?;
    Ok(RangeOverride { column: column.to_owned(), range })
}

impl Schema {
    /// The schema of a table. The range of a column is `[0, 2^k]` when no value is negative and `[-2^k, 2^k]` otherwise,
    /// for the least `k` that holds all values; of a whole column `[0, 2^k - 1]` with `k ≥ 1` or `[-2^k, 2^k - 1]`;
    /// unless `declared` names another, which must hold them too.
    pub fn from_table(table: &Table, declared: &[RangeOverride]) -> Result<Self, DataError> {
        let mut ranges: HashMap<&str, &Range> = HashMap::new();
        for RangeOverride { column, range } in declared {
            if table.column(column).is_none() {
                let present = table.columns.iter().map(|column| column.name.clone()).collect();
                return Err(DataError::UnknownColumn {
                    file: "declared ranges".to_owned(),
                    name: column.clone(),
                    present,
                });
            }
            if ranges.insert(column, range).is_some() {
                return Err(DataError::DuplicateRange { name: column.clone() });
            }
        }
        let schema_of = |column: &Column| {
            let name = column.name.clone();
            let range = match ranges.get(name.as_str()) {
                None => rounded_range(&extremes(&column.values), column.is_whole()),
                Some(&range) => match outside(&column.values, range) {
                    None => range.clone(),
                    Some((row, value)) => {
                        return Err(DataError::OutsideRange { row, name, value, range: range.to_string() });
                    }
                },
            };
            Ok(ColumnSchema { name, whole: column.is_whole(), range })
        };
        let columns = table.columns.iter().map(schema_of).collect::<Result<_, DataError>>()?;
        Ok(Self { rows: table.rows, columns })
    }

    /// Reads a schema file.
    pub fn from_json_path(path: &Path) -> Result<Self, DataError> {
        let name = path.display().to_string();
        let unreadable = |source| DataError::Unreadable { file: name.clone(), source };
        if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_SCHEMA_BYTES {
            return Err(DataError::TooLarge { file: name, limit: MAX_SCHEMA_BYTES, what: "bytes" });
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        Self::from_json(&bytes, &name)
    }

    /// Reads a schema from JSON; `source_name` stands in messages.
    pub fn from_json(bytes: &[u8], source_name: &str) -> Result<Self, DataError> {
        serde_json::from_slice(bytes).map_err(|error| {
            let text = error.to_string();
            // The place stands in the message too, at its end.
            let problem =
                text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem).to_owned();
            Problem::BadSchema(problem).at(source_name, error.line().max(1) as u64, error.column().max(1))
        })
    }

    /// The column `name`.
    pub fn column(&self, name: &str) -> Option<&ColumnSchema> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// A value and its row, from 1.
struct Extreme {
    value: BigRational,
    row: usize,
}

/// The smallest and largest value, the first of each.
fn extremes(values: &ColumnValues) -> Vec<Extreme> {
    fn ends<T: PartialOrd + Clone>(values: &[T], exact: impl Fn(T) -> Option<BigRational>) -> Vec<Extreme> {
        let pick = |better: fn(&T, &T) -> bool| {
            let (row, value) =
                values.iter().enumerate().reduce(|a, b| if better(b.1, a.1) { b } else { a })?;
            Some(Extreme { value: exact(value.clone())?, row: row + 1 })
        };
        [pick(|a, b| a < b), pick(|a, b| a > b)].into_iter().flatten().collect()
    }
    match values {
        ColumnValues::Whole(values) => ends(values, |value| Some(BigRational::from_integer(value.into()))),
        ColumnValues::Integers(values) => ends(values, |value| Some(BigRational::from_integer(value))),
        ColumnValues::Real(values) => ends(values, BigRational::from_float),
    }
}

/// The row, from 1, of a value outside of a range, and the value: one that is no number, else the smallest or the largest.
pub(crate) fn outside(values: &ColumnValues, range: &Range) -> Option<(usize, String)> {
    let whole = match values {
        ColumnValues::Whole(_) | ColumnValues::Integers(_) => true,
        ColumnValues::Real(values) => {
            if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                return Some((at + 1, values[at].to_string()));
            }
            false
        }
    };
    let is_inside = |value: &BigRational| {
        if whole { range.contains(value) } else { range.contains_f64(number::to_f64(value)) }
    };
    let Extreme { value, row } = extremes(values).into_iter().find(|extreme| !is_inside(&extreme.value))?;
    Some((row, if whole { number::format(&value) } else { number::to_f64(&value).to_string() }))
}

fn rounded_range(extremes: &[Extreme], whole: bool) -> Range {
    let negative = extremes.iter().any(|extreme| extreme.value.is_negative());
    if whole {
        // As many bits as hold them all in two's complement: −1 − x takes as many as x.
        let bits = |extreme: &Extreme| {
            let value: BigInt = extreme.value.to_integer();
            let magnitude: BigInt = if value.is_negative() { -(value + BigInt::one()) } else { value };
            magnitude.bits()
        };
        let end = BigInt::one() << extremes.iter().map(bits).max().unwrap_or(0).max(u64::from(!negative));
        let lo = if negative { -end.clone() } else { BigInt::zero() };
        return Range::between(BigRational::from_integer(lo), BigRational::from_integer(end - 1));
    }
    let largest = extremes.iter().map(|extreme| extreme.value.abs()).max().unwrap_or_else(BigRational::zero);
    let end = number::power_of_two(number::log2_ceil(&largest).unwrap_or(0));
    let lo = if negative { -&end } else { BigRational::zero() };
    Range::between(lo, end)
}
