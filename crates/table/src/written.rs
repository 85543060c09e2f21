//! How numbers, dates and times are written in cells of text: what's read on request, and what's refused by name.

use std::{borrow::Cow, fmt};

use crate::{advice::Advice, cell::plain_decimal};

/// What else than a point and digits is read in numbers. Without any, `1,20` and `1,299.99` are refused, and no cell is taken for
/// another number than the one meant.
///
/// ```
/// use asanoha_table::{ColumnValues, Data, NumberFormat, Reading};
///
/// let numbers = NumberFormat { decimal_comma: true, thousands: true };
/// let data = "item;price\na;1.299,99\nb;13,05\n";
/// let reading = Reading { numbers, ..Reading::default() };
/// let data = Data::from_reader(data.as_bytes(), "shop.csv", &["price"], &reading)?;
/// assert_eq!(
///     data.table.columns[0].values,
///     ColumnValues::Decimal { values: vec![129_999, 1305], places: 2 }
/// );
/// # Ok::<(), asanoha_table::DataError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NumberFormat {
    /// The comma stands where the point does elsewhere: `13,05`.
    pub decimal_comma: bool,
    /// Digits in groups of three: `1,299.99` (with a decimal comma, `1.299,99`), `1 299`, `1'299`, `1_299`.
    pub thousands: bool,
}

/// The minus of typesetting.
const MINUS: char = '\u{2212}';
/// Spaces, apostrophes and underscores between groups of digits, wherever the decimal mark is a point or a comma.
const SEPARATORS: [char; 6] = [' ', '\u{a0}', '\u{202f}', '\'', '\u{2019}', '_'];
/// The signs before a number that is a bound or a rough value.
const BOUNDS: [&str; 12] = ["<=", ">=", "=<", "=>", "<", ">", "≤", "≥", "~", "≈", "±", "ca."];
/// The signs of currencies that are told by name.
const CURRENCIES: [char; 6] = ['$', '€', '£', '¥', '₹', '¢'];

impl NumberFormat {
    /// A number as programs write it, with a point and nothing else among its digits; other text as it is. What has a point and
    /// should have a comma is `None`.
    pub(crate) fn plain(self, text: &str) -> Option<Cow<'_, str>> {
        let same = Some(Cow::Borrowed(text));
        if self == Self::default() && !text.starts_with(MINUS) {
            return same;
        }
        let (sign, unsigned) = signed(text);
        let is_number = unsigned.starts_with(|c: char| c.is_ascii_digit() || ".,".contains(c));
        if !is_number {
            return same;
        }
        let (mark, other) = if self.decimal_comma { (',', '.') } else { ('.', ',') };
        let (whole, fraction) = match unsigned.split_once(mark) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (unsigned, None),
        };
        let ungrouped = if self.thousands { ungrouped(whole, other) } else { None };
        let whole = ungrouped.as_deref().unwrap_or(whole);
        // A fraction may end in an exponent.
        let is_plain = whole.chars().all(|c| c.is_ascii_digit());
        let is_with_point = unsigned.contains('.') && unsigned.parse::<f64>().is_ok();
        if self.decimal_comma && ungrouped.is_none() && is_with_point {
            return None;
        }
        if !is_plain || (ungrouped.is_none() && !self.decimal_comma && sign != Some(MINUS)) {
            return same;
        }
        let sign = sign.map_or("", |sign| if sign == '+' { "+" } else { "-" });
        let fraction = fraction.map_or_else(String::new, |fraction| format!(".{fraction}"));
        Some(Cow::Owned(format!("{sign}{whole}{fraction}")))
    }
}

/// A number's sign, if it has one, and the rest.
fn signed(text: &str) -> (Option<char>, &str) {
    let sign = text.chars().next().filter(|c| ['-', '+', MINUS].contains(c));
    (sign, &text[sign.map_or(0, char::len_utf8)..])
}

/// Digits without what stands between groups of three of them; `None` if they aren't grouped so throughout, as `0,123` isn't.
fn ungrouped(whole: &str, other: char) -> Option<String> {
    let separator = whole.chars().find(|c| !c.is_ascii_digit())?;
    if separator != other && !SEPARATORS.contains(&separator) {
        return None;
    }
    let mut groups = whole.split(separator);
    let is_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let is_first =
        |first: &&str| (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0');
    let first = groups.next().filter(is_first)?;
    groups
        .try_fold(first.to_owned(), |all, group| (group.len() == 3 && is_digits(group)).then(|| all + group))
}

/// What a cell is that looks like a number, a date or a time, and isn't read as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Written {
    /// `1,20`.
    DecimalComma,
    /// `1.20` where commas are to be read.
    DecimalPoint,
    /// `1,299.99`, `1 299`.
    Thousands,
    /// `1.299,99`.
    ThousandsAndComma,
    /// `1,299`, which is either.
    CommaOrThousands,
    /// `1_299`.
    Underscores,
    /// `<0.1`, `≥ 5`, `~3`, `90+`.
    Bound,
    /// `5%`.
    Percent,
    /// `$4`.
    Currency,
    /// `(3.50)`, by which accountants mean −3.50.
    Brackets,
    /// `10:30`.
    TimeOfDay,
    /// `2026-11-25T10:30:00Z`.
    TimeStamp,
    /// `25.11.2026`, `11/25/2026`.
    OtherDate,
}

impl Written {
    /// What a text is, if it's such.
    pub fn of(text: &str) -> Option<Self> {
        let (_, unsigned) = signed(text);
        if is_grouped_number(unsigned) {
            return Some(match unsigned.split_once(',') {
                Some((_, rest))
                    if unsigned.matches(',').count() == 1 && !unsigned.contains(['.', ' ', '\'', '_']) =>
                {
                    let is_either = rest.len() == 3 && is_grouped(unsigned, false);
                    if is_either { Self::CommaOrThousands } else { Self::DecimalComma }
                }
                _ if is_grouped(unsigned, false) && unsigned.contains('_') => Self::Underscores,
                _ if is_grouped(unsigned, false) => Self::Thousands,
                _ => Self::ThousandsAndComma,
            });
        }
        let is_number = |text: &str| {
            let text = signed(text.trim()).1;
            plain_decimal(text).is_some() || is_grouped_number(text)
        };
        let of_bound =
            BOUNDS.iter().find_map(|sign| text.strip_prefix(sign)).or_else(|| text.strip_suffix('+'));
        if of_bound.is_some_and(is_number) {
            return Some(Self::Bound);
        }
        if text.strip_suffix('%').is_some_and(is_number) {
            return Some(Self::Percent);
        }
        let without = unsigned.strip_prefix(CURRENCIES).or_else(|| unsigned.strip_suffix(CURRENCIES));
        if without.is_some_and(is_number) {
            return Some(Self::Currency);
        }
        let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        if inside.is_some_and(|inside| is_number(inside.trim_start_matches(CURRENCIES))) {
            return Some(Self::Brackets);
        }
        if is_time(text) {
            return Some(Self::TimeOfDay);
        }
        if let Some((date, time)) = text.split_once(['T', ' '])
            && (is_date(date) || super::cell::named_integer(date).is_some())
            && is_time(without_zone(time.trim()))
        {
            return Some(Self::TimeStamp);
        }
        is_date(text).then_some(Self::OtherDate)
    }

    /// Whether a number is meant in any case, also in quotes, which such need between commas.
    pub(crate) fn has_commas(self) -> bool {
        matches!(
            self,
            Self::DecimalComma | Self::Thousands | Self::ThousandsAndComma | Self::CommaOrThousands
        )
    }

    /// Returns true for texts that a column of text may have, such as the ages `<18`, `18-64` and `65+`.
    pub(crate) fn may_be_category(self) -> bool {
        self == Self::Bound
    }

    /// What helps.
    pub(crate) fn advice(self) -> Vec<Advice> {
        match self {
            Self::DecimalComma => vec![Advice::DecimalComma],
            Self::DecimalPoint => vec![Advice::NoDecimalComma],
            Self::Thousands | Self::Underscores => vec![Advice::Thousands],
            Self::ThousandsAndComma => vec![Advice::ThousandsAndComma],
            Self::CommaOrThousands => vec![Advice::DecimalComma, Advice::Thousands],
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DecimalComma => "has a decimal comma, and numbers have a point",
            Self::DecimalPoint => "has a point, and decimal commas are read: they'd be another number",
            Self::Thousands => "has separators between groups of three digits",
            Self::ThousandsAndComma => "has separators between groups of three digits, or a decimal comma too",
            Self::CommaOrThousands => "has a comma, for decimals or between groups of three digits",
            Self::Underscores => "has underscores between groups of three digits",
            Self::Bound => {
                "is a bound or a rough value, not a number: write the number that's meant, or NA if it is unknown"
            }
            Self::Percent => "is a percentage: write the number that's meant, as 0.05 for 5%",
            Self::Currency => "has the sign of a currency: leave it out",
            Self::Brackets => "is in brackets, as accountants write negative numbers: write a minus",
            Self::TimeOfDay => "is a time of day: write a number, such as the seconds since midnight",
            Self::TimeStamp => {
                "is a date with a time: write the date alone, as 2026-11-25, or a number, such as the seconds since 1970"
            }
            Self::OtherDate => "is a date in another order: write year, month and day, as 2026-11-25",
        })
    }
}

/// Whether it's a number with commas, or with separators of thousands.
fn is_grouped_number(unsigned: &str) -> bool {
    let is_among = |c: char| c.is_ascii_digit() || c == '.' || c == ',' || SEPARATORS.contains(&c);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) || !unsigned.chars().all(is_among) {
        return false;
    }
    [true, false].into_iter().any(|decimal_comma| is_grouped(unsigned, decimal_comma))
}

/// Whether it's such a number with a decimal comma, or without.
fn is_grouped(unsigned: &str, decimal_comma: bool) -> bool {
    let format = NumberFormat { decimal_comma, thousands: true };
    match format.plain(unsigned) {
        Some(Cow::Owned(plain)) => plain != unsigned && plain_decimal(&plain).is_some(),
        _ => false,
    }
}

/// Whether it's a time of day, `10:30`, `10:30:00.5`, `10:30 am`.
fn is_time(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let text = text.strip_suffix("am").or_else(|| text.strip_suffix("pm")).unwrap_or(&text).trim();
    let parts: Vec<&str> = text.split(':').collect();
    let is_part = |part: &&str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let (seconds, before) = match parts.as_slice() {
        [hours, minutes] => (None, [*hours, *minutes]),
        [hours, minutes, seconds] => (Some(*seconds), [*hours, *minutes]),
        _ => return false,
    };
    let hours_are = matches!(before[0].len(), 1 | 2) && before[0].bytes().all(|byte| byte.is_ascii_digit());
    let seconds = seconds.map(|seconds| seconds.split_once(['.', ',']).map_or(seconds, |(whole, _)| whole));
    hours_are && is_part(&before[1]) && seconds.as_ref().is_none_or(is_part)
}

/// A time of a time stamp without its zone.
fn without_zone(time: &str) -> &str {
    let time = time.split_once(['Z', 'z', '+', '[']).map_or(time, |(time, _)| time);
    let time = time.rsplit_once('-').map_or(time, |(time, _)| time);
    time.strip_suffix(" UTC").or_else(|| time.strip_suffix(" GMT")).unwrap_or(time).trim()
}

/// Whether it's a date of numbers in another order, or with other separators, than `2026-11-25`.
fn is_date(text: &str) -> bool {
    let Some(separator) = text.chars().find(|c| ['/', '.', '-'].contains(c)) else { return false };
    let parts: Vec<&str> = text.trim_end_matches('.').split(separator).collect();
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let [a, b, c] = parts.as_slice() else { return false };
    let short = |part: &str| is_digits(part) && part.len() <= 2;
    let year = |part: &str| is_digits(part) && part.len() == 4;
    let years = separator != '-' && year(a) && short(b) && short(c) || short(a) && short(b) && year(c);
    years || separator == '/' && short(a) && short(b) && short(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_asked_and_never_as_others() {
        let plain = |text: &str, decimal_comma, thousands| {
            NumberFormat { decimal_comma, thousands }.plain(text).map(Cow::into_owned)
        };
        for (text, comma, thousands, expected) in [
            ("1,20", true, false, Some("1.20")),
            ("-1.299,99", true, true, Some("-1299.99")),
            ("+1.299.000", true, true, Some("+1299000")),
            ("1.299", true, true, Some("1299")),
            // A point is no comma: 1.20 isn't 1,20, nor 120.
            ("1.20", true, false, None),
            ("1.20", true, true, None),
            ("1.299", true, false, None),
            ("1.5e3", true, false, None),
            ("1,5e3", true, false, Some("1.5e3")),
            ("0,123", false, true, Some("0,123")),
            ("0,123", true, true, Some("0.123")),
            ("12", true, false, Some("12")),
            (",5", true, false, Some(".5")),
            ("1,299.99", false, true, Some("1299.99")),
            ("12,345,678", false, true, Some("12345678")),
            ("1 299,5", true, true, Some("1299.5")),
            ("1\u{202f}299.5", false, true, Some("1299.5")),
            ("1'299.5", false, true, Some("1299.5")),
            ("1_299.5", false, true, Some("1299.5")),
            ("1_29", false, true, Some("1_29")),
            ("0.5", false, true, Some("0.5")),
            ("1e3", false, true, Some("1e3")),
            // No groups of three.
            ("1,20", false, true, Some("1,20")),
            ("12,34,567", false, true, Some("12,34,567")),
            ("1234,567", false, true, Some("1234,567")),
            ("1,299 300", false, true, Some("1,299 300")),
            ("1,299.99", false, false, Some("1,299.99")),
            ("\u{2212}3.5", false, false, Some("-3.5")),
            ("\u{2212}x", false, false, Some("\u{2212}x")),
            ("north, south", true, true, Some("north, south")),
        ] {
            let found = plain(text, comma, thousands);
            assert_eq!(found.as_deref(), expected, "{text} {comma} {thousands}");
        }
    }

    #[test]
    fn what_looks_like_a_number_has_a_name() {
        for (text, expected) in [
            ("1,20", Some(Written::DecimalComma)),
            ("-13,5", Some(Written::DecimalComma)),
            ("1,2345", Some(Written::DecimalComma)),
            ("1,299", Some(Written::CommaOrThousands)),
            ("0,123", Some(Written::DecimalComma)),
            ("-007,125", Some(Written::DecimalComma)),
            ("1,299.99", Some(Written::Thousands)),
            ("1.299,99", Some(Written::ThousandsAndComma)),
            ("1.299.000", Some(Written::ThousandsAndComma)),
            ("1 299", Some(Written::Thousands)),
            ("1_299", Some(Written::Underscores)),
            ("-12_345_678.5", Some(Written::Underscores)),
            ("1_299,5", Some(Written::ThousandsAndComma)),
            ("<0.1", Some(Written::Bound)),
            (">= 1,299", Some(Written::Bound)),
            ("≤-3", Some(Written::Bound)),
            ("~ 40", Some(Written::Bound)),
            ("90+", Some(Written::Bound)),
            ("5%", Some(Written::Percent)),
            ("-0,5 %", Some(Written::Percent)),
            ("$4", Some(Written::Currency)),
            ("-$1,299.99", Some(Written::Currency)),
            ("4 €", Some(Written::Currency)),
            ("(3.50)", Some(Written::Brackets)),
            ("($3.50)", Some(Written::Brackets)),
            ("9:05", Some(Written::TimeOfDay)),
            ("23:59:59.25", Some(Written::TimeOfDay)),
            ("10:30 PM", Some(Written::TimeOfDay)),
            ("2026-11-25T10:30:00Z", Some(Written::TimeStamp)),
            ("2026-11-25 10:30:00+01:00", Some(Written::TimeStamp)),
            ("2026-11-25 10:30:00-05:00", Some(Written::TimeStamp)),
            ("2026-11-25T10:30", Some(Written::TimeStamp)),
            ("25.11.2026", Some(Written::OtherDate)),
            ("11/25/2026", Some(Written::OtherDate)),
            ("2026/11/25", Some(Written::OtherDate)),
            ("1/2/26", Some(Written::OtherDate)),
        ] {
            assert_eq!(Written::of(text), expected, "{text}");
        }
        for text in [
            "",
            "north",
            "1.5",
            "2026-11-25",
            "1.2.3",
            "a,b",
            "%",
            "$",
            "()",
            "chr1:12345",
            "12:3",
            "1-2-3",
            "1/2",
            "3 apples",
            "007",
            "v1.2",
            "1_29",
            "_1_299",
            "a_100",
            "<",
            "<a>",
            "+",
            "A+",
            "18-64",
            "-",
            "a:b",
            "1,2,3",
            "T",
            "10.0.0.1",
        ] {
            assert_eq!(Written::of(text), None, "{text}");
        }
    }
}
