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

/// Returns the date `YYYY-MM-DD` that is so many days after 1970-01-01, or `None` where it isn't of the years 0 to 9999.
///
/// ```
/// use asanoha_numeric::date::of_days;
///
/// assert_eq!(of_days(20780).as_deref(), Some("2026-11-23"));
/// assert_eq!(of_days(1 << 40), None);
/// ```
pub fn of_days(days: i64) -> Option<String> {
    // The days from 0000-03-01, from which on every leap day is the last of its year.
    const FROM_MARCH_OF_0: i64 = 719_468;
    const OF_400_YEARS: i64 = 146_097;
    if !(-719_528..=2_932_896).contains(&days) {
        return None;
    }
    let days = days + FROM_MARCH_OF_0;
    let (era, day) = (days.div_euclid(OF_400_YEARS), days.rem_euclid(OF_400_YEARS));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (400 * era + year + i64::from(month >= 10), (month + 2) % 12 + 1);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::{days, of_days};

    #[test]
    fn every_day_of_ten_thousand_years_is_written_and_read() {
        let first = days("0000-01-01").unwrap();
        let last = days("9999-12-31").unwrap();
        assert_eq!(
            [first, last].map(of_days),
            ["0000-01-01", "9999-12-31"].map(|text| Some(text.to_owned()))
        );
        assert_eq!([first - 1, last + 1, i64::MIN, i64::MAX].map(of_days), [const { None }; 4]);
        for day in first..=last {
            assert_eq!(of_days(day).and_then(|text| days(&text)), Some(day), "{day}");
        }
    }
}
