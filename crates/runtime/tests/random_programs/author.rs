//! Programs and tables of plain numbers: sums, products, statistics, functions of narrow whole numbers, real functions.

use asanoha_runtime::{data::Missing, plan::SchemeName, precision::Precision};

use super::{Case, MIXED, random::Random};

/// What an expression is written as, with what its author would know of it.
#[derive(Clone)]
struct Written {
    text: String,
    column: bool,
    /// About the largest magnitude.
    size: f64,
    /// Products one after the other.
    depth: u32,
}

/// What kind of program.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Sums, products, powers, statistics of whole numbers.
    Whole,
    /// And functions of narrow whole numbers.
    Functions,
    /// Real and whole columns, and approximated functions.
    Real,
    /// Real columns beside narrow whole ones, and functions of these.
    Mixed,
    /// Decimals of up to four places and whole numbers, sums, products and comparisons.
    Decimals,
}

impl Kind {
    /// Whether constants and columns may be any real numbers.
    fn is_real(self) -> bool {
        matches!(self, Self::Real | Self::Mixed)
    }
}

struct Author {
    random: Random,
    kind: Kind,
    /// Columns and names that were given before.
    known: Vec<Written>,
    deepest: u32,
}

impl Author {
    fn constant(&mut self, size: f64) -> (String, f64) {
        let value = size * (0.05 + self.random.unit());
        if self.kind == Kind::Decimals {
            let value = (value * 100.0).round().clamp(1.0, 1e6) / 100.0;
            return (value.to_string(), value);
        }
        if !self.kind.is_real() {
            let value = 1 + self.random.below((value.abs() as u64).clamp(1, 1000));
            return if self.kind == Kind::Whole && self.random.chance(30) {
                let denominator = *self.random.pick(&[2u64, 3, 7, 10, 1000]);
                (format!("{value}/{denominator}"), value as f64 / denominator as f64)
            } else {
                (value.to_string(), value as f64)
            };
        }
        (format!("{value:.3e}"), value)
    }

    fn leaf(&mut self, column: bool) -> Written {
        let fitting: Vec<Written> = self.known.iter().filter(|it| !column || it.column).cloned().collect();
        self.random.pick(&fitting).clone()
    }

    fn expression(&mut self, column: bool, nesting: u32) -> Written {
        if nesting == 0 || self.random.chance(15) {
            return self.leaf(column);
        }
        let choice = self.random.below(if self.kind == Kind::Whole { 10 } else { 13 });
        let a = self.expression(column || choice == 9, nesting - 1);
        let room = self.deepest.saturating_sub(a.depth);
        match choice {
            0..=2 => self.sum(&a, nesting),
            3 | 4 => self.product(a, nesting),
            5 if room >= 1 => {
                let exponent = 2 + self.random.below((1 << room.min(3)) - 1) as u32;
                let depth = a.depth + exponent.next_power_of_two().ilog2();
                let size = a.size.powi(exponent as i32);
                Written { text: format!("({})**{exponent}", a.text), size, depth, ..a }
            }
            6 => {
                let (k, value) = self.constant(10.0);
                let sign = *self.random.pick(&["", "-"]);
                let text = match self.random.below(3) {
                    0 => format!("{sign}({k}) * ({})", a.text),
                    1 => format!("({}) / ({k})", a.text),
                    _ => format!("{sign}({})", a.text),
                };
                Written { text, size: a.size * value.max(1.0 / value), ..a }
            }
            7 => {
                let (c, value) = self.constant(a.size.min(1e15));
                let operator = *self.random.pick(&["+", "-"]);
                Written { text: format!("({}) {operator} {c}", a.text), size: a.size + value, ..a }
            }
            8 if !a.column => a,
            8 | 9 if !column && a.column => self.statistic(&a),
            10..=12 if matches!(self.kind, Kind::Functions | Kind::Mixed) => self.function(&a),
            10..=12 if self.kind == Kind::Decimals => self.function_of_decimals(&a),
            10..=12 if self.kind == Kind::Real && room >= 3 => {
                let name = *self.random.pick(&["sigmoid", "exp", "tanh", "log", "sqrt", "1 / "]);
                let reach = self.random.unit() * 5.0 + 0.5;
                let size = if name == "exp" { reach.exp() } else { 4.0 };
                // Between half of it and five times as much where the function isn't defined everywhere.
                let offset = if matches!(name, "log" | "sqrt" | "1 / ") { 1.5 * reach } else { 0.0 };
                let text = format!("{name}({offset:.4} + {:.4e} * ({}))", reach / a.size.max(1e-200), a.text);
                Written { text, size, depth: a.depth + 3, ..a }
            }
            _ => a,
        }
    }

    fn sum(&mut self, a: &Written, nesting: u32) -> Written {
        let b = self.expression(!a.column, nesting - 1);
        let operator = *self.random.pick(&["+", "-"]);
        Written {
            text: format!("({}) {operator} ({})", a.text, b.text),
            column: a.column || b.column,
            size: a.size + b.size,
            depth: a.depth.max(b.depth),
        }
    }

    fn product(&mut self, a: Written, nesting: u32) -> Written {
        let b = self.expression(!a.column, nesting - 1);
        let depth = a.depth.max(b.depth) + 1;
        if depth > self.deepest {
            return a;
        }
        let text = format!("({}) * ({})", a.text, b.text);
        Written { text, column: a.column || b.column, size: a.size * b.size, depth }
    }

    fn statistic(&mut self, a: &Written) -> Written {
        let number = |text: String, size, depth| Written { text, column: false, size, depth };
        match self.random.below(4) {
            0 => number(format!("sum({})", a.text), 50.0 * a.size, a.depth),
            1 => number(format!("mean({})", a.text), a.size, a.depth),
            2 if a.depth < self.deepest => number(format!("var({})", a.text), a.size * a.size, a.depth + 1),
            _ => {
                let b = self.leaf(true);
                let depth = a.depth.max(b.depth) + 1;
                if depth > self.deepest {
                    return number(format!("sum({})", a.text), 50.0 * a.size, a.depth);
                }
                number(format!("dot({}, {})", a.text, b.text), 50.0 * a.size * b.size, depth)
            }
        }
    }

    /// A function of narrow columns, whatever `a` is.
    fn function(&mut self, a: &Written) -> Written {
        let is_operand = |it: &&Written| {
            !it.text.starts_with('_') && (self.kind != Kind::Mixed || it.text.starts_with('k'))
        };
        let columns: Vec<Written> = self.known.iter().filter(is_operand).cloned().collect();
        let x = self.random.pick(&columns).clone();
        let y = self.random.pick(&columns).clone();
        let operand = |random: &mut Random| {
            if random.chance(40) { random.below(20).to_string() } else { y.text.clone() }
        };
        let b = operand(&mut self.random);
        let (text, size) = match self.random.below(11) {
            0 => (format!("({} // {b})", x.text), x.size),
            1 => (format!("({} % {b})", x.text), y.size + 20.0),
            2 => {
                let operator = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                (format!("({} {operator} {b})", x.text), 1.0)
            }
            3 => {
                let name = *self.random.pick(&["min", "max"]);
                (format!("{name}({}, {b})", x.text), x.size + y.size + 20.0)
            }
            6 => (format!("clip({}, -2, 7)", x.text), 7.0),
            7 => (format!("round({} / 3 + {b} / 2)", x.text), x.size + y.size + 20.0),
            8 => (format!("(0 < {} <= {b} or not {} == 3)", x.text, y.text), 1.0),
            9 => (format!("({} if {} > 1 and {b} < 5 else 4)", x.text, y.text), x.size + 4.0),
            10 => (format!("({} - count({} >= {b}))", y.text, x.text), y.size + 50.0),
            4 => (format!("where({} > {b}, {}, {b})", x.text, x.text), x.size + y.size + 20.0),
            _ => {
                let entries: Vec<String> =
                    (0..128).map(|_| (self.random.below(41) as i64 - 20).to_string()).collect();
                match self.random.below(3) {
                    0 => (format!("abs({} - {b})", x.text), x.size + y.size + 20.0),
                    1 => (format!("table(abs({}), [{}])", x.text, entries.join(", ")), 20.0),
                    _ => (format!("table2({} > {b}, {} < 3, [[1, 2], [3, 4]])", x.text, y.text), 4.0),
                }
            }
        };
        let depth = self.deepest;
        if self.kind == Kind::Mixed {
            let operator = *self.random.pick(&["+", "*", "*", "*"]);
            let text = format!("({text}) {operator} ({})", a.text);
            return Written { text, column: true, size: size * a.size + a.size, depth };
        }
        if self.random.chance(50) && a.depth == 0 {
            let text = format!("{text} + ({})", a.text);
            return Written { text, column: true, size: size + a.size, depth };
        }
        Written { text, column: true, size, depth }
    }
}

impl Author {
    /// A function of columns of decimals.
    fn function_of_decimals(&mut self, a: &Written) -> Written {
        let x = self.random.pick(&self.known.clone()).clone();
        let y = self.leaf(true);
        let (c, value) = self.constant(x.size);
        let (text, size) = match self.random.below(9) {
            0 => (format!("floor({})", x.text), x.size),
            1 => (format!("round({} + {c})", x.text), x.size + value),
            2 => (format!("min({}, {c})", x.text), x.size),
            3 => (format!("max({}, {})", x.text, y.text), x.size + y.size),
            4 => (format!("abs({} - {c})", x.text), x.size + value),
            5 => (format!("where({} > {c}, {}, {c})", x.text, y.text), y.size + value),
            6 => (format!("({} == {})", x.text, y.text), 1.0),
            7 => (format!("({} % 3)", x.text), 3.0),
            _ => {
                let operator = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                (format!("({} {operator} {c})", x.text), 1.0)
            }
        };
        let depth = self.deepest;
        let column = x.column || y.column;
        if self.random.chance(40) && a.depth == 0 {
            return Written {
                text: format!("{text} + ({})", a.text),
                column: true,
                size: size + a.size,
                depth,
            };
        }
        Written { text, column, size, depth }
    }
}

fn cell(random: &mut Random, kind: Kind, whole: bool, size: f64, style: Style) -> String {
    let value = size
        * match style {
            Style::Positive => random.unit(),
            Style::Signed => 2.0 * random.unit() - 1.0,
            Style::Narrow => 1.0 + random.unit() / 1000.0,
            Style::Constant => 0.75,
        };
    if kind == Kind::Decimals && !whole {
        // Some are written with fewer places.
        return format!("{value:.*}", random.below(5).min(2) as usize);
    }
    if !whole {
        return if random.chance(5) { "0".to_owned() } else { format!("{value:.6e}") };
    }
    let value = value.round();
    match random.below(20) {
        0 => format!("{value:.1}"),
        1 if !matches!(kind, Kind::Functions | Kind::Mixed | Kind::Decimals) => format!("{value:.0}e0"),
        _ => format!("{value:.0}"),
    }
}

/// How the values of a column are spread.
#[derive(Clone, Copy)]
enum Style {
    Positive,
    Signed,
    /// Within a thousandth of one another.
    Narrow,
    Constant,
}

/// The program of a seed.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random(seed);
    let kinds = if seed < MIXED {
        [Kind::Whole, Kind::Functions, Kind::Real, Kind::Real]
    } else {
        [Kind::Mixed, Kind::Mixed, Kind::Decimals, Kind::Decimals]
    };
    let kind = *random.pick(&kinds);
    let rows = 1 + random.below(50) as usize;
    let mut known = Vec::new();
    let mut columns = Vec::new();
    let mut ranges = Vec::new();
    let names = match kind {
        Kind::Mixed => &["k", "x", "k2"][..2 + random.below(2) as usize],
        _ => &["x", "y", "z"][..=random.below(3) as usize],
    };
    for name in names {
        let whole = match kind {
            Kind::Real => random.chance(25),
            Kind::Mixed => name.starts_with('k'),
            Kind::Decimals => random.chance(20),
            Kind::Whole | Kind::Functions => true,
        };
        let style = match random.below(20) {
            0 => Style::Constant,
            1 | 2 => Style::Narrow,
            3..10 => Style::Signed,
            _ => Style::Positive,
        };
        let size = match kind {
            Kind::Functions => 2f64.powi(1 + random.below(6) as i32) - 1.0,
            Kind::Mixed if whole => 2f64.powi(1 + random.below(4) as i32) - 1.0,
            Kind::Decimals => 10f64.powf(5.0 * random.unit() - 1.0),
            _ => 10f64.powf(if whole { 9.0 * random.unit() } else { 18.0 * random.unit() - 9.0 }),
        };
        let cells: Vec<String> = (0..rows).map(|_| cell(&mut random, kind, whole, size, style)).collect();
        if random.chance(20) || matches!(style, Style::Narrow) {
            // The data's own outermost values, as they're written there.
            let value = |text: &&String| text.parse::<f64>().unwrap();
            let least = cells.iter().min_by(|a, b| value(a).total_cmp(&value(b))).unwrap();
            let most = cells.iter().max_by(|a, b| value(a).total_cmp(&value(b))).unwrap();
            ranges.push(format!("{name}={least}:{most}"));
        }
        known.push(Written { text: (*name).to_owned(), column: true, size: size.max(1e-12), depth: 0 });
        columns.push(cells);
    }
    let names: Vec<String> = known.iter().map(|it| it.text.clone()).collect();
    let mut csv = names.join(",") + "\n";
    for row in 0..rows {
        csv += &(columns.iter().map(|cells| cells[row].as_str()).collect::<Vec<_>>().join(",") + "\n");
    }
    let deepest = 1 + random.below(if kind == Kind::Real { 7 } else { 4 }) as u32;
    let mut author = Author { random, kind, known, deepest };
    let mut text = String::new();
    let outputs = 1 + author.random.below(3);
    for line in 0..outputs + author.random.below(3) {
        let (column, nesting) = (author.random.chance(70), 1 + author.random.below(4) as u32);
        let written = author.expression(column, nesting);
        let name = if line < outputs { format!("out{line}") } else { format!("_inner{line}") };
        text = if line < outputs {
            format!("{text}{name} = {}\n", written.text)
        } else {
            format!("{name} = {}\n{text}", written.text)
        };
        if line >= outputs {
            let last = format!("last{line} = {name} * 3 - {}\n", author.leaf(true).text);
            text += &last;
        }
    }
    let precision = match author.random.below(8) {
        0 => Precision::Absolute { error: 10f64.powf(-6.0 * author.random.unit()) },
        1 | 2 => Precision::Relative { bits: 8 + author.random.below(23) as u32 },
        _ => Precision::Relative { bits: 20 },
    };
    let scheme = match author.random.below(12) {
        0 => Some(SchemeName::Ckks),
        1 => Some(SchemeName::Bfv),
        2 => Some(SchemeName::Bgv),
        _ => None,
    };
    Case { text, csv, ranges, weights: Vec::new(), precision, scheme, missing: Missing::Refuse, fewer: 0 }
}
