//! What is public about a table.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use num_rational::BigRational;
use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};

use crate::{
    categories::{self, MAX_CATEGORIES, TextError},
    centre::{self, Centre, PublicCentre, deviation, less, near},
    error::{DataError, Problem, shorten},
    extremes::{outside, power_of_ten, rounded_outward, rounded_range},
    table::{Column, ColumnValues, MAX_COLUMNS, MAX_PLACES, MAX_ROWS, Table},
};
use asanoha_numeric::{
    Range, date,
    number::{self, MAX_CONSTANT_BITS},
};

/// The largest schema file, in bytes.
const MAX_SCHEMA_BYTES: u64 = 64 << 20;

/// The number of rows and the columns of a table, without its values.
///
/// As JSON: `{"rows": 442, "columns": [{"name": "bmi", "whole": false, "places": 1, "range": {"lo": "0", "hi": "51.1"}}]}`.
/// Without `places`, or with 0, a column that isn't whole is one of real numbers.
/// Reading it from a file checks it: at least one row, bounded sizes, no column twice, at most [`MAX_PLACES`] places, and none of
/// whole columns. The ends of the ranges of decimals are rounded outward to their places. A column of text has
/// `"whole": true, "categories": ["north", "south"]`, which stand for 0, 1 and so on: at most [`MAX_CATEGORIES`], all different.
/// A column with `"centre": "secret"` is encrypted less a constant of the client's own, and one with `"centre": "100"` less 100: its
/// range is that of what is left.
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

    fn try_from(UncheckedSchema { rows, mut columns }: UncheckedSchema) -> Result<Self, String> {
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
        columns.iter_mut().try_for_each(ColumnSchema::check)?;
        Ok(Self { rows, columns })
    }
}

/// A column without its values.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSchema {
    /// The name.
    pub name: String,
    /// Whether all values are whole numbers.
    pub whole: bool,
    /// The places after the point, where all values are decimals of as many at most; 0 for whole and for real numbers.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub places: u32,
    /// True for a column of dates, whose whole numbers are the days from 1970-01-01 to each.
    #[serde(default, skip_serializing_if = "is_false")]
    pub date: bool,
    /// The texts that the whole numbers from 0 on stand for, of a column of text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Where all values lie, less the constant if there is one.
    pub range: Range,
    /// The constant that the client takes away from every value before encryption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<Centre>,
    /// How far the values are from the middle of all at most, rounded up to a power of two. It's known where the data are, and in
    /// no file: what is planned with it is public.
    #[serde(skip)]
    pub half_width: Option<BigRational>,
}

/// Columns are equal of which the same is public.
impl PartialEq for ColumnSchema {
    fn eq(&self, other: &Self) -> bool {
        let public = |of: &Self| (of.name.clone(), of.whole, of.places, of.range.clone(), of.centre.clone());
        public(self) == public(other) && self.categories == other.categories && self.date == other.date
    }
}

impl Eq for ColumnSchema {}

impl ColumnSchema {
    /// Takes a constant away from the column, which leaves values of a range.
    pub fn centre(&mut self, centre: Centre, range: &Range) {
        self.range = rounded_outward(range, self.places);
        self.centre = Some(centre);
    }

    /// Whether all values are whole numbers or decimals.
    pub fn is_exact(&self) -> bool {
        self.whole || self.places > 0
    }

    /// Refuses what no column can be, and rounds the range.
    fn check(&mut self) -> Result<(), String> {
        let Self { name, whole, places, date, categories, range, centre, .. } = self;
        let plural = if *places == 1 { "" } else { "s" };
        if *places > MAX_PLACES {
            return Err(format!(
                "column {name:?} has {places} places after the point, and up to {MAX_PLACES} are taken: leave `places` out for real numbers"
            ));
        }
        if *date && (!*whole || !categories.is_empty()) {
            return Err(format!(
                "column {name:?} is of dates, which are whole, and not text: one of the two"
            ));
        }
        if *whole && *places > 0 {
            return Err(format!(
                "column {name:?} is whole and has {places} place{plural} after the point: one of the two"
            ));
        }
        *range = rounded_outward(range, *places);
        if let Some(Centre::Public(value)) = centre {
            let is_fit = if *whole || *places > 0 {
                (&*value * power_of_ten(*places)).is_integer()
            } else {
                BigRational::from_float(number::to_f64(value)).as_ref() == Some(value)
            };
            if !is_fit {
                let kind = if *whole || *places > 0 { "number of as many places" } else { "double" };
                return Err(format!("the centre of column {name:?} isn't a {kind}: round it"));
            }
        }
        if categories.is_empty() {
            return Ok(());
        }
        if centre.is_some() {
            return Err(format!("column {name:?} has categories and a centre: one of the two"));
        }
        if !*whole {
            return Err(format!(
                "column {name:?} has categories, which are whole numbers: say \"whole\": true"
            ));
        }
        if categories.len() > MAX_CATEGORIES {
            let found = categories.len();
            return Err(format!(
                "column {name:?} has {found} categories, above the limit of {MAX_CATEGORIES}"
            ));
        }
        let mut seen = HashSet::new();
        for category in categories.iter() {
            if let Some(problem) = categories::unfit(category) {
                return Err(format!("category {category:?} of column {name:?} {problem}"));
            }
            if !seen.insert(category) {
                return Err(format!("category {category:?} of column {name:?} stands twice"));
            }
        }
        let all = of_categories(categories.len());
        if !range.contains(all.lo()) || !range.contains(all.hi()) {
            return Err(format!("the range of column {name:?} is {range}, and its categories are in {all}"));
        }
        Ok(())
    }
}

/// The range of as many categories, of two at least: the numbers from 0 on.
fn of_categories(count: usize) -> Range {
    Range::between(BigRational::zero(), BigRational::from_integer((count.max(2) - 1).into()))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(answer: &bool) -> bool {
    !answer
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(places: &u32) -> bool {
    *places == 0
}

/// The kind of the values in words, such as `decimal, 2 places`.
impl std::fmt::Display for ColumnSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.whole, self.places) {
            _ if !self.categories.is_empty() => write!(f, "text, of {}", shown(&self.categories)),
            (true, _) => f.write_str(if self.date { "dates" } else { "whole" }),
            (_, 0) => f.write_str("real"),
            (_, 1) => f.write_str("decimal, 1 place"),
            (_, places) => write!(f, "decimal, {places} places"),
        }?;
        match &self.centre {
            None => Ok(()),
            Some(Centre::Secret) => f.write_str(", less a constant that stays with the client"),
            Some(Centre::Public(value)) => write!(f, ", less {}", number::format(value)),
        }
    }
}

/// Some categories as messages name them.
fn shown(categories: &[String]) -> String {
    const SHOWN: usize = 12;
    let names: Vec<String> = categories.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    match categories.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{} and {more} more", names.join(", ")),
        _ => names.join(", "),
    }
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
/// let declared = asanoha_table::parse_range_override("bmi=0:62.5")?;
/// assert_eq!(declared.range.to_string(), "0..62.5");
/// # Ok::<(), asanoha_table::DataError>(())
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
        let day = date::days(text.trim()).map(|days| BigRational::from_integer(days.into()));
        let number = day.or_else(|| number::parse_signed(text, MAX_CONSTANT_BITS));
        number.ok_or_else(|| bad(format!("{shown:?} is neither a number nor a date such as 2026-11-23")))
    };
    let (lo, hi) = (end(lo)?, end(hi)?);
    let range = Range::new(lo, hi).ok_or_else(|| bad("the lower end is above the upper end".to_owned()))?;
    Ok(RangeOverride { column: column.to_owned(), range })
}

impl Schema {
    /// The schema of a table. The range of a column is `[0, 2^k]` when no value is negative and `[-2^k, 2^k]` otherwise,
    /// for the least `k` that holds all values; of a whole column `[0, 2^k - 1]` with `k ≥ 1` or `[-2^k, 2^k - 1]`;
    /// and of a column of decimals that of the whole numbers that its digits are, divided by the power of ten. Where no value is 0
    /// and all have one sign, 0 is outside, too: the nearer end is the largest power of two below all magnitudes, rounded down to
    /// the places of decimals, or the last place itself. `declared` may name another range, which must hold all values, and whose
    /// ends are rounded outward to the places of decimals, but not to 0.
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
            let categories = column.values.categories().to_vec();
            let declared = ranges.contains_key(name.as_str());
            let half_width = if declared { None } else { centre::half_width(&column.values) };
            let range = match ranges.get(name.as_str()) {
                None if !categories.is_empty() => of_categories(categories.len()),
                Some(_) if !categories.is_empty() => {
                    let problem = "it's a column of text, whose categories are counted from 0".to_owned();
                    return Err(DataError::BadRange { text: name, problem });
                }
                None => rounded_range(&column.values),
                Some(&range) => match outside(&column.values, range) {
                    None => rounded_outward(range, column.values.places()),
                    Some((row, value)) => {
                        return Err(DataError::OutsideRange { row, name, value, range: range.to_string() });
                    }
                },
            };
            Ok(ColumnSchema {
                name,
                whole: column.is_whole(),
                places: column.values.places(),
                date: false,
                categories,
                range,
                centre: None,
                half_width,
            })
        };
        let columns = table.columns.iter().map(schema_of).collect::<Result<_, DataError>>()?;
        Ok(Self { rows: table.rows, columns })
    }

    /// The same with the columns of these names as dates ([`Data::dates`](crate::Data::dates)).
    #[must_use]
    pub fn with_dates(mut self, names: &[String]) -> Self {
        let columns = self.columns.iter_mut().filter(|column| names.contains(&column.name));
        columns.for_each(|column| column.date = column.whole && column.categories.is_empty());
        self
    }

    /// Reads a schema file.
    pub fn from_json_path(path: &Path) -> Result<Self, DataError> {
        let name = path.display().to_string();
        let unreadable = |source| DataError::Unreadable { file: name.clone(), source };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(MAX_SCHEMA_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_SCHEMA_BYTES {
            return Err(DataError::TooLarge { file: name, limit: MAX_SCHEMA_BYTES, what: "bytes" });
        }
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

    /// This schema of a table with columns less constants that are declared, which become public. What is left is in the powers of
    /// two that bound it.
    ///
    /// # Errors
    /// Columns that aren't there, are declared twice or with a range, are text, or can't be computed on less the constant.
    pub fn about(mut self, table: &Table, declared: &[PublicCentre]) -> Result<Self, DataError> {
        let mut seen = HashSet::new();
        for PublicCentre { column: name, value } in declared {
            let bad = |problem: &str| DataError::BadCentre {
                text: format!("{name}={}", number::format(value)),
                problem: problem.to_owned(),
            };
            let values = &table.column(name).ok_or_else(|| bad("there is no such column"))?.values;
            let column = self.columns.iter_mut().find(|column| column.name == *name);
            let column = column.ok_or_else(|| bad("there is no such column"))?;
            if !seen.insert(name) {
                return Err(bad("it's declared twice"));
            }
            // It's known of all columns but text and those of declared ranges.
            if column.half_width.take().is_none() {
                return Err(bad("the column is text, has a declared range, or no width"));
            }
            let centre = near(values, value).filter(|near| near == value || !column.is_exact());
            let centre = centre.ok_or_else(|| bad("it has more places than the column"))?;
            if less(values, &centre).is_none() {
                return Err(bad(
                    "the column can't be computed on less that constant exactly: name one near its values",
                ));
            }
            let deviation = deviation(values, &centre);
            let end = number::log2_ceil(&deviation).map_or_else(BigRational::one, number::power_of_two);
            column.centre(Centre::Public(centre), &Range::between(-&end, end));
        }
        Ok(self)
    }

    /// A table with texts numbered as this schema lists them.
    ///
    /// # Errors
    /// Columns of text in the schema or the table only, and texts that the schema doesn't list.
    pub fn numbered<'t>(&self, table: &'t Table) -> Result<Cow<'t, Table>, TextError> {
        let differs = |column: &Column| {
            self.column(&column.name).is_some_and(|of| of.categories != column.values.categories())
        };
        if !table.columns.iter().any(differs) {
            return Ok(Cow::Borrowed(table));
        }
        let numbered = |column: &Column| {
            let Some(planned) = self.column(&column.name).filter(|_| differs(column)) else {
                return Ok(column.clone());
            };
            let kind = |is_text: bool| if is_text { "text" } else { "no text" };
            let ColumnValues::Categories { values, names } = &column.values else {
                let (column, planned, found) = (column.name.clone(), kind(true), kind(false));
                return Err(TextError::OtherKind { column, planned, found });
            };
            if planned.categories.is_empty() {
                let (column, planned, found) = (column.name.clone(), kind(false), kind(true));
                return Err(TextError::OtherKind { column, planned, found });
            }
            let number = |(row, &value): (usize, &i64)| {
                let name = usize::try_from(value).ok().and_then(|place| names.get(place));
                let place = planned.categories.iter().position(|listed| Some(listed) == name);
                place.map(|place| place as i64).ok_or_else(|| TextError::Unlisted {
                    row: row + 1,
                    column: column.name.clone(),
                    text: name.map_or_else(|| format!("text number {value}"), |text| shorten(text)),
                })
            };
            let values = values.iter().enumerate().map(number).collect::<Result<_, _>>()?;
            let values = ColumnValues::Categories { values, names: planned.categories.clone() };
            Ok(Column { name: column.name.clone(), values })
        };
        let columns = table.columns.iter().map(numbered).collect::<Result<_, _>>()?;
        Ok(Cow::Owned(Table { columns, rows: table.rows }))
    }
}
