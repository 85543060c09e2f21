//! Parts of dates, and when they change.

use asanoha_numeric::date;

/// A part of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The year.
    Year,
    /// The month, from 1 to 12.
    Month,
}

impl Part {
    /// The part of the date that is so many days after 1970-01-01; none of years that aren't written with four digits.
    pub(crate) fn of(self, days: i64) -> Option<i64> {
        let text = date::of_days(days)?;
        match self {
            Self::Year => text[..4].parse().ok(),
            Self::Month => text[5..7].parse().ok(),
        }
    }

    /// The days after `first` up to `last` on which the part changes, and by how much.
    pub(crate) fn changes(self, first: i64, last: i64) -> impl Iterator<Item = (i64, i64)> {
        let year = |days: i64| Self::Year.of(days).unwrap_or_default();
        let months = if self == Self::Year { 1..=1 } else { 1..=12 };
        (year(first)..=year(last))
            .flat_map(move |year| months.clone().map(move |month| (year, month)))
            .filter_map(move |(year, month)| {
                let day = date::days(&format!("{year:04}-{month:02}-01"))?;
                let change = if self == Self::Month && month == 1 { -11 } else { 1 };
                (first < day && day <= last).then_some((day, change))
            })
    }
}
