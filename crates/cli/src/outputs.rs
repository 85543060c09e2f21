//! Results of a program: as JSON, as CSV, as lines for a reader, and held against the plain computation.

use std::fmt::Write;

use asanoha::{
    data::Table,
    execute::Decrypted,
    plan::Plan,
    precision::Precision,
    program::{Outputs, Shape},
};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// Rows of columns that a reader is shown.
const SHOWN_ROWS: usize = 5;
/// Larger numbers are shown as powers of ten.
const LONGEST: f64 = 1e15;

/// Whole numbers up to this are numbers in JSON, for all readers take those exactly: 2^53.
const LARGEST_JSON: u64 = 1 << 53;

/// One value of a result, as JSON has it. Exact results stay exact: those that JSON's readers would round are text,
/// the digits of a whole number or a fraction `p/q`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Number {
    Whole(i64),
    Exact(String),
    Real(f64),
}

impl Number {
    /// An exact value: its text, whether it's whole, and the nearest double.
    fn exact(text: String, whole: bool, real: f64) -> Self {
        match text.parse::<i64>() {
            Ok(word) if word.unsigned_abs() <= LARGEST_JSON => Self::Whole(word),
            // Most fractions have no double, but small ones lose little.
            _ if !whole && real.abs() <= LARGEST_JSON as f64 => Self::Real(real),
            _ => Self::Exact(text),
        }
    }

    fn text(&self, decimals: usize) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Exact(text) => text.clone(),
            Self::Real(value) if value.abs() >= LONGEST => format!("{value:.9e}"),
            Self::Real(value) => format!("{value:.decimals$}"),
        }
    }

    /// As many digits as it takes to read the same number back.
    fn full_text(&self) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Exact(text) => text.clone(),
            Self::Real(value) => value.to_string(),
        }
    }
}

/// One result.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    name: String,
    shape: Shape,
    values: Vec<Number>,
    /// Decimals that carry meaning.
    decimals: usize,
}

/// All results of a program, in its order.
#[derive(Clone, Debug)]
pub(crate) struct Results(Vec<Output>);

impl Serialize for Results {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for output in &self.0 {
            map.serialize_entry(&output.name, &output.values)?;
        }
        map.end()
    }
}

impl Results {
    pub(crate) fn new(plan: &Plan, decrypted: &Decrypted) -> Self {
        let bounds = resolutions(plan, decrypted);
        let output = |(at, (name, values)): (usize, &(String, asanoha::program::Values<f64>))| {
            let exact = decrypted.exact.as_ref().map(|exact| exact[at].1.as_slice());
            let number = |(row, &real): (usize, &f64)| {
                exact.map(|exact| &exact[row]).map_or(Number::Real(real), |exact| {
                    Number::exact(exact.to_string(), exact.is_integer(), real)
                })
            };
            let decimals = if bounds[at] > 0.0 { (1.0 - bounds[at].log10()).ceil() } else { 15.0 };
            Output {
                name: name.clone(),
                shape: values.shape(),
                values: values.as_slice().iter().enumerate().map(number).collect(),
                decimals: decimals.clamp(0.0, 15.0) as usize,
            }
        };
        Self(decrypted.outputs.iter().enumerate().map(output).collect())
    }

    /// A column for each output; numbers stand in the first row.
    pub(crate) fn csv(&self) -> String {
        let rows = self.0.iter().map(|output| output.values.len()).max().unwrap_or(0);
        let names: Vec<&str> = self.0.iter().map(|output| output.name.as_str()).collect();
        let mut text = names.join(",");
        text.push('\n');
        for row in 0..rows {
            let cell = |output: &Output| output.values.get(row).map_or_else(String::new, Number::full_text);
            text.push_str(&self.0.iter().map(cell).collect::<Vec<_>>().join(","));
            text.push('\n');
        }
        text
    }

    /// Columns by their first rows, numbers in full.
    pub(crate) fn lines(&self) -> String {
        let mut text = String::new();
        let (columns, numbers): (Vec<&Output>, Vec<&Output>) =
            self.0.iter().partition(|output| output.shape == Shape::Column);
        if let Some(first) = columns.first() {
            columns_table(&mut text, &columns, first.values.len());
        }
        let width = numbers.iter().map(|output| output.name.len()).max().unwrap_or(0);
        for output in numbers {
            let value = output.values[0].text(output.decimals);
            let _ = writeln!(text, "  {:width$} = {value}", output.name);
        }
        text
    }
}

fn columns_table(text: &mut String, columns: &[&Output], rows: usize) {
    let shown = rows.min(SHOWN_ROWS);
    let cells: Vec<Vec<String>> = columns
        .iter()
        .map(|column| column.values[..shown].iter().map(|value| value.text(column.decimals)).collect())
        .collect();
    let widths = columns.iter().zip(&cells).map(|(column, cells)| {
        cells.iter().map(String::len).chain([column.name.chars().count()]).max().unwrap_or(0)
    });
    let widths: Vec<usize> = widths.collect();
    let line = |text: &mut String, head: &str, cells: &mut dyn Iterator<Item = &str>| {
        let _ = write!(text, "  {head:>4}");
        for (cell, width) in cells.zip(&widths) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    };
    line(text, "row", &mut columns.iter().map(|column| column.name.as_str()));
    for row in 0..shown {
        line(text, &(row + 1).to_string(), &mut cells.iter().map(|cells| cells[row].as_str()));
    }
    if rows > shown {
        let _ = writeln!(text, "  … {} more", rows - shown);
    }
}

/// For each output, how far it may be off: what's below says nothing. 0 where it's exact.
fn resolutions(plan: &Plan, decrypted: &Decrypted) -> Vec<f64> {
    let Some(errors) = &decrypted.error_bounds else { return vec![0.0; decrypted.outputs.len()] };
    let planned = plan.prediction.precision_bits.map(|bits| error_bounds(plan, bits));
    let planned = planned.unwrap_or_else(|| vec![0.0; errors.len()]);
    planned.iter().zip(errors).map(|(planned, error)| planned.max(*error)).collect()
}

/// For each output, 2^−bits of the power of two that bounds its range, which is at least 1.
fn error_bounds(plan: &Plan, bits: f64) -> Vec<f64> {
    let ranges = plan.program.ranges(&plan.schema).unwrap_or_default();
    let bound = |(_, id): &(String, asanoha::program::NodeId)| {
        let largest = ranges.get(id.0).map_or(1.0, asanoha::program::Range::max_abs_f64);
        (largest.max(1.0).log2().ceil() - bits).exp2()
    };
    plan.program.outputs().iter().map(bound).collect()
}

/// For each output, the largest error that was asked for.
fn tolerances(plan: &Plan, precision: Precision) -> Vec<f64> {
    let ranges = plan.program.ranges(&plan.schema).unwrap_or_default();
    let outputs = plan.program.outputs().iter();
    outputs.map(|(_, id)| ranges.get(id.0).map_or(0.0, |range| precision.tolerance(range))).collect()
}

/// How results compare with the plain computation.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    /// Every value is exactly right.
    pub(crate) exact: bool,
    /// The largest difference.
    pub(crate) max_abs_error: f64,
    /// The largest difference over the size of the right value, where that isn't 0.
    pub(crate) max_rel_error: f64,
    /// The first output that is off by more than the plan allows: its name, its error, what is allowed.
    #[serde(skip)]
    pub(crate) broken: Option<(String, f64, f64)>,
}

impl Check {
    /// Compares exact results with exact ones, and others to the asked precision.
    pub(crate) fn new(
        plan: &Plan,
        table: &Table,
        decrypted: &Decrypted,
        precision: Precision,
    ) -> Result<Self, asanoha::program::EvaluationError> {
        let exact = match &decrypted.exact {
            Some(found) => Some(plan.program.evaluate_exact(table)?.as_ref() == Some(found)),
            None => None,
        };
        if exact == Some(true) {
            return Ok(Self { exact: true, max_abs_error: 0.0, max_rel_error: 0.0, broken: None });
        }
        let expected = plan.program.evaluate_real(table)?;
        let bounds = match exact {
            Some(_) => vec![0.0; expected.len()],
            None => tolerances(plan, precision),
        };
        Ok(Self::approximate(&expected, &decrypted.outputs, &bounds))
    }

    fn approximate(expected: &Outputs<f64>, found: &Outputs<f64>, bounds: &[f64]) -> Self {
        let mut check = Self { exact: false, max_abs_error: 0.0, max_rel_error: 0.0, broken: None };
        for (((name, expected), (_, found)), &bound) in expected.iter().zip(found).zip(bounds) {
            let mut largest = 0.0f64;
            for (expected, found) in expected.as_slice().iter().zip(found.as_slice()) {
                let error = (found - expected).abs();
                // What isn't a number is an error without bounds.
                let error = if error.is_nan() { f64::INFINITY } else { error };
                largest = largest.max(error);
                if *expected != 0.0 {
                    check.max_rel_error = check.max_rel_error.max(error / expected.abs());
                }
            }
            check.max_abs_error = check.max_abs_error.max(largest);
            if check.broken.is_none() && (largest > bound || bound == 0.0) {
                check.broken = Some((name.clone(), largest, bound));
            }
        }
        check
    }
}

#[cfg(test)]
mod tests {
    use asanoha::program::Values;

    use super::{Check, Number};

    fn check(found: f64, bound: f64) -> Check {
        let outputs = |value| vec![("y".to_owned(), Values::Column(vec![2.0, value]))];
        Check::approximate(&outputs(4.0), &outputs(found), &[bound])
    }

    #[test]
    fn exact_values_are_numbers_as_far_as_all_readers_take_them_exactly() {
        let json = |text: &str, real: f64| {
            let number = Number::exact(text.to_owned(), !text.contains('/'), real);
            serde_json::to_string(&number).unwrap()
        };
        assert_eq!(json("9007199254740992", 2f64.powi(53)), "9007199254740992");
        assert_eq!(json("-9007199254740992", -2f64.powi(53)), "-9007199254740992");
        assert_eq!(json("9007199254740993", 2f64.powi(53)), "\"9007199254740993\"");
        assert_eq!(json("1/4", 0.25), "0.25");
        assert_eq!(json("18014398509481985/2", 2f64.powi(53)), "9007199254740992.0");
        assert_eq!(json("36028797018963969/2", 2f64.powi(54)), "\"36028797018963969/2\"");
        let long = format!("1{}", "0".repeat(400));
        assert_eq!(json(&long, f64::INFINITY), format!("\"{long}\""));
    }

    #[test]
    fn errors_within_the_bound_pass_and_others_do_not() {
        let within = check(4.5, 0.5);
        assert!(within.broken.is_none());
        assert_eq!((within.max_abs_error, within.max_rel_error), (0.5, 0.125));
        assert_eq!(check(4.5, 0.25).broken, Some(("y".to_owned(), 0.5, 0.25)));
        assert!(check(f64::NAN, 0.25).broken.is_some());
    }

    #[test]
    fn what_should_be_exact_has_no_tolerance() {
        assert!(check(4.0 + 1e-15, 0.0).broken.is_some());
    }
}
