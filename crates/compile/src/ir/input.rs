//! What the client encrypts: columns, or views of them.

use std::borrow::Cow;

use asanoha_lang::{EvaluationError, Program, Range, evaluate_exact};
use asanoha_numeric::number;
use asanoha_table::{Column, ColumnValues, Table};
use num_bigint::BigInt;
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

    /// The values that are encrypted, of a column's values; `None` if the view has other values than one whole number for each.
    ///
    /// A view of real numbers takes each for the decimal number that is written for it, 0.57 and not its double: constants of programs
    /// are such, too.
    ///
    /// # Errors
    /// The faults of the plain computation of the view.
    pub fn values(&self, values: &ColumnValues) -> Result<Option<ColumnValues>, EvaluationError> {
        let Some(view) = &self.view else { return Ok(Some(values.clone())) };
        let rows = values.len();
        let Some(values) = exact(values) else { return Ok(None) };
        let column = Column { name: VARIABLES[0].to_owned(), values: values.into_owned() };
        let outputs = evaluate_exact(view, &Table { columns: vec![column], rows })?;
        let numbers = outputs.and_then(|outputs| {
            let [(_, output)] = outputs.as_slice() else { return None };
            let whole = |value: &BigRational| value.is_integer().then(|| value.to_integer());
            output.as_slice().iter().map(whole).collect::<Option<Vec<BigInt>>>()
        });
        let numbers = numbers.filter(|numbers| numbers.len() == rows);
        let words =
            |numbers: &[BigInt]| numbers.iter().map(ToPrimitive::to_i64).collect::<Option<Vec<i64>>>();
        Ok(numbers.map(|numbers| match words(&numbers) {
            Some(words) => ColumnValues::Whole(words),
            None => ColumnValues::Integers(numbers),
        }))
    }

    /// The range of the values that are encrypted, of a column in a range. Views are conditions here: schemes with slots of whole
    /// numbers, which have others too, take ranges from their graphs.
    pub fn range<'a>(&self, column: &'a Range) -> Cow<'a, Range> {
        if self.view.is_some() {
            Cow::Owned(Range::whole(0, 1).expect("in order"))
        } else {
            Cow::Borrowed(column)
        }
    }
}

/// A column's values as exact numbers: of real ones, the decimal numbers that are written for them. `None` where one is no number.
fn exact(values: &ColumnValues) -> Option<Cow<'_, ColumnValues>> {
    let ColumnValues::Real(values) = values else { return Some(Cow::Borrowed(values)) };
    let decimals = values.iter().map(|&value| decimal(value)).collect::<Option<Vec<_>>>()?;
    let places = decimals.iter().map(|(_, places)| *places).max().unwrap_or(0);
    let ten = BigInt::from(10);
    let values: Vec<BigInt> =
        decimals.into_iter().map(|(digits, of)| digits * ten.clone().pow(places - of)).collect();
    let words = values.iter().map(ToPrimitive::to_i64).collect::<Option<Vec<i64>>>();
    Some(Cow::Owned(match words {
        Some(values) => ColumnValues::Decimal { values, places },
        None => ColumnValues::WideDecimal { values, places },
    }))
}

/// The shortest decimal number that a double is written as: its digits, and its places after the point.
fn decimal(value: f64) -> Option<(BigInt, u32)> {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let places = i64::try_from(fraction.len()).ok()? - exponent.parse::<i64>().ok()?;
    let zeros = u32::try_from(-places).unwrap_or(0);
    Some((digits * BigInt::from(10).pow(zeros), u32::try_from(places).unwrap_or(0)))
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
