//! Dates in programs on data of which the public facts are given.

use asanoha_table::Schema;

use crate::{dates::Required, domain::ranges::RangeError, program::Program};

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
