//! Days of the Gregorian calendar.

/// Returns the days from 1970-01-01 to a date `YYYY-MM-DD`, or `None` if there's no such day.
///
/// ```
/// use asanoha_numeric::date::days;
///
/// assert_eq!(days("2026-11-23"), Some(20780));
/// assert_eq!(days("2026-02-29"), None);
/// ```
pub fn days(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let part = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    };
    let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let before = lengths.get(..usize::try_from(month - 1).ok()?)?;
    if !(1..=*lengths.get(before.len())?).contains(&day) {
        return None;
    }
    // Leap days of the years before, from year 0 on, which is a leap year.
    let leap_days =
        |year: i64| if year == 0 { 0 } else { (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1 };
    let from_zero = 365 * year + leap_days(year) + before.iter().sum::<i64>() + day - 1;
    Some(from_zero - (365 * 1970 + leap_days(1970)))
}
