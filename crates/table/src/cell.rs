//! What single cells of tables stand for.

use std::fmt;

use asanoha_numeric::date;
use num_bigint::BigInt;

use crate::table::MAX_WHOLE_BITS;

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Numbers.
    Number,
    /// `true` and `false`, in any case: 1 and 0.
    Truth,
    /// Dates, `2026-11-23`: days since 1970-01-01.
    Date,
    /// Text: categories.
    Text,
    /// Digits, of which some begin with zeros, such as `007`: categories.
    Identifier,
}

/// The cell that decides the kind of its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstCell {
    /// The kind.
    pub kind: Kind,
    /// The line; of Parquet and Arrow files the row, from 1.
    pub line: u64,
    /// The cell, shortened.
    pub text: String,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a number",
            Self::Truth => "true or false",
            Self::Date => "a date",
            Self::Text => "text",
            Self::Identifier => "digits that begin with zeros (such as 007, which is text)",
        })
    }
}

/// The whole number that a cell stands for, and as what, unless it's written as a number.
pub(crate) fn named_integer(text: &str) -> Option<(Kind, i64)> {
    match text.as_bytes() {
        [b't' | b'T', ..] if text.eq_ignore_ascii_case("true") => Some((Kind::Truth, 1)),
        [b'f' | b'F', ..] if text.eq_ignore_ascii_case("false") => Some((Kind::Truth, 0)),
        [_, _, _, _, b'-', _, _, b'-', _, _] => date::days(text).map(|days| (Kind::Date, days)),
        _ => None,
    }
}

/// Whether a cell says that there's no value.
pub(crate) fn is_missing(text: &str) -> bool {
    matches!(text, "" | "NA" | "N/A" | "NaN" | "nan" | "null" | "None" | "?")
}

/// Returns true for marks of missing values and failed formulas in other programs, which are not read as missing.
pub(crate) fn is_other_missing(text: &str) -> bool {
    const WORDS: [&str; 12] =
        ["na", "n/a", "n.a.", "<na>", "nat", "null", "(null)", "\\n", "none", "nil", "missing", "unknown"];
    let is_mark = !text.is_empty() && text.chars().all(|c| "-–—.*_".contains(c));
    // `#N/A`, `#DIV/0!`, and `#NV` of a German spreadsheet.
    let is_formula = text.strip_prefix('#').is_some_and(|word| {
        word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.chars().all(|c| c.is_ascii_uppercase() || " /!?0".contains(c))
    });
    is_mark || is_formula || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A decimal number without an exponent, `-12.50`, as its digits, `-1250`, and the places after the point, 2; `None` for other
/// text and for digits beyond words.
pub(crate) fn plain_decimal(text: &str) -> Option<(i64, u32)> {
    let (sign, magnitude) = match text.as_bytes() {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        all => (1, all),
    };
    let (mut value, mut places, mut digits) = (0i64, None, 0);
    for &byte in magnitude {
        match byte {
            b'0'..=b'9' => {
                value = value.checked_mul(10)?.checked_add(sign * i64::from(byte - b'0'))?;
                digits += 1;
                places = places.map(|places: u32| places + 1);
            }
            b'.' if places.is_none() => places = Some(0),
            _ => return None,
        }
    }
    (digits > 0).then_some((value, places.unwrap_or(0)))
}

/// As [`plain_decimal`], of digits beyond words too, up to [`MAX_WHOLE_BITS`].
pub(crate) fn wide_decimal(text: &str) -> Option<(BigInt, u32)> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // A digit has less than four bits.
    if digits.len() as u64 > MAX_WHOLE_BITS {
        return None;
    }
    let magnitude: BigInt = digits.parse().ok()?;
    let value = if text.starts_with('-') { -magnitude } else { magnitude };
    (value.bits() <= MAX_WHOLE_BITS).then_some((value, fraction.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_since_1970() {
        for (date, expected) in [
            ("1970-01-01", 0),
            ("1970-12-31", 364),
            ("1969-12-31", -1),
            ("1972-03-01", 790),
            ("2000-02-29", 11016),
            ("2000-03-01", 11017),
            ("2026-11-23", 20780),
            ("1900-03-01", -25508),
            ("0000-01-01", -719_528),
            ("9999-12-31", 2_932_896),
        ] {
            assert_eq!(named_integer(date), Some((Kind::Date, expected)), "{date}");
        }
        for date in ["2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-04-00"] {
            assert_eq!(named_integer(date), None, "{date}");
        }
        // Each day is one after the one before.
        let mut last = named_integer("1895-12-31").unwrap().1;
        for year in 1896..=2105 {
            for month in 1..=12 {
                for day in 1..=31 {
                    if let Some((_, days)) = named_integer(&format!("{year:04}-{month:02}-{day:02}")) {
                        assert_eq!(days, last + 1, "{year}-{month}-{day}");
                        last = days;
                    }
                }
            }
        }
    }

    #[test]
    fn plain_decimals_are_digits_and_places() {
        for (text, expected) in [
            ("12.50", (1250, 2)),
            ("-.5", (-5, 1)),
            ("+7.", (7, 0)),
            ("007", (7, 0)),
            ("-9223372036854775808", (i64::MIN, 0)),
            ("0.0000000000000000000000", (0, 22)),
        ] {
            assert_eq!(plain_decimal(text), Some(expected), "{text}");
        }
        for text in ["", "-", ".", "1e3", "1.2.3", "0x1", "1_0", "--1", "9223372036854775808", "1 ", "nan"] {
            assert_eq!(plain_decimal(text), None, "{text}");
        }
    }

    #[test]
    fn other_cells_stand_for_nothing() {
        for text in ["", "yes", "tru", "1", "2026-1-1", "2026/01/01", "+026-01-01", "２０26-01-0", "20260101"]
        {
            assert_eq!(named_integer(text), None, "{text}");
        }
        assert_eq!(named_integer("TRUE"), Some((Kind::Truth, 1)));
        assert_eq!(named_integer("False"), Some((Kind::Truth, 0)));
    }
}
