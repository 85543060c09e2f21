//! Values as readers and files have them: exact ones stay exact.

use asanoha_numeric::{date, number};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use serde::{Serialize, Serializer};

use crate::program::parse_number;

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

/// The digits in files of a fraction whose decimals don't end: those that tell any double.
const FILE_DIGITS: usize = 17;

/// The largest whole number that is a number in JSON, 2^53: up to there, all readers take numbers exactly.
const LARGEST_JSON: u64 = 1 << 53;

/// One value of a result, as JSON has it. Exact results stay exact: those that readers of JSON would round are text,
/// either the digits of a whole number or a fraction `p/q`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Number {
    Whole(i64),
    Exact(String),
    Real(f64),
    Fraction(Fraction),
    /// There is none: null. In a row that was left out, or for these data.
    Missing,
}

/// A fraction that differs from the double that its decimal text would be read as.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fraction {
    value: BigRational,
    /// Its decimals: all of them, or, where there are more, the first ones and `…`.
    decimals: String,
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.value)
    }
}

impl Number {
    /// An exact value, and the nearest double.
    pub(super) fn exact(value: &BigRational, real: f64) -> Self {
        let text = value.to_string();
        match text.parse::<i64>() {
            Ok(word) if word.unsigned_abs() <= LARGEST_JSON => Self::Whole(word),
            _ if value.is_integer() => Self::Exact(text),
            // If the decimal digits of the double are the value itself, the double is exact.
            _ if is_written_as(value, real) => Self::Real(real),
            _ => Self::Fraction(Fraction { value: value.clone(), decimals: decimals(value) }),
        }
    }

    /// An exact number of days since 1970-01-01 as a date; another number as it is.
    pub(super) fn date(value: &BigRational, real: f64) -> Self {
        let days = value.is_integer().then(|| value.to_integer().to_i64()).flatten();
        days.and_then(date::of_days).map_or_else(|| Self::exact(value, real), Self::Exact)
    }

    /// A value of so many meaningful decimals, without the digits beyond.
    pub(super) fn rounded(&self, decimals: usize) -> Self {
        match self {
            Self::Real(value) if value.abs() < LONGEST && decimals <= MOST_DECIMALS => {
                Self::Real(self.text(decimals).parse().unwrap_or(*value))
            }
            other => other.clone(),
        }
    }

    pub(super) fn text(&self, decimals: usize) -> String {
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

    /// The number as a cell of a file.
    pub(super) fn cell(&self, cells: Cells) -> Cell {
        let plain = |text: String| Cell { text, error: 0.0 };
        let value = match self {
            Self::Missing => return plain(String::new()),
            Self::Fraction(Fraction { value, .. }) if cells == Cells::Fractions => {
                return plain(value.to_string());
            }
            Self::Fraction(Fraction { value, decimals }) => {
                if cells == Cells::Decimals && !decimals.ends_with('…') {
                    return plain(decimals.clone());
                }
                Some(value.clone())
            }
            Self::Whole(value) => return plain(value.to_string()),
            Self::Exact(text) => return plain(text.clone()),
            Self::Real(value) => parse_number(&value.to_string()),
        };
        match (self, cells, value) {
            (Self::Fraction(_), Cells::Decimals | Cells::Fractions, Some(value)) => significant(&value),
            (_, Cells::Places(places), Some(value)) => rounded(&value, places),
            (Self::Real(value), ..) => plain(value.to_string()),
            _ => plain(String::new()),
        }
    }
}

/// The way in which values stand in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cells {
    /// All digits; a fraction whose decimals don't end has 17 significant digits, which spreadsheets read as a number.
    #[default]
    Decimals,
    /// So many places after the point.
    Places(usize),
    /// All digits; a fraction whose decimals don't end is exact, `p/q`.
    Fractions,
}

/// A value in a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) text: String,
    /// The distance from the value.
    pub(super) error: f64,
}

/// A value rounded to places after the point, halves away from 0.
fn rounded(value: &BigRational, places: usize) -> Cell {
    let unit = BigRational::from(BigInt::from(10).pow(places as u32));
    let scaled = (value * &unit).round();
    let error = number::to_f64(&(value - &scaled / &unit).abs());
    let digits = format!("{:0>width$}", scaled.to_integer().abs().to_string(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if scaled.is_negative() { "-" } else { "" };
    let point = if places == 0 { "" } else { "." };
    Cell { text: format!("{sign}{whole}{point}{fraction}"), error }
}

/// A value rounded to [`FILE_DIGITS`] significant digits, or to a whole number that has more.
fn significant(value: &BigRational) -> Cell {
    let whole = value.abs().to_integer();
    let places = if whole.is_positive() {
        FILE_DIGITS.saturating_sub(whole.to_string().len())
    } else {
        // 10^places times the value is from 10^(FILE_DIGITS − 1) on.
        let inverse = value.abs().recip().to_integer().to_string().len() - 1;
        FILE_DIGITS + inverse
    };
    if places <= LONGEST_DECIMALS {
        return rounded(value, places);
    }
    let shift = places - FILE_DIGITS;
    let scaled = rounded(&(value * BigRational::from(BigInt::from(10).pow(shift as u32))), FILE_DIGITS);
    Cell { text: format!("{}e-{shift}", scaled.text), error: scaled.error * 10f64.powi(-(shift as i32)) }
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
pub(super) fn exact_decimals(numbers: &[Number]) -> usize {
    numbers.iter().map(Number::places).max().unwrap_or(0)
}

/// Whether the shortest text of a double, read as a decimal, is equal to a value.
fn is_written_as(value: &BigRational, real: f64) -> bool {
    parse_number(&real.to_string()).as_ref() == Some(value)
}

#[cfg(test)]
mod tests {
    use num_rational::BigRational;
    use num_traits::{Pow, Signed};

    use super::{Cells, Number, exact_decimals};
    use crate::program::parse_number;

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
        let cell = number.cell(Cells::Fractions);
        assert_eq!((number.text(6), cell.text), ("3.33333333333333…".to_owned(), "10/3".to_owned()));
        assert_eq!(Number::Real(1.5e-20).text(30), "1.500000000e-20");
    }

    #[test]
    fn fractions_in_files_are_decimals_that_are_off_by_no_more_than_is_said() {
        let cell = |text: &str, cells: Cells| {
            let value = parse_number(text).unwrap();
            Number::exact(&value, asanoha_numeric::number::to_f64(&value)).cell(cells)
        };
        for (text, decimals) in [
            ("1/3", "0.33333333333333333"),
            ("-4/13", "-0.30769230769230769"),
            ("2/3", "0.66666666666666667"),
            ("1/300", "0.0033333333333333333"),
            ("200000/3", "66666.666666666667"),
            ("100000000000000000001/3", "33333333333333333334"),
            ("9007199254740993/2", "4503599627370496.5"),
            ("1/4", "0.25"),
            ("7", "7"),
        ] {
            let found = cell(text, Cells::Decimals);
            assert_eq!(found.text, decimals);
            let off = (parse_number(text).unwrap() - parse_number(decimals).unwrap()).abs();
            assert!(
                (asanoha_numeric::number::to_f64(&off) - found.error).abs() <= 1e-9 * found.error,
                "{text}"
            );
        }
        let tiny = format!("1/3{}", "0".repeat(90));
        assert_eq!(cell(&tiny, Cells::Decimals).text, "0.33333333333333333e-90");
        for (text, places, rounded) in [
            ("1/3", 2, "0.33"),
            ("-1/8", 2, "-0.13"),
            ("1/8", 2, "0.13"),
            ("5/2", 0, "3"),
            ("-0.004", 2, "0.00"),
            ("12.5", 3, "12.500"),
        ] {
            assert_eq!(cell(text, Cells::Places(places)).text, rounded, "{text}");
        }
        assert_eq!(Number::Real(2.5e-7).cell(Cells::Places(3)).text, "0.000");
        assert_eq!(Number::Real(f64::INFINITY).cell(Cells::Places(3)).text, "inf");
        assert_eq!(cell("12", Cells::Places(3)).text, "12");
        // Hostile ones: huge, tiny, long.
        let ten = BigRational::from_integer(10.into());
        for (numerator, denominator, power) in
            [(7, 3, 400), (-7, 3, -400), (1, 7, 17), (999_999_999, 7, 16), (1, 999_999, -3)]
        {
            let value = BigRational::new(numerator.into(), denominator.into()) * Pow::pow(&ten, power);
            let found = Number::exact(&value, asanoha_numeric::number::to_f64(&value)).cell(Cells::Decimals);
            let off = asanoha_numeric::number::to_f64(
                &((parse_number(&found.text).unwrap() - &value) / &value).abs(),
            );
            assert!(off < 1e-16, "{}: {off}", found.text);
        }
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
}
