//! Exact constants: reading, printing and bounding them.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

/// The most bits in the numerator or denominator of a constant.
pub const MAX_CONSTANT_BITS: u64 = 4096;
/// The number of decimal digits up to which a fraction that ends is printed as a decimal.
const PRINTED_DIGITS: u32 = 24;
/// The number of digits up to which [`short`] writes a number out.
const SHORT_DIGITS: usize = 20;

/// The nearest double; infinite beyond all doubles.
pub fn to_f64(value: &BigRational) -> f64 {
    value.to_f64().expect("a fraction is a number")
}

/// The decimal number that a double is written as: the shortest one whose nearest double it is. `None` unless it's finite.
pub fn written_decimal(value: f64) -> Option<BigRational> {
    parse_signed(&value.to_string(), MAX_CONSTANT_BITS)
}

/// The nearest double; infinite beyond all doubles.
pub fn integer_to_f64(value: &BigInt) -> f64 {
    let infinite = if value.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY };
    value.to_f64().unwrap_or(infinite)
}

/// 2^k.
pub fn power_of_two(k: i64) -> BigRational {
    let power = BigInt::one() << k.unsigned_abs();
    if k >= 0 { BigRational::from_integer(power) } else { BigRational::new_raw(BigInt::one(), power) }
}

/// The least k for which |value| is at most 2^k; `None` for 0.
pub fn log2_ceil(value: &BigRational) -> Option<i64> {
    if value.is_zero() {
        return None;
    }
    let magnitude = value.abs();
    // With p of a bits and q of b bits, 2^(a − b − 1) < p / q < 2^(a − b + 1).
    let k = value.numer().bits() as i64 - value.denom().bits() as i64;
    Some(if magnitude <= power_of_two(k) { k } else { k + 1 })
}

/// value·2^k, rounded once where it's a double that is neither too large nor too small.
pub fn times_power_of_two(value: f64, k: i64) -> f64 {
    // Steps within the exponents of doubles; only the last can round.
    const STEP: i64 = 1000;
    let mut k = k.clamp(-3 * STEP, 3 * STEP);
    let mut result = value;
    // The exponent's field holds k + 1023.
    let power = |k: i64| f64::from_bits(((k + 1023) as u64) << 52);
    while k.abs() > STEP {
        result *= power(STEP * k.signum());
        k -= STEP * k.signum();
    }
    result * power(k)
}

/// value·factor, where the factor may be beyond all doubles and the product isn't.
pub fn times(value: f64, factor: &BigRational) -> f64 {
    let (mantissa, k) = split(factor);
    times_power_of_two(value * mantissa, k)
}

/// m and k with value = m·2^k and |m| at most 1 and above ½, or 0.
pub fn split(value: &BigRational) -> (f64, i64) {
    log2_ceil(value).map_or((0.0, 0), |k| (to_f64(&(value / power_of_two(k))), k))
}

/// The larger of the bit lengths of numerator and denominator.
pub fn bits(value: &BigRational) -> u64 {
    value.numer().bits().max(value.denom().bits())
}

/// Why a text is not taken as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiteralError {
    /// It isn't written as one.
    Malformed,
    /// It takes more bits than are allowed.
    TooLarge,
}

/// Reads digits, an optional fraction and an optional exponent, or hexadecimal digits after `0x` (no sign, no spaces, `_`
/// between digits) as an exact fraction of at most `max_bits`.
pub fn parse_literal(text: &str, max_bits: u64) -> Result<BigRational, LiteralError> {
    if let Some(digits) = hexadecimal(text) {
        return parse_hexadecimal(digits, max_bits).map(BigRational::from_integer);
    }
    let parts = split_literal(text).ok_or(LiteralError::Malformed)?;
    let value = parts.value(max_bits).ok_or(LiteralError::TooLarge)?;
    if bits(&value) <= max_bits { Ok(value) } else { Err(LiteralError::TooLarge) }
}

/// What follows the `0x` of a hexadecimal number.
pub fn hexadecimal(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

fn parse_hexadecimal(text: &str, max_bits: u64) -> Result<BigInt, LiteralError> {
    let digits = digits(text, 16).filter(|digits| !digits.is_empty()).ok_or(LiteralError::Malformed)?;
    let digits = digits.trim_start_matches('0');
    // All digits but the first take four bits.
    if digits.len() as u64 > max_bits / 4 + 1 {
        return Err(LiteralError::TooLarge);
    }
    let value = BigInt::parse_bytes(digits.as_bytes(), 16).unwrap_or_default();
    if value.bits() <= max_bits { Ok(value) } else { Err(LiteralError::TooLarge) }
}

/// Reads a whole number of at most `max_bits`: an optional sign, then decimal digits, or hexadecimal ones after `0x`.
pub fn parse_integer(text: &str, max_bits: u64) -> Result<BigInt, LiteralError> {
    let magnitude = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = hexadecimal(magnitude).unwrap_or(magnitude);
    // Those of the wrong base, or none at all, are found below.
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        || hexadecimal(magnitude).is_none() && !digits.bytes().all(|digit| digit.is_ascii_digit())
    {
        return Err(LiteralError::Malformed);
    }
    let value = parse_literal(magnitude, max_bits)?.to_integer();
    Ok(if text.starts_with('-') { -value } else { value })
}

/// The decimal digits of a literal.
struct Parts {
    whole: String,
    fraction: String,
    /// `None` when it does not fit.
    exponent: Option<i64>,
}

fn split_literal(text: &str) -> Option<Parts> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole = digits(whole, 10)?;
    let fraction = digits(fraction, 10)?;
    let exponent = match exponent {
        None => Some(0),
        Some(text) => {
            let (sign, magnitude) = match text.as_bytes().first()? {
                b'-' => (-1, &text[1..]),
                b'+' => (1, &text[1..]),
                _ => (1, text),
            };
            let magnitude = digits(magnitude, 10).filter(|d| !d.is_empty())?;
            magnitude.parse::<u32>().ok().map(|magnitude| sign * i64::from(magnitude))
        }
    };
    Some(Parts { whole, fraction, exponent })
}

impl Parts {
    /// `None` when the value surely takes more than `max_bits`.
    fn value(&self, max_bits: u64) -> Option<BigRational> {
        // These zeros say nothing; each digit that is left takes more than three bits.
        let fraction = self.fraction.trim_end_matches('0');
        let all = format!("{}{fraction}", self.whole.trim_start_matches('0'));
        if all.is_empty() {
            return Some(BigRational::zero());
        }
        let limit = max_bits / 3 + 1;
        let exponent = self.exponent?;
        if all.len() as u64 > limit || exponent.unsigned_abs() > 2 * limit {
            return None;
        }
        let mantissa = all.parse::<BigInt>().ok()?;
        let shift = exponent - fraction.len() as i64;
        let power = Pow::pow(BigInt::from(10), shift.unsigned_abs() as u32);
        Some(if shift >= 0 {
            BigRational::from_integer(mantissa * power)
        } else {
            BigRational::new(mantissa, power)
        })
    }
}

/// Digits without the `_` between them; `None` for anything else. No digits at all are fine here.
fn digits(text: &str, base: u32) -> Option<String> {
    let well_placed = !text.starts_with('_') && !text.ends_with('_') && !text.contains("__");
    (well_placed && text.chars().all(|c| c.is_digit(base) || c == '_')).then(|| text.replace('_', ""))
}

/// Reads what [`format()`] writes and what a person would: an optional sign, then a whole number, a decimal, or a
/// fraction `p/q`.
pub fn parse_signed(text: &str, max_bits: u64) -> Option<BigRational> {
    let text = text.trim();
    let (negative, text) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let value = match text.split_once('/') {
        None => parse_literal(text, max_bits).ok()?,
        Some((p, q)) => {
            let (p, q) = (parse_literal(p, max_bits).ok()?, parse_literal(q, max_bits).ok()?);
            if q.is_zero() {
                return None;
            }
            p / q
        }
    };
    Some(if negative { -value } else { value })
}

/// Reads a number as a person writes it, exactly: an optional sign, then a whole number, a decimal or a fraction `p/q`, each of at
/// most [`MAX_CONSTANT_BITS`].
pub fn parse_number(text: &str) -> Option<BigRational> {
    parse_signed(text, MAX_CONSTANT_BITS)
}

/// A constant as text: whole, decimal where it ends within a few digits, otherwise `p/q`.
pub fn format(value: &BigRational) -> String {
    if value.is_integer() {
        return value.numer().to_string();
    }
    let ten = BigInt::from(10);
    let mut power = BigInt::one();
    for places in 1..=PRINTED_DIGITS {
        power *= &ten;
        if (&power % value.denom()).is_zero() {
            let digits = (value.numer().abs() * (&power / value.denom())).to_string();
            if digits.len() > 2 * PRINTED_DIGITS as usize {
                break;
            }
            let padded = format!("{digits:0>width$}", width = places as usize + 1);
            let (whole, fraction) = padded.split_at(padded.len() - places as usize);
            let sign = if value.is_negative() { "-" } else { "" };
            return format!("{sign}{whole}.{fraction}");
        }
    }
    format!("{}/{}", value.numer(), value.denom())
}

/// A constant as short text: whole or a decimal of a few digits, otherwise the shortest of a decimal, `1.5e-30` and `p/q`.
/// [`parse_number`] reads it back.
///
/// ```
/// use asanoha_numeric::number::{parse_number, short};
///
/// for text in ["-0.25", "1/3", "123.45", "1e30", "-1.5e-30"] {
///     assert_eq!(short(&parse_number(text).unwrap()), text);
/// }
/// ```
pub fn short(value: &BigRational) -> String {
    let whole = value.numer().to_string();
    let sign = if value.is_negative() { "-" } else { "" };
    if value.is_integer() && whole.len() - sign.len() <= SHORT_DIGITS {
        return whole;
    }
    let ratio = format!("{}/{}", value.numer(), value.denom());
    let Some((digits, exponent)) = decimal_digits(value) else { return ratio };
    let plain = if let Ok(zeros) = usize::try_from(exponent) {
        format!("{digits}{}", "0".repeat(zeros))
    } else {
        let places = exponent.unsigned_abs() as usize;
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        format!("{whole}.{fraction}")
    };
    if plain.len() <= SHORT_DIGITS + 2 {
        return format!("{sign}{plain}");
    }
    let power = exponent + digits.len() as i64 - 1;
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let scientific = format!("{sign}{first}{point}{rest}e{power}");
    let texts = [format!("{sign}{plain}"), scientific, ratio];
    texts.into_iter().min_by_key(String::len).expect("there are three")
}

/// Digits d without zeros at the end and an exponent e with |value| = d·10^e; none where decimals don't end.
fn decimal_digits(value: &BigRational) -> Option<(String, i64)> {
    let mut rest = value.denom().clone();
    let mut times = |factor: u32| {
        let factor = BigInt::from(factor);
        let mut count = 0u32;
        while (&rest % &factor).is_zero() {
            rest /= &factor;
            count += 1;
        }
        count
    };
    let (twos, fives) = (times(2), times(5));
    if !rest.is_one() {
        return None;
    }
    let places = twos.max(fives);
    let factor = Pow::pow(BigInt::from(2), places - twos) * Pow::pow(BigInt::from(5), places - fives);
    let digits = (value.numer().abs() * factor).to_string();
    let stripped = digits.trim_end_matches('0');
    let zeros = (digits.len() - stripped.len()) as i64;
    Some((stripped.to_owned(), zeros - i64::from(places)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(p: i64, q: i64) -> BigRational {
        BigRational::new(p.into(), q.into())
    }

    #[test]
    fn the_nearest_double_is_found_at_every_size() {
        let texts = [
            "9007199254740993/2",
            "-9007199254740993",
            "1/3",
            "-2/3",
            "0.1",
            "6.981",
            "1e300",
            "1e-300",
            "1e-320",
            "1.5e-323",
            "2.5e-324",
            "2.4e-324",
            "1e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "-1e309",
            "9007199254740993e-330",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "0",
            "5e-324",
            "1e-400",
        ];
        for text in texts {
            let expected = match text.split_once('/') {
                None => text.parse::<f64>().unwrap(),
                Some((p, q)) if p.len() < 16 => p.parse::<f64>().unwrap() / q.parse::<f64>().unwrap(),
                Some(_) => 4_503_599_627_370_496.5,
            };
            let value = parse_signed(text, 4096).unwrap();
            assert_eq!(to_f64(&value), expected, "{text}");
            // Rounded twice below the normal doubles, which lie one least step apart there.
            let (mantissa, k) = split(&value);
            let twice = times_power_of_two(mantissa, k);
            let slack = if expected.abs() < f64::MIN_POSITIVE { 5e-324 } else { 0.0 };
            assert!(twice == expected || (twice - expected).abs() <= slack, "{text}: {twice}");
        }
    }

    #[test]
    fn doubles_are_the_decimals_that_are_written_for_them() {
        for (double, text) in [
            (0.1, "0.1"),
            (5f64.sqrt(), "2.23606797749979"),
            (-2f64.sqrt(), "-1.4142135623730951"),
            (1e300, "1e300"),
            (-1.5e-300, "-1.5e-300"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5e-324"),
            (-0.0, "0"),
            (9_007_199_254_740_992.0, "9007199254740992"),
        ] {
            assert_eq!(written_decimal(double), parse_signed(text, 4096), "{text}");
            assert_eq!(to_f64(&written_decimal(double).unwrap()), double, "{text}");
        }
        for double in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(written_decimal(double), None);
        }
    }

    #[test]
    fn powers_of_two_bound_what_they_are_found_for() {
        for (text, k) in
            [("1", 0), ("2", 1), ("3", 2), ("-4", 2), ("4.1", 3), ("1/4", -2), ("0.26", -1), ("1/3", -1)]
        {
            assert_eq!(log2_ceil(&parse_signed(text, 100).unwrap()), Some(k), "{text}");
        }
        assert_eq!(log2_ceil(&BigRational::zero()), None);
        for k in [-2500, -1074, -1, 0, 1, 1023, 2500] {
            assert_eq!(log2_ceil(&power_of_two(k)), Some(k));
            let half = (k / 2).clamp(-1000, 1000);
            assert_eq!(times_power_of_two(times_power_of_two(1.5, half), -half), 1.5);
        }
    }

    #[test]
    fn decimals_are_read_exactly() {
        for (text, p, q) in [
            ("0.1", 1, 10),
            ("1_000", 1000, 1),
            (".5", 1, 2),
            ("5.", 5, 1),
            ("1.25e2", 125, 1),
            ("12E-1", 6, 5),
            ("0.000e9", 0, 1),
            ("007", 7, 1),
        ] {
            assert_eq!(parse_literal(text, 100), Ok(rational(p, q)), "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_read_in_either_base_up_to_the_limit() {
        for (text, value) in [("0xff", 255), ("-0XfF", -255), ("+12", 12), ("007", 7), ("0x00", 0), ("-0", 0)]
        {
            assert_eq!(parse_integer(text, 64), Ok(value.into()), "{text}");
        }
        assert_eq!(parse_literal("0xdead_beef", 64), Ok(rational(0xdead_beef, 1)));
        for text in
            ["", "-", "0x", "0xg", "0x-1", "--1", "1_0", "1.0", "1e3", "a", " 1", "0x1_0", "0x_1", "0x1.8"]
        {
            assert_eq!(parse_integer(text, 64), Err(LiteralError::Malformed), "{text}");
        }
        for bits in [64u64, 65, 66, 67] {
            let largest: BigInt = (BigInt::one() << bits) - 1u32;
            for text in [largest.to_string(), format!("0x{largest:x}"), format!("-0x000{largest:x}")] {
                assert!(
                    parse_integer(&text, bits).is_ok_and(|value| value.magnitude() == largest.magnitude())
                );
                assert_eq!(parse_integer(&text, bits - 1), Err(LiteralError::TooLarge), "{text}");
            }
        }
    }

    #[test]
    fn misplaced_marks_are_not_numbers() {
        for text in ["", ".", "1__0", "_1", "1_", "1e", "1e+", "1.2.3", "e5", "1e5.0", "1_.5"] {
            assert_eq!(parse_literal(text, 100), Err(LiteralError::Malformed), "{text}");
        }
    }

    #[test]
    fn huge_exponents_are_refused_without_being_expanded() {
        for text in ["1e999999999", "1e-999999999", "1e99999999999999999999", "1e50"] {
            assert_eq!(parse_literal(text, 100), Err(LiteralError::TooLarge), "{text}");
        }
    }

    #[test]
    fn printed_constants_read_back_the_same() {
        for (p, q, text) in [
            (3, 1, "3"),
            (-1, 4, "-0.25"),
            (1, 3, "1/3"),
            (-22, 7, "-22/7"),
            (1, 1000, "0.001"),
            (12345, 100, "123.45"),
        ] {
            let value = rational(p, q);
            assert_eq!(format(&value), text);
            assert_eq!(parse_signed(text, 100), Some(value));
        }
    }
}
