//! Numbers and dates as readers see them.

/// A number with three digits that count, or as a whole number from 1000 on.
pub(super) fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = 2 - value.abs().log10().floor() as i32;
    if !(-6..=6).contains(&digits) {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.*}", digits.max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A duration in words.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 100.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

/// The day of a time, as year-month-day.
pub(super) fn day(unix_seconds: u64) -> String {
    // Years from March on, in eras of 400 years; day 0 of an era is 1 March.
    let days = unix_seconds / 86_400 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = (400 * era + year_of_era, if month < 10 { month + 3 } else { month - 9 });
    format!("{:04}-{month:02}-{day:02}", year + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (12.345, "12.3"),
            (0.012345, "0.0123"),
            (999.6, "1000"),
            (123_456.0, "123456"),
            (1e12, "1.00e12"),
            (1e-9, "1.00e-9"),
            (100.0, "100"),
            (2.50, "2.5"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_798_761_599, "2026-12-31"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day(seconds), text);
        }
    }
}
