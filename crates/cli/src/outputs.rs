//! Results of a program: as JSON, as CSV, and as lines for a human reader.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
};

use asanoha::{
    advice::Advised,
    execute::Decrypted,
    plan::Plan,
    program::{Shape, Values, parse_number},
    report::{bound_text, error_bounds},
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    error::{Failure, words},
    report,
};

/// The number of rows of columns that are shown to a human reader.
const SHOWN_ROWS: usize = 5;
/// The characters of a line where nothing says how many there are.
const TEXT_WIDTH: usize = 100;
/// The most decimals that an exact value is shown with.
const LONGEST_DECIMALS: usize = 60;
/// The fewest decimals of a fraction that has more than are shown.
const FEWEST_DECIMALS: usize = 3;
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
    /// Its decimals: all of them, or, where there are more, the first ones and `…`.
    decimals: String,
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
            _ => Self::Fraction(Fraction { text, decimals: decimals(value) }),
        }
    }

    /// A value of so many meaningful decimals, without the digits beyond.
    fn rounded(&self, decimals: usize) -> Self {
        match self {
            Self::Real(value) if value.abs() < LONGEST && decimals <= MOST_DECIMALS => {
                Self::Real(self.text(decimals).parse().unwrap_or(*value))
            }
            other => other.clone(),
        }
    }

    fn text(&self, decimals: usize) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Exact(text) => text.clone(),
            Self::Missing => "none".to_owned(),
            Self::Fraction(Fraction { decimals, .. }) => decimals.clone(),
            Self::Real(value) => {
                if value.abs() >= LONGEST || decimals > MOST_DECIMALS {
                    format!("{value:.9e}")
                } else {
                    // Beyond its own places, a double has digits of its own.
                    let own = decimals.min(self.places());
                    let mut text = format!("{value:.own$}");
                    if own < decimals {
                        text += if own == 0 { "." } else { "" };
                        text.extend(std::iter::repeat_n('0', decimals - own));
                    }
                    text
                }
            }
        }
    }

    /// The places of a decimal after the point.
    fn places(&self) -> usize {
        match self {
            Self::Real(value) => value.to_string().split_once('.').map_or(0, |(whole, places)| {
                let is_below_one = whole.trim_start_matches('-') == "0";
                let zeros = places.len() - places.trim_start_matches('0').len();
                places.len().min(if is_below_one { zeros } else { 0 } + EXACT_DIGITS)
            }),
            Self::Whole(_) | Self::Exact(_) | Self::Fraction(_) | Self::Missing => 0,
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

/// A fraction's decimals: all of them, where they end after [`LONGEST_DECIMALS`] at most, or else the first ones and `…`, as many
/// as a double has digits for, and no fewer than three.
fn decimals(value: &BigRational) -> String {
    let is_ended =
        |places: usize| (value * BigRational::from(BigInt::from(10).pow(places as u32))).is_integer();
    let all = (1..=LONGEST_DECIMALS).find(|&places| is_ended(places));
    let whole = value.abs().to_integer().to_string();
    let zeros = || {
        let small = (1..LONGEST_DECIMALS).find(|&places| {
            (value.abs() * BigRational::from(BigInt::from(10).pow(places as u32))).to_integer().is_positive()
        });
        small.unwrap_or(LONGEST_DECIMALS) - 1
    };
    let first = match whole.as_str() {
        "0" => zeros() + EXACT_DIGITS,
        digits => EXACT_DIGITS.saturating_sub(digits.len()).max(FEWEST_DECIMALS),
    };
    let places = all.unwrap_or(first);
    let scaled =
        (value.abs() * BigRational::from(BigInt::from(10).pow(places as u32))).to_integer().to_string();
    let digits = format!("{scaled:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if value.is_negative() { "-" } else { "" };
    let more = if all.is_some() { "" } else { "…" };
    format!("{sign}{whole}.{fraction}{more}")
}

/// The decimals that exact values are shown with, but for fractions, which have their own.
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
    /// What stands beside every value for a reader: how far it may be off as it's shown. 0 if it's exact.
    bound: f64,
    /// Why there's no value.
    missing: Option<String>,
}

impl Output {
    /// Chooses the decimals that an error bound leaves meaningful, and the bound of what is shown with them.
    fn resolve(&mut self, bound: f64) {
        if bound > 0.0 {
            let own = match self.values.first() {
                Some(Number::Real(value)) if self.shape == Shape::Number => SHOWN_PART * value.abs(),
                _ => 0.0,
            };
            self.decimals = (1.0 - bound.max(own).log10()).ceil().clamp(0.0, 400.0) as usize;
            let cut = |value: &Number| match value {
                Number::Real(real) => (value.text(self.decimals).parse().unwrap_or(*real) - real).abs(),
                _ => 0.0,
            };
            self.bound = bound + self.values.iter().map(cut).fold(0.0, f64::max);
        } else {
            self.decimals = exact_decimals(&self.values);
        }
        if bound > 0.0 {
            self.values.iter_mut().for_each(|value| *value = value.rounded(self.decimals));
        }
        // In the place of a value that there isn't.
        self.values.extend(self.missing.as_ref().map(|_| Number::Missing));
    }

    /// A value for a reader, with how far it may be off.
    fn text(&self, value: &Number) -> String {
        let text = value.text(self.decimals);
        match value {
            Number::Real(_) if self.bound > 0.0 => format!("{text} ± {}", bound_text(self.bound)),
            _ => text,
        }
    }
}

/// Doubles have more digits than are shown of a value that's off by less than this part of it.
const SHOWN_PART: f64 = 1e-13;

/// All results of a program, in the program's order.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    outputs: Vec<Output>,
    are_exact: bool,
}

impl Serialize for Results {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.outputs.len()))?;
        for output in &self.outputs {
            map.serialize_entry(&output.name, &output.values)?;
        }
        map.end()
    }
}

impl Results {
    pub(crate) fn new(plan: &Plan, decrypted: &Decrypted) -> Self {
        let bounds = error_bounds(plan, decrypted);
        let output = |(at, (name, values)): (usize, &(String, Values<f64>))| {
            let exact = decrypted.exact.as_ref().map(|exact| exact[at].1.as_slice());
            let number = |(row, &real): (usize, &f64)| {
                exact.map(|exact| &exact[row]).map_or(Number::Real(real), |exact| Number::exact(exact, real))
            };
            let missing = match values {
                Values::Missing(reason) => Some(reason.in_words(words)),
                _ => None,
            };
            let numbers: Vec<Number> = values.as_slice().iter().enumerate().map(number).collect();
            let mut output = Output {
                name: name.clone(),
                shape: values.shape(),
                values: numbers,
                decimals: 0,
                bound: 0.0,
                missing,
            };
            output.resolve(bounds[at]);
            output
        };
        let mut outputs: Vec<Output> = decrypted.outputs.iter().enumerate().map(output).collect();
        let places: HashMap<&String, usize> =
            plan.program.result_names().iter().enumerate().map(|(place, name)| (name, place)).collect();
        outputs.sort_by_key(|output| places.get(&output.name));
        Self { outputs, are_exact: decrypted.error_bounds.is_none() }
    }

    /// How far each value may be off as it's told, in the order of the results; not a number for what's missing. `None` if all
    /// are exact.
    pub(crate) fn error_bounds(&self) -> Option<Vec<f64>> {
        let bound = |output: &Output| if output.missing.is_some() { f64::NAN } else { output.bound };
        (!self.are_exact).then(|| self.outputs.iter().map(bound).collect())
    }

    /// The same with gaps in columns where rows, from 0 and in their order, were left out.
    pub(crate) fn with_gaps(mut self, left_out: &[usize]) -> Self {
        for output in self.outputs.iter_mut().filter(|output| output.shape == Shape::Column) {
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
        let missing =
            self.outputs.iter().filter_map(|output| Some((output.name.clone(), output.missing.clone()?)));
        missing.collect()
    }

    /// One column for each output; an output that is one number is in the first row. With `errors`, each has a column of error
    /// bounds beside it, which are 0 for exact values.
    ///
    /// # Errors
    /// A column of errors that has the name of an output.
    pub(crate) fn csv(&self, errors: bool) -> Result<String, Failure> {
        let rows = self.outputs.iter().map(|output| output.values.len()).max().unwrap_or(0);
        let mut text = String::new();
        let mut names = Vec::new();
        for output in &self.outputs {
            names.push(output.name.clone());
            if errors {
                let name = format!("{}_error", output.name);
                if self.outputs.iter().any(|other| other.name == name) {
                    return Err(Failure::bad_input(format!(
                        "--errors adds a column `{name}`, and the program has a result of that name: rename the result"
                    )));
                }
                names.push(name);
            }
        }
        let error = |output: &Output, row: usize| match output.values.get(row) {
            None | Some(Number::Missing) => String::new(),
            Some(_) if output.bound > 0.0 => bound_text(output.bound),
            Some(_) => "0".to_owned(),
        };
        text += &(names.join(",") + "\n");
        for row in 0..rows {
            let mut cells = Vec::with_capacity(names.len());
            for output in &self.outputs {
                cells.push(output.values.get(row).map_or_else(String::new, Number::full_text));
                cells.extend(errors.then(|| error(output, row)));
            }
            text += &(cells.join(",") + "\n");
        }
        Ok(text)
    }

    /// The first rows of columns, and numbers in full.
    pub(crate) fn lines(&self) -> String {
        let mut text = String::new();
        let (columns, numbers): (Vec<&Output>, Vec<&Output>) =
            self.outputs.iter().partition(|output| output.shape == Shape::Column);
        if let Some(first) = columns.first() {
            columns_table(&mut text, &columns, first.values.len());
        }
        let width = numbers.iter().map(|output| output.name.len()).max().unwrap_or(0);
        for output in numbers {
            let value = output.text(&output.values[0]);
            let why = output.missing.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
            let _ = writeln!(text, "  {:width$} = {value}{why}", output.name);
        }
        text
    }
}

/// The first rows of columns, side by side as far as lines are long, and the others below.
fn columns_table(text: &mut String, columns: &[&Output], rows: usize) {
    let shown = rows.min(SHOWN_ROWS);
    let numbers: Vec<String> = (1..=shown).map(|row| row.to_string()).collect();
    let cells = |column: &&Output| {
        let values = column.values[..shown].iter().map(|value| column.text(value));
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

#[cfg(test)]
mod tests {
    use super::{Number, Output, Shape, bound_text, exact_decimals, parse_number};

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
        assert_eq!((number.text(6), number.full_text()), ("3.33333333333333…".to_owned(), "10/3".to_owned()));
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
        // What is exact isn't cut without a word, and not rounded.
        assert_eq!(shown(&[("10/3", 10.0 / 3.0)]), ["3.33333333333333…"]);
        assert_eq!(shown(&[("-20/3", -20.0 / 3.0)]), ["-6.66666666666666…"]);
        assert_eq!(shown(&[("1000000/3", 1e6 / 3.0)]), ["333333.333333333…"]);
        assert_eq!(shown(&[("1/300", 1.0 / 300.0)]), ["0.00333333333333333…"]);
        assert_eq!(shown(&[("100000000000000001/3", 1e17 / 3.0)]), ["33333333333333333.666…"]);
        let long = "12345678901250.123456789";
        assert_eq!(shown(&[(long, 12_345_678_901_250.123)]), [long]);
        let long = "123456789012345678901234567890.0625";
        assert_eq!(shown(&[(long, 1.2345678901234568e29)]), [long]);
        let beside = [("420531.15", 420_531.15), ("1/3", 1.0 / 3.0)];
        assert_eq!(shown(&beside), ["420531.15", "0.333333333333333…"]);
        let beside = [("0.00000001", 1e-8), ("99998000.01", 99_998_000.01), ("-0.5", -0.5)];
        assert_eq!(shown(&beside), ["0.00000001", "99998000.01000000", "-0.50000000"]);
        assert_eq!(shown(&[("7", 7.0)]), ["7"]);
        let real = |value: f64| Number::Real(value).text(exact_decimals(&[Number::Real(value)]));
        assert_eq!(real(1.0 / 3.0), "0.333333333333333");
        assert_eq!([real(419_409.93), real(1.5e-20), real(0.0)], ["419409.93", "1.500000000e-20", "0"]);
    }

    #[test]
    fn bounds_are_shown_in_two_digits_and_never_smaller_than_they_are() {
        for (bound, shown) in [
            (1.3e-7, "1.3e-7"),
            (1.31e-7, "1.4e-7"),
            (9.99e-7, "1e-6"),
            (0.012_01, "0.013"),
            (1260.1, "1300"),
            (4.0, "4"),
            (1e6, "1e6"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(bound_text(bound), shown);
        }
        for step in 1..2000 {
            let bound = 1.017f64.powi(step) * 1e-7;
            let shown: f64 = bound_text(bound).parse().unwrap();
            assert!(bound <= shown && shown <= 1.12 * bound, "{bound} {shown}");
        }
    }

    #[test]
    fn what_is_shown_with_its_bound_holds_the_right_value() {
        let mut output = Output {
            name: "y".to_owned(),
            shape: Shape::Column,
            values: vec![Number::Real(5.0493), Number::Real(-0.2)],
            decimals: 0,
            bound: 0.0,
            missing: None,
        };
        output.resolve(0.05);
        let shown: Vec<String> = output.values.iter().map(|value| output.text(value)).collect();
        assert_eq!(shown, ["5.049 ± 0.051", "-0.200 ± 0.051"]);
        output.values.push(Number::Missing);
        assert_eq!(output.text(&output.values[2]), "none");
    }
}
