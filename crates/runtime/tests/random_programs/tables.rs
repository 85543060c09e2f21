//! Tables as people have them: text, missing values, decimals, offsets, dates, in CSV with its separators and quotes.

use asanoha_runtime::data::Missing;

use super::random::Random;

/// What a column holds.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Whole numbers of so many bits.
    Whole(u32),
    /// Decimals of so many places.
    Decimal(usize),
    /// More digits than words hold.
    Long,
    /// 10^8 ± 1, with so many places.
    Offset(usize),
    /// Seconds since 1970, with so many places.
    Stamp(usize),
    Date,
    Truth,
    /// Numbers with exponents, which are real.
    Real,
    Text,
    /// Digits with leading zeros.
    Identifier,
}

/// A column and what a program's author knows of it.
#[derive(Clone)]
pub(crate) struct Column {
    /// As programs write it.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Some of its cells, without those that miss.
    pub(crate) samples: Vec<String>,
    /// The least and the largest number.
    pub(crate) ends: (f64, f64),
}

impl Column {
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Identifier)
    }
}

/// A table as a file.
pub(crate) struct Sheet {
    pub(crate) csv: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) missing: Missing,
}

const NAMES: [&str; 24] = [
    "x",
    "y",
    "z",
    "price",
    "age",
    "u",
    "v",
    "body mass",
    "kg/m²",
    "NA",
    "a,b",
    "sum",
    "if",
    "Größe",
    "日本",
    "it's",
    "e",
    "_hidden",
    "1st",
    "a\"b",
    "true",
    "x;y",
    "count",
    "-",
];

const TEXTS: [&str; 20] = [
    "north",
    "south",
    "NA",
    "Namibia",
    "N/A",
    "null",
    "None",
    "?",
    "Größe",
    "日本",
    "a,b",
    "say \"hi\"",
    "it's",
    "back\\slash",
    "x y",
    "#",
    "North",
    "e",
    "nan",
    "=1+1",
];

const TOKENS: [&str; 7] = ["", "", "", "NA", "N/A", "null", "?"];

fn kind(random: &mut Random) -> Kind {
    match random.below(28) {
        0..4 => Kind::Whole(1 + random.below(5) as u32),
        4..7 => Kind::Whole(6 + random.below(20) as u32),
        7 => Kind::Whole(30 + random.below(31) as u32),
        8..13 => Kind::Decimal(1 + random.below(4) as usize),
        13 => Kind::Decimal(5 + random.below(5) as usize),
        14 => Kind::Long,
        15 => Kind::Offset(random.below(4) as usize),
        16 => Kind::Stamp(random.below(3) as usize),
        17 => Kind::Date,
        18 => Kind::Truth,
        19 | 20 => Kind::Real,
        21 => {
            if random.chance(15) {
                Kind::Identifier
            } else {
                Kind::Text
            }
        }
        _ => Kind::Text,
    }
}

/// How the numbers of a column are spread.
struct Spread {
    /// The largest magnitude, in units of the last place.
    size: f64,
    signed: bool,
    /// Whether none is near 0.
    away: bool,
}

fn units(random: &mut Random, spread: &Spread) -> i64 {
    let part = if spread.away { 0.3 + 0.7 * random.unit() } else { random.unit() };
    let value = (part * spread.size).round() as i64;
    if spread.signed && random.chance(50) { -value } else { value }
}

/// The digits with so many places.
fn decimal(units: i64, places: usize) -> String {
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if units < 0 { "-" } else { "" };
    if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

fn cell(random: &mut Random, kind: Kind, spread: &Spread, texts: &[&str]) -> String {
    match kind {
        Kind::Whole(_) => {
            let value = units(random, spread);
            match random.below(60) {
                0 => format!("{value}.0"),
                1 => format!("{value}e0"),
                2 if value >= 0 => format!("{value:#x}"),
                3 if value >= 0 => format!("+{value}"),
                _ => value.to_string(),
            }
        }
        Kind::Decimal(places) => {
            let text = decimal(units(random, spread), places);
            // Some are written with fewer places.
            if random.chance(10) { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        Kind::Long => {
            let sign = if spread.signed && random.chance(50) { "-" } else { "" };
            let [a, b] = [random.next() >> 4, random.below(10_u64.pow(9))];
            format!("{sign}{}{b:09}.{:02}", a + 1, random.below(100))
        }
        Kind::Offset(places) => {
            let unit = 10_i64.pow(places as u32);
            decimal(100_000_000 * unit + random.below(2 * unit as u64 + 1) as i64 - unit, places)
        }
        Kind::Stamp(places) => {
            let unit = 10_i64.pow(places as u32);
            decimal(1_700_000_000 * unit + random.below(600 * unit as u64) as i64, places)
        }
        Kind::Date => {
            let (year, month, day) = (1960 + random.below(80), 1 + random.below(12), 1 + random.below(28));
            format!("{year:04}-{month:02}-{day:02}")
        }
        Kind::Truth => (*random.pick(&["true", "false", "True", "FALSE"])).to_owned(),
        Kind::Real => {
            let value = units(random, spread) as f64 * 1e-6;
            format!("{value:e}")
        }
        Kind::Text => (*random.pick(texts)).to_owned(),
        Kind::Identifier => format!("{:03}", random.below(12)),
    }
}

/// The number that a cell is, about.
fn value(text: &str) -> f64 {
    let truth = || f64::from(text.eq_ignore_ascii_case("true"));
    text.parse().unwrap_or_else(|_| match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).unwrap_or(0) as f64,
        // A date is a number of some ten thousand days.
        None => text
            .get(..4)
            .and_then(|year| year.parse::<f64>().ok())
            .map_or_else(truth, |year| (year - 1970.0) * 365.25),
    })
}

/// A cell as a file has it.
fn quoted(random: &mut Random, text: &str, separator: char, is_text: bool) -> String {
    let needs = text.contains([separator, '"', ',']) || is_missing(text) && is_text;
    if needs || random.chance(2) && !text.is_empty() {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn is_missing(text: &str) -> bool {
    TOKENS.contains(&text) || matches!(text, "None" | "nan" | "NaN")
}

/// The name of a column as programs write it.
fn in_programs(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !matches!(name, "sum" | "if" | "count");
    if is_plain { name.to_owned() } else { format!("`{name}`") }
}

/// A table of one to six columns.
pub(crate) fn sheet(random: &mut Random) -> Sheet {
    let rows = if random.chance(8) { 65 + random.below(100) } else { 1 + random.below(50) } as usize;
    let count = 1 + random.below(6) as usize;
    let missing = *random.pick(&[
        Missing::Refuse,
        Missing::Refuse,
        Missing::Mask,
        Missing::Mask,
        Missing::Mean,
        Missing::Zero,
    ]);
    let separator = *random.pick(&[',', ',', ',', ';', '\t']);
    let mut names = NAMES.to_vec();
    let mut columns = Vec::new();
    let mut lines = vec![Vec::new(); rows + 1];
    for _ in 0..count {
        let plain = random.chance(80);
        let name =
            names.remove(random.below(if plain { names.len().min(7) } else { names.len() } as u64) as usize);
        let mut kind = kind(random);
        if columns.is_empty() && matches!(kind, Kind::Text | Kind::Identifier) {
            kind = Kind::Whole(4);
        }
        let size = match kind {
            Kind::Whole(bits) => 2_f64.powi(bits as i32) - 1.0,
            Kind::Decimal(places) => 10_f64.powf(places as f64 + 5.0 * random.unit() - 1.0),
            _ => 10_f64.powf(2.0 + 8.0 * random.unit()),
        };
        let spread = Spread { size, signed: random.chance(35), away: random.chance(35) };
        let texts: Vec<&str> = (0..=random.below(6)).map(|_| *random.pick(&TEXTS)).collect();
        let is_text = matches!(kind, Kind::Text | Kind::Identifier);
        let gaps = match missing {
            Missing::Refuse => u64::from(random.chance(2)),
            Missing::Mask => *random.pick(&[0, 8, 30]),
            _ if is_text => u64::from(random.chance(3)),
            _ => *random.pick(&[0, 8, 30]),
        };
        lines[0].push(quoted(random, name, separator, true));
        let mut samples = Vec::new();
        for (row, line) in lines[1..].iter_mut().enumerate() {
            if random.chance(gaps) {
                // A blank line at the end of a table is none of its rows.
                let token = if count == 1 && row + 1 == rows { "NA" } else { random.pick(&TOKENS) };
                line.push(token.to_owned());
            } else {
                let text = cell(random, kind, &spread, &texts);
                line.push(quoted(random, &text, separator, is_text));
                samples.push(text);
            }
        }
        let numbers = samples.iter().map(|text| value(text));
        let ends = numbers.fold((f64::MAX, f64::MIN), |(lo, hi), x| (x.min(lo), x.max(hi)));
        samples.truncate(8);
        if samples.is_empty() {
            samples.push("0".to_owned());
        }
        columns.push(Column { name: in_programs(name), kind, samples, ends });
    }
    let end = *random.pick(&["\n", "\n", "\r\n"]);
    let separator = separator.to_string();
    let csv: String = lines.iter().map(|cells| cells.join(&separator) + end).collect();
    Sheet { csv, columns, missing }
}
