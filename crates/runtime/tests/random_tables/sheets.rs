//! Tables of columns of every kind, and the values that programs compute with.

use asanoha_runtime::data::Missing;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

use super::numbers::{half_away_from_zero, parsed, ratio};
use crate::random_programs::random::Random;

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Whole,
    /// Decimals of at most this number of places.
    Decimal(u32),
    /// Doubles.
    Real,
    Date,
    Text,
    /// 0 and 1.
    Truth,
}

/// A cell: a number as a file writes it, or a text.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) written: String,
    /// 0 for texts.
    pub(crate) number: BigRational,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) cells: Vec<Option<Cell>>,
    /// The range `NAME=LO:HI` that the user declares.
    pub(crate) range: Option<String>,
}

/// The way data come to asanoha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    Csv,
    Frame,
    Parquet,
}

#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: usize,
    pub(crate) missing: Missing,
    pub(crate) source: Source,
}

const NAMES: [&str; 12] =
    ["x", "y", "z", "price", "age", "u2", "Total", "body mass", "kg/m²", "Größe", "day", "sum"];

pub(crate) const TEXTS: [&str; 18] = [
    "North",
    "north",
    "SOUTH",
    "x y",
    "it's",
    "say \"hi\"",
    "Größe",
    "日本",
    "a,b",
    "2A",
    "B12",
    "back\\slash",
    "=1+1",
    "e",
    "#",
    "007",
    "A-1",
    "true north",
];

/// Doubles as data frames and Parquet files have them.
const DOUBLES: [f64; 20] = [
    0.1 + 0.2,
    0.3,
    1e-300,
    -1e-300,
    -0.0,
    0.0,
    7.0,
    8.0,
    7.999_999_999_999_999,
    0.57,
    -0.57,
    1.1,
    5e17,
    -5e17,
    1.0 / 3.0,
    2.0 / 3.0,
    9_007_199_254_740_993.0,
    1e-9,
    100.0,
    33.333_333_333_333_336,
];

impl Column {
    /// The name as programs write it.
    pub(crate) fn written(&self) -> String {
        let is_plain = self.name.chars().all(|c| c.is_alphanumeric() || c == '_') && self.name != "sum";
        if is_plain { self.name.clone() } else { format!("`{}`", self.name) }
    }

    pub(crate) fn is_text(&self) -> bool {
        self.kind == Kind::Text
    }

    /// The numbers of the cells that aren't missing.
    pub(crate) fn present(&self) -> impl Iterator<Item = &BigRational> {
        self.cells.iter().flatten().map(|cell| &cell.number)
    }

    /// The most places after the point of any cell, or 0 if every cell is whole.
    fn places(&self) -> u32 {
        if self.present().all(BigRational::is_integer) {
            return 0;
        }
        let places =
            self.cells.iter().flatten().map(|cell| cell.written.split_once('.').map_or(0, |(_, p)| p.len()));
        places.max().unwrap_or(0) as u32
    }

    /// The number that stands for missing ones.
    fn substitute(&self, missing: Missing) -> BigRational {
        let count = self.present().count();
        if missing != Missing::Mean || count == 0 {
            return BigRational::zero();
        }
        if self.kind == Kind::Real {
            // In doubles, as data frames compute it.
            let doubles = self.present().map(|value| value.to_f64().unwrap() / count as f64);
            return parsed(&format!("{:e}", doubles.sum::<f64>()));
        }
        let unit = BigRational::from_integer(BigInt::from(10).pow(self.places()));
        let sum: BigRational = self.present().sum();
        half_away_from_zero(&(sum * &unit / ratio(count as i64, 1))) / unit
    }

    /// The numbers of all rows, with those that stand for missing ones.
    pub(crate) fn numbers(&self, missing: Missing) -> Vec<BigRational> {
        let substitute = self.substitute(missing);
        let number =
            |cell: &Option<Cell>| cell.as_ref().map_or(substitute.clone(), |cell| cell.number.clone());
        self.cells.iter().map(number).collect()
    }
}

impl Sheet {
    /// The rows that a program which reads some columns computes with.
    pub(crate) fn rows_left(&self, read: &[&str]) -> Vec<usize> {
        let read = |column: &&Column| read.contains(&column.name.as_str());
        let is_whole =
            |&row: &usize| self.columns.iter().filter(read).all(|column| column.cells[row].is_some());
        (0..self.rows).filter(|row| self.missing != Missing::Mask || is_whole(row)).collect()
    }
}

fn whole(value: BigInt) -> Cell {
    Cell { written: value.to_string(), number: BigRational::from_integer(value) }
}

/// Whole numbers that are small, or wide in one of several ways.
fn whole_cells(random: &mut Random, rows: usize) -> Vec<Cell> {
    let power = |bits: u32| BigInt::one() << bits;
    let class = random.below(20);
    let lo = random.below(30) as i64 - 15;
    let width = 1 + random.below(12);
    (0..rows)
        .map(|_| {
            let small = BigInt::from(lo + random.below(width + 1) as i64);
            let sign = if random.chance(50) { 1 } else { -1 };
            whole(match class {
                0..9 => small,
                9..12 => BigInt::from(random.below(20_000) as i64 - 3000),
                12 => small + power(53),
                13 => sign * (power(53) + BigInt::from(random.below(4))),
                14 => sign * (power(63) + small),
                15 => {
                    let ends = [i64::MIN, i64::MAX, i64::MAX - 1, 0, -1];
                    BigInt::from(*random.pick(&ends))
                }
                16 => small + BigInt::from(10).pow(12u32),
                17 => power(100) + small,
                18 => sign * BigInt::from(random.next() >> 1),
                _ => BigInt::from(random.below(1 << 40)),
            })
        })
        .collect()
}

fn decimal_cells(random: &mut Random, rows: usize, places: u32) -> Vec<Cell> {
    let size = *random.pick(&[30u64, 1000, 100_000, 10_000_000]);
    let is_signed = random.chance(30);
    let base = if random.chance(15) { BigInt::from(10).pow(20u32) } else { BigInt::zero() };
    let unit = BigInt::from(10).pow(places);
    (0..rows)
        .map(|_| {
            let digits = &base + BigInt::from(random.below(size));
            let digits = if is_signed && random.chance(50) { -digits } else { digits };
            let sign = if digits.is_negative() { "-" } else { "" };
            let (before, after) =
                (digits.magnitude() / unit.magnitude(), digits.magnitude() % unit.magnitude());
            let written = format!("{sign}{before}.{after:0>width$}", width = places as usize);
            let written = match written.trim_end_matches('0') {
                short if random.chance(20) => short.trim_end_matches('.').to_owned(),
                _ => written,
            };
            Cell { number: BigRational::new(digits, unit.clone()), written }
        })
        .collect()
}

fn real_cells(random: &mut Random, rows: usize) -> Vec<Cell> {
    let is_hostile = random.chance(60);
    let cell = |value: f64| {
        let written = format!("{value:?}");
        Cell { number: parsed(&written), written }
    };
    let scale = *random.pick(&[1.0, 1e-3, 1e6]);
    let mut value = || match random.below(3) {
        _ if is_hostile => *random.pick(&DOUBLES),
        0 => (random.below(2000) as f64 - 500.0) / 7.0 * scale,
        _ => (random.below(200) as f64) / 10.0,
    };
    (0..rows).map(|_| cell(value())).collect()
}

/// The date of a day, by the count of years of 400 (the Gregorian calendar's period).
fn date(days: i64) -> String {
    // From 0000-03-01, so that leap days end years.
    let (mut rest, mut year) = (days + 719_468, 0);
    year += 400 * rest.div_euclid(146_097);
    rest = rest.rem_euclid(146_097);
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    loop {
        let length = if is_leap(year + 1) { 366 } else { 365 };
        if rest < length {
            break;
        }
        rest -= length;
        year += 1;
    }
    let mut month = 3;
    for length in [31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 29] {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    if month > 12 {
        (year, month) = (year + 1, month - 12);
    }
    format!("{year:04}-{month:02}-{:02}", rest + 1)
}

/// A day as a cell of a file writes it.
pub(crate) fn day(days: i64) -> Cell {
    Cell { written: date(days), number: ratio(days, 1) }
}

fn date_cells(random: &mut Random, rows: usize) -> Vec<Cell> {
    let (first, width) =
        *random.pick(&[(19_000i64, 900u64), (-12_000, 30_000), (-2, 5), (-719_000, 3_600_000)]);
    (0..rows).map(|_| day(first + random.below(width) as i64)).collect()
}

fn cells(random: &mut Random, kind: Kind, rows: usize) -> Vec<Cell> {
    match kind {
        Kind::Whole => whole_cells(random, rows),
        Kind::Decimal(places) => decimal_cells(random, rows, places),
        Kind::Real => real_cells(random, rows),
        Kind::Date => date_cells(random, rows),
        Kind::Text => {
            let some: Vec<&str> = (0..=1 + random.below(4)).map(|_| *random.pick(&TEXTS)).collect();
            let text = |text: &str| Cell { written: text.to_owned(), number: BigRational::zero() };
            (0..rows).map(|_| text(random.pick::<&str>(&some))).collect()
        }
        Kind::Truth => (0..rows).map(|_| whole(random.below(2).into())).collect(),
    }
}

/// The range that a user declares of a column, with cells at both of its ends or beyond them.
fn range(random: &mut Random, column: &Column) -> Option<String> {
    let is_exact = matches!(column.kind, Kind::Whole | Kind::Decimal(_) | Kind::Date | Kind::Truth);
    let (lo, hi) = (column.present().min()?, column.present().max()?);
    if !is_exact || lo == hi || !random.chance(35) {
        return None;
    }
    let zero = BigRational::zero();
    let (mut lo, mut hi) = (lo.clone().min(zero.clone()), hi.clone().max(zero));
    if column.cells.iter().all(Option::is_some) {
        (lo, hi) = (column.present().min()?.clone(), column.present().max()?.clone());
    }
    if random.chance(30) {
        hi += BigRational::one();
    }
    let written = |value: &BigRational| super::numbers::literal(value);
    Some(format!("{}={}:{}", column.name, written(&lo), written(&hi)))
}

/// A table of two to six columns.
pub(crate) fn sheet(random: &mut Random) -> Sheet {
    let rows = 1 + random.below(24) as usize;
    let source = *random.pick(&[Source::Csv, Source::Csv, Source::Frame, Source::Parquet]);
    let missing =
        *random.pick(&[Missing::Refuse, Missing::Refuse, Missing::Mask, Missing::Mean, Missing::Zero]);
    let mut names = NAMES.to_vec();
    let mut columns = Vec::new();
    for at in 0..2 + random.below(5) {
        let name = names.remove(random.below(names.len() as u64) as usize).to_owned();
        let kind = match random.below(if at == 0 { 8 } else { 13 }) {
            0..4 => Kind::Whole,
            4..6 => Kind::Decimal(1 + random.below(5) as u32),
            6 | 7 => Kind::Real,
            8 | 9 => Kind::Date,
            10 | 11 => Kind::Text,
            _ => Kind::Truth,
        };
        let mut cells: Vec<Option<Cell>> = cells(random, kind, rows).into_iter().map(Some).collect();
        // A text file's real cells may all be whole numbers, whose mean is one too.
        let is_unclear = kind == Kind::Real && source == Source::Csv && missing == Missing::Mean;
        let has_gaps = match missing {
            Missing::Refuse => false,
            Missing::Mask => true,
            Missing::Mean | Missing::Zero => kind != Kind::Text && !is_unclear,
        };
        if has_gaps && random.chance(60) {
            cells.iter_mut().for_each(|cell| {
                if random.chance(15) {
                    *cell = None;
                }
            });
        }
        let mut column = Column { name, kind, cells, range: None };
        column.range = range(random, &column);
        columns.push(column);
    }
    Sheet { columns, rows, missing, source }
}

#[test]
fn days_are_those_of_the_calendar() {
    for (days, text) in [
        (0, "1970-01-01"),
        (20_780, "2026-11-23"),
        (11_016, "2000-02-29"),
        (-1, "1969-12-31"),
        (-719_162, "0001-01-01"),
        (2_932_896, "9999-12-31"),
    ] {
        assert_eq!(date(days), text);
    }
}
