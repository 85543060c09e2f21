//! Programs of the whole language on tables as people have them.

use asanoha_runtime::{plan::SchemeName, precision::Precision};

use super::{
    Case,
    random::Random,
    tables::{Column, Kind, sheet},
};

/// An expression and about the range of its values.
#[derive(Clone)]
struct Written {
    text: String,
    column: bool,
    lo: f64,
    hi: f64,
    /// Whether its values are whole numbers, as far as its author knows.
    whole: bool,
}

impl Written {
    fn size(&self) -> f64 {
        self.lo.abs().max(self.hi.abs()).max(1e-9)
    }

    /// Whether functions of it by its values are cheap.
    fn is_narrow(&self) -> bool {
        self.whole && self.hi - self.lo < 70.0
    }
}

struct Author {
    random: Random,
    columns: Vec<Column>,
    /// Whether real functions are among the program's.
    real: bool,
}

/// A text as programs write it.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

impl Author {
    fn numbers(&self) -> Vec<Column> {
        self.columns.iter().filter(|column| !column.is_text()).cloned().collect()
    }

    /// A column of numbers.
    fn leaf(&mut self) -> (Written, Column) {
        let numbers = self.numbers();
        let column = self.random.pick(&numbers).clone();
        let whole = matches!(
            column.kind,
            Kind::Whole(_) | Kind::Date | Kind::Truth | Kind::Offset(0) | Kind::Stamp(0)
        );
        let (lo, hi) = column.ends;
        let (lo, hi) = if lo > hi { (0.0, 0.0) } else { (lo, hi) };
        (Written { text: column.name.clone(), column: true, lo, hi, whole }, column)
    }

    /// A constant that something is compared with, or added to.
    fn constant(&mut self, near: &Written, of: Option<&Column>) -> String {
        let middle = f64::midpoint(near.lo, near.hi);
        let sample = of.map(|column| column.samples[0].clone());
        let sample = sample.filter(|text| text.parse::<f64>().is_ok_and(f64::is_finite));
        match self.random.below(12) {
            0..4 if sample.is_some() => {
                sample.map(|text| text.trim_start_matches('+').to_owned()).unwrap_or_default()
            }
            4 => "0".to_owned(),
            5 => "1".to_owned(),
            6 => (*self.random.pick(&["0.1", "-1", "(1/3)", "0.5", "1e8", "0x10", "1_000", "2**20", ".25"]))
                .to_owned(),
            7 => format!("{middle:.3}"),
            8 => format!("{:.0}", near.hi),
            _ if near.whole => format!("{middle:.0}"),
            _ => format!("{middle:.1}"),
        }
    }

    fn expression(&mut self, nesting: u32) -> Written {
        let (leaf, column) = self.leaf();
        if nesting == 0 || self.random.chance(20) {
            return leaf;
        }
        match self.random.below(if self.real { 15 } else { 12 }) {
            0..3 => self.sum(nesting),
            3 | 4 => self.product(nesting),
            5 => {
                let a = self.expression(nesting - 1);
                let k = *self.random.pick(&["2", "3", "0.5", "-1", "10", "7", "0.01", "(1/3)", "1.25"]);
                let operator = if self.random.chance(30) { "/" } else { "*" };
                let size = 100.0 * a.size();
                Written {
                    text: format!("({}) {operator} {k}", a.text),
                    lo: -size,
                    hi: size,
                    whole: false,
                    ..a
                }
            }
            6 => {
                let c = self.constant(&leaf, Some(&column));
                Written {
                    text: format!("({} - {c})", leaf.text),
                    lo: leaf.lo - leaf.size(),
                    hi: leaf.size(),
                    ..leaf
                }
            }
            7 => {
                let condition = self.condition(nesting - 1);
                let (a, b) = (self.expression(nesting - 1), self.operand(&leaf, &column));
                let text = if self.random.chance(50) {
                    format!("where({condition}, {}, {b})", a.text)
                } else {
                    format!("({} if {condition} else {b})", a.text)
                };
                Written {
                    text,
                    lo: a.lo.min(leaf.lo),
                    hi: a.hi.max(leaf.hi),
                    column: true,
                    whole: a.whole && leaf.whole,
                }
            }
            8 | 9 => self.function(&leaf, &column),
            10 => {
                let statistic = self.number(nesting - 1);
                Written { text: format!("({} - {statistic})", leaf.text), whole: false, ..leaf }
            }
            11 => {
                let condition = self.condition(nesting - 1);
                Written { text: format!("({condition})"), column: true, lo: 0.0, hi: 1.0, whole: true }
            }
            _ => self.smooth(nesting),
        }
    }

    fn sum(&mut self, nesting: u32) -> Written {
        let (a, b) = (self.expression(nesting - 1), self.expression(nesting - 1));
        let operator = *self.random.pick(&["+", "-"]);
        let size = a.size() + b.size();
        Written {
            text: format!("({} {operator} {})", a.text, b.text),
            column: a.column || b.column,
            lo: -size,
            hi: size,
            whole: a.whole && b.whole,
        }
    }

    fn product(&mut self, nesting: u32) -> Written {
        let (a, b) = (self.expression(nesting - 1), self.expression(nesting - 1));
        let column = a.column || b.column;
        let (text, size) = if self.random.chance(30) {
            let n = 2 + self.random.below(2) as i32;
            (format!("({})**{n}", a.text), a.size().powi(n))
        } else {
            (format!("({}) * ({})", a.text, b.text), a.size() * b.size())
        };
        Written { text, column, lo: -size, hi: size, whole: a.whole && b.whole }
    }

    /// Another column or a constant.
    fn operand(&mut self, near: &Written, column: &Column) -> String {
        if self.random.chance(50) { self.constant(near, Some(column)) } else { self.leaf().0.text }
    }

    /// A function of a column, by its values or by comparisons.
    fn function(&mut self, x: &Written, column: &Column) -> Written {
        let b = self.operand(x, column);
        let t = &x.text;
        let size = x.size();
        let (text, lo, hi) = match self.random.below(13) {
            0 => (format!("abs({t} - {b})"), 0.0, 2.0 * size),
            1 => (format!("max({t}, {b})"), -size, size),
            2 => (format!("min({t}, {b}, {})", self.leaf().0.text), -size, size),
            3 => (format!("clip({t}, {:.1}, {:.1})", x.lo / 2.0, x.hi / 2.0 + 1.0), x.lo / 2.0, x.hi),
            4 => (format!("relu({t} - {b})"), 0.0, size),
            5 => (format!("floor({t} / 2)"), -size, size),
            6 => (format!("round({t})"), -size, size),
            7 => (format!("sign({t} - {b})"), -1.0, 1.0),
            8 => (format!("({t} // {})", 1 + self.random.below(9)), -size, size),
            9 => (format!("({t} % {})", *self.random.pick(&["3", "7", "10", "-4", "0.5"])), -4.0, 10.0),
            10 if x.is_narrow() && x.lo >= 0.0 => {
                let entries: Vec<String> =
                    (0..=x.hi as u64).map(|_| (self.random.below(2001) as i64 - 1000).to_string()).collect();
                (format!("table({t}, [{}])", entries.join(", ")), -1000.0, 1000.0)
            }
            11 if x.is_narrow() => (format!("table2({t} > {b}, {t} > 1, [[1, 2], [3, -4]])"), -4.0, 4.0),
            11 => (format!("less_than({t}, {b}, {:e})", size / 1000.0), 0.0, 1.0),
            _ => {
                (format!("assume({t}, {:.0}, {:.0})", (x.lo - 1.0).floor(), (x.hi + 1.0).ceil()), x.lo, x.hi)
            }
        };
        Written { text, column: true, lo, hi, whole: x.whole }
    }

    fn smooth(&mut self, nesting: u32) -> Written {
        let a = self.expression(nesting - 1);
        let k = 2.0 / a.size();
        let (text, hi) = match self.random.below(9) {
            0 => (format!("exp({k:.3e} * ({}))", a.text), 8.0),
            1 => (format!("sigmoid({k:.3e} * ({}))", a.text), 1.0),
            2 => (format!("tanh({k:.3e} * ({}))", a.text), 1.0),
            3 => (format!("log(5 + {k:.3e} * ({}))", a.text), 2.0),
            4 => (format!("sqrt(5 + {k:.3e} * ({}))", a.text), 3.0),
            5 => (format!("1 / (5 + {k:.3e} * ({}))", a.text), 1.0),
            // As people write them, which needs a range above 0.
            6 => (format!("{}({})", *self.random.pick(&["log", "sqrt"]), a.text), 30.0),
            7 => (format!("(5 + {k:.3e} * ({})) ** -2", a.text), 1.0),
            _ => (format!("({}) / {}", a.text, self.leaf().0.text), a.size()),
        };
        Written { text, column: a.column, lo: -hi, hi, whole: false }
    }

    /// What is 0 or 1.
    fn condition(&mut self, nesting: u32) -> String {
        let texts: Vec<Column> = self.columns.iter().filter(|column| column.is_text()).cloned().collect();
        let (x, column) = self.leaf();
        let b = self.operand(&x, &column);
        let operator = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.random.below(if texts.is_empty() { 9 } else { 14 }) {
            0..4 => format!("{} {operator} {b}", x.text),
            4 if nesting > 0 => {
                let (a, c) = (self.expression(nesting - 1), self.constant(&x, Some(&column)));
                format!("({}) {operator} {c}", a.text)
            }
            5 if nesting > 0 => {
                let word = *self.random.pick(&["and", "or"]);
                format!("({} {word} {})", self.condition(nesting - 1), self.condition(nesting - 1))
            }
            6 if nesting > 0 => format!("not ({})", self.condition(nesting - 1)),
            7 => format!("{} < {} <= {b}", self.constant(&x, None), x.text),
            8 if x.hi <= 1.0 && x.lo >= 0.0 && x.whole => x.text,
            9..14 => {
                let t = self.random.pick(&texts).clone();
                let equal = *self.random.pick(&["==", "!="]);
                let other = self.random.pick(&texts).clone();
                match self.random.below(20) {
                    0..6 => format!("{} {equal} {}", t.name, other.name),
                    // What text isn't for.
                    6 if self.random.chance(30) => (*self.random.pick(&[
                        format!("{} {operator} {}", t.name, x.text),
                        format!("{} {operator} 1", t.name),
                        format!("max({}, {}) > 0", t.name, other.name),
                        format!("{} + 1 > 1", t.name),
                    ]))
                    .clone(),
                    _ => {
                        let text = self.random.pick(&t.samples).clone();
                        format!("{} {equal} {}", t.name, literal(&text))
                    }
                }
            }
            _ => format!("{} > {b}", x.text),
        }
    }

    /// A number over all rows, within an expression.
    fn number(&mut self, nesting: u32) -> String {
        let (x, _) = self.leaf();
        let y = self.leaf().0.text;
        let a = self.expression(nesting);
        let a = if a.column { a.text } else { x.text.clone() };
        match self.random.below(12) {
            0..3 => format!("sum({a})"),
            3 | 4 => format!("mean({a})"),
            5 => format!("var({a})"),
            6 => format!("count({})", self.condition(nesting)),
            7 => format!("dot({a}, {y})"),
            8 => format!("cov({}, {y})", x.text),
            9 if x.is_narrow() => (*self.random.pick(&[
                format!("min({})", x.text),
                format!("max({})", x.text),
                format!("quantile({}, 0.5)", x.text),
                format!("quantile({}, 0.9)", x.text),
            ]))
            .clone(),
            10 if self.real => {
                let hi = (x.hi - x.lo).max(1.0);
                format!("std({}, {:e}, {hi:e})", x.text, hi / 100.0)
            }
            _ => format!("sum(({}) * {a})", self.condition(nesting)),
        }
    }

    /// The value of an output.
    fn output(&mut self) -> String {
        let (x, _) = self.leaf();
        let y = self.leaf().0.text;
        let nesting = self.random.below(4) as u32;
        match self.random.below(17) {
            0..5 => self.expression(nesting).text,
            5..8 => self.number(nesting),
            8 => self.condition(nesting),
            9 => format!("std({})", x.text),
            10 => format!("corr({}, {y})", x.text),
            11 => format!("mean_where({y}, {})", self.condition(nesting.min(1))),
            12 => format!("ratio({}, {})", self.number(nesting.min(1)), self.number(nesting.min(1))),
            13 if x.is_narrow() => {
                format!("histogram({}, {:.0}, {:.0})", x.text, x.lo, x.hi.min(x.lo + 20.0))
            }
            14 if x.text != y => format!("least_squares({}, [{y}])", x.text),
            14 => format!("dot([{}, {y}], [0.5, -2])", x.text),
            15 => "linear(@w)".to_owned(),
            _ => format!("{}({})", *self.random.pick(&["sum", "mean", "var"]), x.text),
        }
    }
}

/// The program of a seed, and its table.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random(seed);
    let sheet = sheet(&mut random);
    let real = random.chance(30);
    let mut author = Author { random, columns: sheet.columns, real };
    let mut text = String::new();
    let mut named = Vec::new();
    for line in 0..=author.random.below(3) {
        if author.random.chance(25) {
            let inner = author.expression(2);
            text = format!("{text}_inner{line} = {}\n", inner.text);
            named.push(format!("_inner{line}"));
        }
        let value = author.output();
        text = format!("{text}out{line} = {value}\n");
    }
    if let Some(name) = named.last() {
        let leaf = author.leaf().0.text;
        text = format!("{text}last = {name} + {leaf}\n");
    }
    let precision = match author.random.below(8) {
        0 => Precision::Absolute { error: 10_f64.powf(-6.0 * author.random.unit()) },
        1 => Precision::Relative { bits: 8 + author.random.below(23) as u32 },
        _ => Precision::Relative { bits: 20 },
    };
    let scheme = match author.random.below(12) {
        0 | 1 => Some(SchemeName::Ckks),
        2 => Some(SchemeName::Bfv),
        3 => Some(SchemeName::Bgv),
        _ => None,
    };
    let fewer = if author.random.chance(3) { 1 + author.random.below(40) as usize } else { 0 };
    let numbers = author.numbers();
    let mut ranges = Vec::new();
    let mut weights = vec![("bias".to_owned(), "0.5")];
    for column in &numbers {
        let (name, (lo, hi)) = (column.name.trim_matches('`'), column.ends);
        if lo <= hi && author.random.chance(7) {
            ranges.push(format!("{name}={:.0}:{:.0}", lo.floor(), hi.ceil()));
        }
        weights.push((name.to_owned(), *author.random.pick(&["2", "-1", "0.25", "-3.125"])));
    }
    Case { text, csv: sheet.csv, ranges, weights, precision, scheme, missing: sheet.missing, fewer }
}
