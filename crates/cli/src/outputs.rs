//! Results of a program: as JSON, as CSV, as lines for a human reader, and compared with the plain computation.

use std::{collections::BTreeMap, fmt::Write};

use asanoha::{
    data::Table,
    execute::{Decrypted, ExecuteError},
    plan::{Plan, SchemeParams},
    precision::Precision,
    program::{Outputs, Shape, Values, parse_number},
};
use num_rational::BigRational;
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::report::{self, Lines};

/// The number of rows of columns that are shown to a human reader.
const SHOWN_ROWS: usize = 5;
/// The characters of a line where nothing says how many there are.
const TEXT_WIDTH: usize = 100;
/// Digits of a double that are those of the decimal that it stands for.
const EXACT_DIGITS: usize = 15;
/// Results with more meaningful decimals are shown in powers of ten, as larger numbers are.
const MOST_DECIMALS: usize = 15;
/// Larger numbers are shown in powers of ten.
const LONGEST: f64 = 1e15;

/// The largest whole number that is a number in JSON, 2^53: up to there, all readers take numbers exactly.
const LARGEST_JSON: u64 = 1 << 53;

/// One value of a result, as JSON has it. Exact results stay exact: those that readers of JSON would round are text,
/// either the digits of a whole number or a fraction `p/q`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Number {
    Whole(i64),
    Exact(String),
    Real(f64),
    Fraction(Fraction),
    /// There is none: null. In a row that was left out, or for these data.
    Missing,
}

/// A fraction that differs from the double that its decimal text would be read as.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fraction {
    /// The fraction as `p/q`.
    text: String,
    /// The nearest double.
    real: f64,
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl Number {
    /// An exact value, and the nearest double.
    fn exact(value: &BigRational, real: f64) -> Self {
        let text = value.to_string();
        match text.parse::<i64>() {
            Ok(word) if word.unsigned_abs() <= LARGEST_JSON => Self::Whole(word),
            _ if value.is_integer() => Self::Exact(text),
            // If the decimal digits of the double are the value itself, the double is exact.
            _ if is_written_as(value, real) => Self::Real(real),
            _ => Self::Fraction(Fraction { text, real }),
        }
    }

    fn text(&self, decimals: usize) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Exact(text) => text.clone(),
            Self::Missing => "none".to_owned(),
            // A fraction above all doubles has only its text.
            Self::Fraction(Fraction { text, real }) if !real.is_finite() => text.clone(),
            Self::Real(value) | Self::Fraction(Fraction { real: value, .. }) => {
                if value.abs() >= LONGEST || decimals > MOST_DECIMALS {
                    format!("{value:.9e}")
                } else {
                    // Beyond its own places, a double has digits of its own.
                    let own = decimals.min(self.places());
                    let mut text = format!("{value:.own$}");
                    // Nobody knows that what follows of a fraction are zeros.
                    if own < decimals && matches!(self, Self::Real(_)) {
                        text += if own == 0 { "." } else { "" };
                        text.extend(std::iter::repeat_n('0', decimals - own));
                    }
                    text
                }
            }
        }
    }

    /// The places of a decimal after the point, and of a fraction as many as a double has digits for.
    fn places(&self) -> usize {
        match self {
            Self::Real(value) => value.to_string().split_once('.').map_or(0, |(whole, places)| {
                let is_below_one = whole.trim_start_matches('-') == "0";
                let zeros = places.len() - places.trim_start_matches('0').len();
                places.len().min(if is_below_one { zeros } else { 0 } + EXACT_DIGITS)
            }),
            Self::Fraction(Fraction { real, .. }) => {
                EXACT_DIGITS.saturating_sub(format!("{:.0}", real.abs().trunc()).len())
            }
            Self::Whole(_) | Self::Exact(_) | Self::Missing => 0,
        }
    }

    /// The number with as many digits as reading the same number back takes.
    fn full_text(&self) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Exact(text) | Self::Fraction(Fraction { text, .. }) => text.clone(),
            Self::Real(value) => value.to_string(),
            Self::Missing => String::new(),
        }
    }
}

/// The decimals that exact values are shown with: all places of decimals, and of fractions as many as a double has digits for.
fn exact_decimals(numbers: &[Number]) -> usize {
    numbers.iter().map(Number::places).max().unwrap_or(0)
}

/// Whether the shortest text of a double, read as a decimal, is equal to a value.
fn is_written_as(value: &BigRational, real: f64) -> bool {
    parse_number(&real.to_string()).as_ref() == Some(value)
}

/// One result.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    name: String,
    shape: Shape,
    values: Vec<Number>,
    /// The number of meaningful decimals.
    decimals: usize,
    /// What stands beside the value for a reader: how far it may be off, where that isn't what was asked for, or why it's missing.
    note: Option<String>,
    /// Why there's no value.
    missing: Option<String>,
}

/// Doubles have more digits than are shown of a value that's off by less than this part of it.
const SHOWN_PART: f64 = 1e-13;

/// All results of a program, in the program's order.
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
        let shown = plan.program.shown_outputs().len();
        let results = plan.program.finished().iter().map(|finished| finished.results.len());
        let finished = shown..shown + results.sum::<usize>();
        let output = |(at, (name, values)): (usize, &(String, Values<f64>))| {
            let exact = decrypted.exact.as_ref().map(|exact| exact[at].1.as_slice());
            let number = |(row, &real): (usize, &f64)| {
                exact.map(|exact| &exact[row]).map_or(Number::Real(real), |exact| Number::exact(exact, real))
            };
            let missing = match values {
                Values::Missing(reason) => Some(reason.clone()),
                _ => None,
            };
            let numbers: Vec<Number> = values.as_slice().iter().enumerate().map(number).collect();
            let (mut bound, mut note) = (bounds[at], missing.clone());
            if finished.contains(&at) && bound > 0.0 {
                note = Some(format!("± {bound:.1e}"));
                bound = bound.max(values.as_slice().first().map_or(0.0, |value| SHOWN_PART * value.abs()));
            }
            let decimals = if bound > 0.0 {
                (1.0 - bound.log10()).ceil().clamp(0.0, 400.0) as usize
            } else {
                exact_decimals(&numbers)
            };
            Output {
                name: name.clone(),
                shape: values.shape(),
                values: numbers.into_iter().chain(missing.as_ref().map(|_| Number::Missing)).collect(),
                decimals,
                note,
                missing,
            }
        };
        Self(decrypted.outputs.iter().enumerate().map(output).collect())
    }

    /// The same with gaps in columns where rows, from 0 and in their order, were left out.
    pub(crate) fn with_gaps(mut self, left_out: &[usize]) -> Self {
        for output in self.0.iter_mut().filter(|output| output.shape == Shape::Column) {
            let rows = output.values.len() + left_out.len();
            let mut values = std::mem::take(&mut output.values).into_iter();
            let mut gaps = left_out.iter().peekable();
            let row =
                |row: usize| gaps.next_if_eq(&&row).map_or_else(|| values.next(), |_| Some(Number::Missing));
            output.values = (0..rows).filter_map(row).collect();
        }
        self
    }

    /// The outputs that have no value for these data, and why.
    pub(crate) fn missing(&self) -> BTreeMap<String, String> {
        let missing = self.0.iter().filter_map(|output| Some((output.name.clone(), output.missing.clone()?)));
        missing.collect()
    }

    /// One column for each output; an output that is one number is in the first row.
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

    /// The first rows of columns, and numbers in full.
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
            let note = output.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
            let _ = writeln!(text, "  {:width$} = {value}{note}", output.name);
        }
        text
    }
}

/// The first rows of columns, side by side as far as lines are long, and the others below.
fn columns_table(text: &mut String, columns: &[&Output], rows: usize) {
    let shown = rows.min(SHOWN_ROWS);
    let numbers: Vec<String> = (1..=shown).map(|row| row.to_string()).collect();
    let cells = |column: &&Output| {
        let values = column.values[..shown].iter().map(|value| value.text(column.decimals));
        let cells: Vec<String> = std::iter::once(column.name.clone()).chain(values).collect();
        let width = cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        (width, cells)
    };
    let columns: Vec<(usize, Vec<String>)> = columns.iter().map(cells).collect();
    let most = report::width().unwrap_or(TEXT_WIDTH);
    let mut rest = &columns[..];
    while !rest.is_empty() {
        // "  " and four characters of a number of a row stand before.
        let ends = rest.iter().scan(6, |end, (width, _)| {
            *end += 2 + width;
            Some(*end)
        });
        let fitting = ends.take_while(|end| *end <= most).count().max(1);
        let (beside, below) = rest.split_at(fitting);
        for row in 0..=shown {
            let head = if row == 0 { "row" } else { &numbers[row - 1] };
            let _ = write!(text, "  {head:>4}");
            for (width, cells) in beside {
                let _ = write!(text, "  {:>width$}", cells[row]);
            }
            text.push('\n');
        }
        rest = below;
    }
    if rows > shown {
        let _ = writeln!(text, "  … {} more", rows - shown);
    }
}

/// The error bound of each output, below which digits have no meaning; 0 if it's exact, or as good as.
fn resolutions(plan: &Plan, decrypted: &Decrypted) -> Vec<f64> {
    let (Some(errors), SchemeParams::Ckks(params)) = (&decrypted.error_bounds, &plan.params) else {
        return vec![0.0; decrypted.outputs.len()];
    };
    let shown = plan.program.shown_outputs().len();
    // What's finished and constants aren't planned.
    let planned = plan.circuit.output_errors(params).into_iter().take(shown).chain(std::iter::repeat(0.0));
    let largest = |values: &[f64]| values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let resolution = |((planned, &error), (_, values)): ((f64, &f64), &(String, Values<f64>))| {
        // What was rounded to a whole multiple of a fraction is exact but for what doubles round.
        if error <= f64::EPSILON * largest(values.as_slice()) { 0.0 } else { planned.max(error) }
    };
    planned.zip(errors).zip(&decrypted.outputs).map(resolution).collect()
}

/// The largest error that was asked for, of each output; nothing is asked of finished ones, which state their error.
fn tolerances(plan: &Plan, decrypted: &Decrypted, precision: Precision) -> Vec<f64> {
    let ranges = plan.program.ranges(&plan.schema).unwrap_or_default();
    let outputs = plan.program.shown_outputs().iter();
    let computed = outputs.map(|(_, id)| ranges.get(id.0).map_or(0.0, |range| precision.tolerance(range)));
    let bounds = decrypted.error_bounds.iter().flatten().copied();
    // Results of columns less a constant may be nearer than doubles are to each other.
    let largest = |values: &[f64]| values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let rounded = decrypted.outputs.iter().map(|(_, values)| f64::EPSILON * largest(values.as_slice()));
    let computed = computed.zip(rounded).map(|(tolerance, rounded)| tolerance + rounded);
    let stated = bounds.skip(plan.program.shown_outputs().len());
    computed.chain(stated).collect()
}

/// Whether every result is as near as the plan's precision asks, which a result that's published may not be.
pub(crate) fn within_precision(plan: &Plan, decrypted: &Decrypted) -> bool {
    let errors = decrypted.error_bounds.iter().flatten().take(plan.program.shown_outputs().len());
    errors.zip(tolerances(plan, decrypted, plan.precision)).all(|(error, tolerance)| *error <= tolerance)
}

/// How far each published result may be off, as lines.
pub(crate) fn error_lines(lines: &mut Lines, plan: &Plan, decrypted: &Decrypted) {
    let errors = decrypted.outputs.iter().zip(decrypted.error_bounds.iter().flatten());
    // What's missing has none.
    for ((name, _), error) in errors.filter(|(_, error)| !error.is_nan()) {
        lines.line("error", format_args!("{name} is off by at most {error:.2e}"));
    }
    if !within_precision(plan, decrypted) {
        let precision = plan.precision;
        let why =
            "the plan leaves no room for this publication; plan with --publish for the first under a key";
        lines.line("", format_args!("which is more than the {precision} asked: {why}"));
    }
}

/// A result whose error is larger than promised.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Broken {
    pub(crate) output: String,
    /// The first such row, counted from 1; `None` for an output that is one number.
    pub(crate) row: Option<usize>,
    pub(crate) error: f64,
    pub(crate) allowed: f64,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { output, row, error, allowed } = self;
        write!(f, "output `{output}`")?;
        if let Some(row) = row {
            write!(f, ", row {row},")?;
        }
        write!(f, " is off by {error:.3e}, and {allowed:.3e} is allowed")
    }
}

/// The comparison of results with the plain computation.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    /// Whether every value is exactly right.
    pub(crate) exact: bool,
    /// The largest difference.
    pub(crate) max_abs_error: f64,
    /// The largest difference divided by the magnitude of the right value, over values other than 0.
    pub(crate) max_rel_error: f64,
    /// The first value whose error is larger than the plan allows.
    #[serde(skip)]
    pub(crate) broken: Option<Broken>,
}

impl Check {
    /// Compares exact results with exact values, and others to the precision that was asked for, row by row.
    pub(crate) fn new(
        plan: &Plan,
        table: &Table,
        decrypted: &Decrypted,
        precision: Precision,
    ) -> Result<Self, ExecuteError> {
        let exact = match &decrypted.exact {
            Some(found) => Some(plan.evaluate_exact(table)?.as_ref() == Some(found)),
            None => None,
        };
        if exact == Some(true) {
            return Ok(Self { exact: true, max_abs_error: 0.0, max_rel_error: 0.0, broken: None });
        }
        let expected = plan.evaluate_real(table)?;
        let bounds = match exact {
            // Doubles may agree where exact values don't.
            Some(_) => vec![-1.0; expected.len()],
            None => tolerances(plan, decrypted, precision),
        };
        Ok(Self::approximate(&expected, &decrypted.outputs, &bounds))
    }

    fn approximate(expected: &Outputs<f64>, found: &Outputs<f64>, bounds: &[f64]) -> Self {
        let mut check = Self { exact: false, max_abs_error: 0.0, max_rel_error: 0.0, broken: None };
        for (((name, expected), (_, found)), &allowed) in expected.iter().zip(found).zip(bounds) {
            let column = expected.shape() == Shape::Column;
            // Where the error leaves no result, none is promised; what's exact is there or it isn't.
            let (is_due, is_there) = (!expected.as_slice().is_empty(), !found.as_slice().is_empty());
            if check.broken.is_none() && is_due != is_there && (is_there || allowed < 0.0) {
                let (output, error) = (name.clone(), f64::INFINITY);
                check.broken = Some(Broken { output, row: None, error, allowed: 0.0 });
            }
            for (row, (expected, found)) in expected.as_slice().iter().zip(found.as_slice()).enumerate() {
                let error = (found - expected).abs();
                // NaN counts as an infinite error.
                let error = if error.is_nan() { f64::INFINITY } else { error };
                check.max_abs_error = check.max_abs_error.max(error);
                if *expected != 0.0 {
                    check.max_rel_error = check.max_rel_error.max(error / expected.abs());
                }
                if check.broken.is_none() && error > allowed {
                    let (output, row) = (name.clone(), column.then_some(row + 1));
                    check.broken = Some(Broken { output, row, error, allowed: allowed.max(0.0) });
                }
            }
        }
        check
    }
}

#[cfg(test)]
mod tests {
    use super::{Broken, Check, Number, Values, exact_decimals, parse_number};

    fn check(found: f64, bound: f64) -> Check {
        let outputs = |value| vec![("y".to_owned(), Values::Column(vec![2.0, value]))];
        Check::approximate(&outputs(4.0), &outputs(found), &[bound])
    }

    #[test]
    fn exact_values_are_numbers_as_far_as_their_digits_are_exact() {
        let json = |text: &str, real: f64| {
            let value = parse_number(text).unwrap();
            serde_json::to_string(&Number::exact(&value, real)).unwrap()
        };
        assert_eq!(json("9007199254740992", 2f64.powi(53)), "9007199254740992");
        assert_eq!(json("-9007199254740992", -2f64.powi(53)), "-9007199254740992");
        assert_eq!(json("9007199254740993", 2f64.powi(53)), "\"9007199254740993\"");
        assert_eq!(json("1/4", 0.25), "0.25");
        assert_eq!(json("-1/10", -0.1), "-0.1");
        assert_eq!(json("4503599627370497/2", 2_251_799_813_685_248.5), "2251799813685248.5");
        // The nearest double is 4503599627370496.
        assert_eq!(json("9007199254740993/2", 2f64.powi(52)), "\"9007199254740993/2\"");
        assert_eq!(json("10/3", 10.0 / 3.0), "\"10/3\"");
        assert_eq!(json("18014398509481985/2", 2f64.powi(53)), "\"18014398509481985/2\"");
        assert_eq!(json("36028797018963969/2", 2f64.powi(54)), "\"36028797018963969/2\"");
        let long = format!("1{}", "0".repeat(400));
        assert_eq!(json(&long, f64::INFINITY), format!("\"{long}\""));
        assert_eq!(json(&format!("{long}1/3"), f64::INFINITY), format!("\"{long}1/3\""));
    }

    #[test]
    fn readers_see_decimals_and_files_hold_exact_values() {
        let number = Number::exact(&parse_number("10/3").unwrap(), 10.0 / 3.0);
        assert_eq!((number.text(6), number.full_text()), ("3.333333".to_owned(), "10/3".to_owned()));
        assert_eq!(Number::Real(1.5e-20).text(30), "1.500000000e-20");
    }

    #[test]
    fn exact_values_are_shown_with_their_own_places_and_no_digits_of_doubles() {
        let shown = |values: &[(&str, f64)]| -> Vec<String> {
            let number = |(text, real): &(&str, f64)| Number::exact(&parse_number(text).unwrap(), *real);
            let numbers: Vec<Number> = values.iter().map(number).collect();
            let decimals = exact_decimals(&numbers);
            numbers.iter().map(|number| number.text(decimals)).collect()
        };
        assert_eq!(shown(&[("420531.15", 420_531.15)]), ["420531.15"]);
        assert_eq!(shown(&[("12.5", 12.5), ("3", 3.0), ("-0.25", -0.25)]), ["12.50", "3", "-0.25"]);
        assert_eq!(shown(&[("10/3", 10.0 / 3.0)]), ["3.33333333333333"]);
        assert_eq!(shown(&[("1000000/3", 1e6 / 3.0)]), ["333333.333333333"]);
        let beside = [("420531.15", 420_531.15), ("1/3", 1.0 / 3.0), ("1000000/3", 1e6 / 3.0)];
        assert_eq!(shown(&beside), ["420531.15000000000000", "0.33333333333333", "333333.333333333"]);
        let beside = [("0.00000001", 1e-8), ("99998000.01", 99_998_000.01), ("-0.5", -0.5)];
        assert_eq!(shown(&beside), ["0.00000001", "99998000.01000000", "-0.50000000"]);
        assert_eq!(shown(&[("7", 7.0)]), ["7"]);
        let real = |value: f64| Number::Real(value).text(exact_decimals(&[Number::Real(value)]));
        assert_eq!(real(1.0 / 3.0), "0.333333333333333");
        assert_eq!([real(419_409.93), real(1.5e-20), real(0.0)], ["419409.93", "1.500000000e-20", "0"]);
    }

    #[test]
    fn errors_within_the_bound_pass_and_others_do_not() {
        let within = check(4.5, 0.5);
        assert!(within.broken.is_none());
        assert_eq!((within.max_abs_error, within.max_rel_error), (0.5, 0.125));
        let broken = Broken { output: "y".to_owned(), row: Some(2), error: 0.5, allowed: 0.25 };
        assert_eq!(check(4.5, 0.25).broken, Some(broken.clone()));
        assert_eq!(broken.to_string(), "output `y`, row 2, is off by 5.000e-1, and 2.500e-1 is allowed");
        assert!(check(f64::NAN, 0.25).broken.is_some());
        assert!(check(4.0, 0.0).broken.is_none());
    }

    #[test]
    fn what_should_be_exact_has_no_tolerance() {
        assert!(check(4.0 + 1e-15, -1.0).broken.is_some());
        assert!(check(4.0, -1.0).broken.is_some());
    }

    #[test]
    fn only_what_an_error_hides_may_be_missing() {
        let there = vec![("y".to_owned(), Values::Number(2.0))];
        let missing = vec![("y".to_owned(), Values::Missing("why".to_owned()))];
        let broken = |expected, found, bound| Check::approximate(expected, found, &[bound]).broken.is_some();
        assert!(!broken(&missing, &missing, f64::NAN) && !broken(&missing, &missing, -1.0));
        assert!(!broken(&there, &missing, f64::NAN));
        assert!(broken(&there, &missing, -1.0) && broken(&missing, &there, 0.5));
    }
}
