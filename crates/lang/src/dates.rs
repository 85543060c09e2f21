//! Dates in programs, which are whole numbers of days in all that is computed.

use asanoha_table::Schema;

use crate::{RangeError, origin::Origin, program::Program};

/// The dates of a program's text; programs of files and of builders have none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dates {
    /// The columns that must be of dates, or must not.
    pub(crate) required: Vec<Required>,
    /// Results that are dates if all of some columns are of dates.
    pub(crate) results: Vec<(String, Vec<String>)>,
}

/// A column that is compared.
#[derive(Debug, Clone)]
pub(crate) struct Required {
    pub(crate) column: String,
    /// True if it's compared with dates, and false with other numbers.
    pub(crate) is_date: bool,
    pub(crate) origin: Origin,
}

/// Programs are the same in which the same is computed.
impl PartialEq for Dates {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Dates {}

/// The results of a program that are dates on data of a schema.
///
/// ```
/// use asanoha_lang::{Program, date_results};
/// use asanoha_table::{Data, Reading};
///
/// let program = Program::parse("due = day + 30\nage = 2026-11-29 - day")?;
/// let data = Data::from_reader("day\n2026-01-31\n".as_bytes(), "t.csv", &["day"], &Reading::default())?;
/// let schema = data.schema(&[])?;
/// assert_eq!(date_results(&program, &schema), ["due"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn date_results(program: &Program, schema: &Schema) -> Vec<String> {
    let is_date = |column: &String| schema.column(column).is_some_and(|column| column.date);
    let results =
        program.dates.results.iter().filter(|(result, columns)| {
            columns.iter().all(is_date) && program.result_names().contains(result)
        });
    results.map(|(result, _)| result.clone()).collect()
}

/// Refuses to compare dates with columns of other numbers, and columns of dates with other numbers.
///
/// # Errors
/// The first comparison.
pub fn check_dates(program: &Program, schema: &Schema) -> Result<(), RangeError> {
    for Required { column, is_date, origin } in &program.dates.required {
        let Some(found) = schema.column(column).filter(|found| found.date != *is_date) else { continue };
        let column = column.clone();
        let error = if *is_date {
            RangeError::NotDates { column, kind: found.to_string() }
        } else {
            RangeError::Dates { column }
        };
        return Err(error.at(Some(origin)));
    }
    Ok(())
}
