//! What the client encrypts: columns, or views of them.

use asanoha_lang::{EvaluationError, Program, Range, evaluate_exact};
use asanoha_numeric::number;
use asanoha_table::{Column, ColumnValues, Table};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use serde::Serialize;

use super::VARIABLES;

/// An input of a circuit: a column, or what a small program makes of it in the clear, such as one of its digits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CircuitInput {
    /// The column.
    pub column: String,
    /// A program of one result, whose only column is the first of [`VARIABLES`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<Program>,
}

impl CircuitInput {
    /// A column as it is.
    pub fn column(name: impl Into<String>) -> Self {
        Self { column: name.into(), view: None }
    }

    /// What is encrypted, of a column's values; `None` if the view has other values than one whole number for each.
    pub fn values(&self, values: &ColumnValues) -> Result<Option<ColumnValues>, EvaluationError> {
        let Some(view) = &self.view else { return Ok(Some(values.clone())) };
        let rows = values.len();
        let column = Column { name: VARIABLES[0].to_owned(), values: values.clone() };
        let outputs = evaluate_exact(view, &Table { columns: vec![column], rows })?;
        let words = outputs.and_then(|outputs| {
            let [(_, output)] = outputs.as_slice() else { return None };
            let word =
                |value: &BigRational| value.is_integer().then(|| value.to_integer().to_i64()).flatten();
            output.as_slice().iter().map(word).collect::<Option<Vec<i64>>>()
        });
        Ok(words.filter(|words| words.len() == rows).map(ColumnValues::Whole))
    }
}

/// What real columns are divided by before they're encrypted, so that they fill [−1, 1]: the power of two that bounds
/// their range.
pub(crate) fn input_factor(range: &Range) -> BigRational {
    number::power_of_two(range.log2_bound().unwrap_or(0))
}

/// A column divided by its factor, and the bound of what is then encrypted.
pub fn scaled_input(values: &ColumnValues, range: &Range) -> (Vec<f64>, f64) {
    let factor = input_factor(range);
    let power = range.log2_bound().unwrap_or(0);
    let scaled = match values {
        ColumnValues::Integers(values) => {
            values.iter().map(|value| number::to_f64(&(BigRational::from(value.clone()) / &factor))).collect()
        }
        values => {
            values.to_real().into_iter().map(|value| number::times_power_of_two(value, -power)).collect()
        }
    };
    (scaled, number::to_f64(&(range.max_abs() / factor)))
}

/// The inputs' names in messages and files: a column's own, and with a number for each of its views.
pub fn input_names(inputs: &[CircuitInput]) -> Vec<String> {
    let name = |(at, input): (usize, &CircuitInput)| {
        if input.view.is_none() {
            return input.column.clone();
        }
        let of_column = |other: &&CircuitInput| other.column == input.column && other.view.is_some();
        format!("{}:{}", input.column, inputs[..at].iter().filter(of_column).count())
    };
    inputs.iter().enumerate().map(name).collect()
}
