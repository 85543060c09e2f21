//! Dates in programs on data of which the public facts are given.

use asanoha_table::{ColumnSchema, Schema};

use crate::{
    dates::{Beside, Required},
    domain::ranges::RangeError,
    program::Program,
};

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

/// Refuses to compare dates with anything else: columns of dates with numbers or columns of numbers, and these with dates.
///
/// # Errors
/// The first comparison.
pub fn check_dates(program: &Program, schema: &Schema) -> Result<(), RangeError> {
    for Required { column, of, origin } in &program.dates.required {
        let Some(found) = schema.column(column) else { continue };
        let beside = match of {
            Beside::Column(other) => schema.column(other).map(|other| (other.date, Some(other))),
            Beside::Dates => Some((true, None)),
            Beside::Numbers => Some((false, None)),
        };
        let error = match beside {
            Some((true, _)) if !found.date => not_dates(found),
            Some((false, Some(other))) if found.date => not_dates(other),
            Some((false, None)) if found.date => RangeError::Dates { column: column.clone() },
            _ => continue,
        };
        return Err(error.at(Some(origin)));
    }
    Ok(())
}

fn not_dates(column: &ColumnSchema) -> RangeError {
    RangeError::NotDates { column: column.name.clone(), kind: column.to_string() }
}
