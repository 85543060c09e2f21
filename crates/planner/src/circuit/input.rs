//! What the client encrypts: columns, or views of them.

use num_traits::ToPrimitive;
use serde::Serialize;

use super::VARIABLES;
use crate::{
    data::{Column, ColumnValues, Table},
    program::{EvaluationError, Program},
};

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
        let outputs = view.evaluate_exact(&Table { columns: vec![column], rows })?;
        let words = outputs.and_then(|outputs| {
            let [(_, output)] = outputs.as_slice() else { return None };
            let word = |value: &num_rational::BigRational| {
                value.is_integer().then(|| value.to_integer().to_i64()).flatten()
            };
            output.as_slice().iter().map(word).collect::<Option<Vec<i64>>>()
        });
        Ok(words.filter(|words| words.len() == rows).map(ColumnValues::Whole))
    }
}

/// The inputs' names in messages and files: a column's own, and with a number for each of its views.
pub(crate) fn input_names(inputs: &[CircuitInput]) -> Vec<String> {
    let name = |(at, input): (usize, &CircuitInput)| {
        if input.view.is_none() {
            return input.column.clone();
        }
        let of_column = |other: &&CircuitInput| other.column == input.column && other.view.is_some();
        format!("{}:{}", input.column, inputs[..at].iter().filter(of_column).count())
    };
    inputs.iter().enumerate().map(name).collect()
}
