//! Programs over a table, with the values that they have: each expression is written and computed at once.

use asanoha_runtime::data::Missing;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, Zero};

use super::{
    conditions::truth,
    numbers::{divided, literal, ratio},
    sheets::{Column, Kind, Sheet},
};
use crate::random_programs::random::Random;

/// An expression and its value in every row, also in rows that are left out.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) text: String,
    pub(crate) values: Vec<BigRational>,
}

/// A result, computed from the rows that are left.
pub(crate) enum Expected {
    Rows(Vec<BigRational>),
    /// The sum of the rows where the second is 1.
    Sum(Vec<BigRational>, Vec<BigRational>),
    /// The mean of these rows.
    Mean(Vec<BigRational>, Vec<BigRational>),
    /// The quotient of two sums.
    Quotient(Vec<BigRational>, Vec<BigRational>),
    Var(Vec<BigRational>),
    /// The first rows, less a multiple of their mean, divided by the sum of the others or by their variance.
    Scaled(Vec<BigRational>, bool, Vec<BigRational>, bool),
    /// The mean to so many places, halves upward.
    Rounded(Vec<BigRational>, u32),
    Any(Vec<BigRational>),
    All(Vec<BigRational>),
}

/// The value of a result.
#[derive(Debug, PartialEq)]
pub(crate) enum Value {
    Column(Vec<BigRational>),
    Number(BigRational),
    Missing,
}

impl Expected {
    /// The value over some rows.
    pub(crate) fn over(&self, rows: &[usize]) -> Value {
        let total = |values: &[BigRational], weights: &[BigRational]| -> BigRational {
            rows.iter().map(|&row| &values[row] * &weights[row]).sum()
        };
        let quotient = |a: BigRational, b: BigRational| {
            if b.is_zero() { Value::Missing } else { Value::Number(a / b) }
        };
        let count = ratio(rows.len() as i64, 1);
        let each = |values: &[BigRational]| rows.iter().map(|&row| values[row].clone()).collect::<Vec<_>>();
        match self {
            Self::Rows(values) => Value::Column(each(values)),
            Self::Sum(values, holds) => Value::Number(total(values, holds)),
            Self::Mean(values, holds) => {
                let ones = vec![BigRational::one(); holds.len()];
                quotient(total(values, holds), total(holds, &ones))
            }
            Self::Quotient(a, b) => {
                let ones = vec![BigRational::one(); a.len()];
                quotient(total(a, &ones), total(b, &ones))
            }
            Self::Var(values) => Value::Number(variance(&each(values))),
            Self::Scaled(values, from_mean, divisors, by_variance) => {
                let (values, divisors) = (each(values), each(divisors));
                let mean = values.iter().sum::<BigRational>() / &count;
                let divisor = if *by_variance { variance(&divisors) } else { divisors.iter().sum() };
                let scaled =
                    |value: &BigRational| (if *from_mean { value - &mean } else { value.clone() }) / &divisor;
                if divisor.is_zero() {
                    Value::Missing
                } else {
                    Value::Column(values.iter().map(scaled).collect())
                }
            }
            Self::Rounded(values, places) => {
                let unit = BigRational::from_integer(Pow::pow(BigInt::from(10), *places));
                let mean = each(values).iter().sum::<BigRational>() / &count;
                Value::Number((mean * &unit + ratio(1, 2)).floor() / unit)
            }
            Self::Any(holds) => Value::Number(truth(each(holds).iter().any(|value| !value.is_zero()))),
            Self::All(holds) => Value::Number(truth(each(holds).iter().all(|value| !value.is_zero()))),
        }
    }
}

fn variance(values: &[BigRational]) -> BigRational {
    let count = ratio(values.len() as i64, 1);
    let mean = values.iter().sum::<BigRational>() / &count;
    values.iter().map(|value| Pow::pow(value - &mean, 2u32)).sum::<BigRational>() / count
}

pub(crate) struct Author {
    pub(crate) random: Random,
    pub(crate) sheet: Sheet,
    /// The lines of names that aren't outputs.
    pub(crate) lines: Vec<String>,
    /// The number of these names.
    pub(crate) names: usize,
}

impl Author {
    pub(crate) fn columns(&self, fits: impl Fn(&Column) -> bool) -> Vec<Column> {
        self.sheet.columns.iter().filter(|column| fits(column)).cloned().collect()
    }

    pub(crate) fn term(&self, column: &Column) -> Term {
        Term { text: column.written(), values: column.numbers(self.sheet.missing) }
    }

    /// A column of numbers, which the first one always is; dates are none.
    pub(crate) fn number(&mut self) -> Column {
        let numbers = self.columns(|column| !matches!(column.kind, Kind::Text | Kind::Date));
        self.random.pick(&numbers).clone()
    }

    pub(crate) fn each(text: String, of: &Term, f: impl Fn(&BigRational) -> BigRational) -> Term {
        Term { text, values: of.values.iter().map(f).collect() }
    }

    pub(crate) fn both(
        text: String,
        a: &Term,
        b: &Term,
        f: impl Fn(&BigRational, &BigRational) -> BigRational,
    ) -> Term {
        Term { text, values: a.values.iter().zip(&b.values).map(|(a, b)| f(a, b)).collect() }
    }

    /// A constant near the values of a term: mostly one of them.
    pub(crate) fn threshold(&mut self, of: &Term) -> BigRational {
        let value = self.random.pick(&of.values).clone();
        match self.random.below(10) {
            0..7 => value,
            7 => value + self.random.pick(&[ratio(1, 1), ratio(-1, 1), ratio(1, 100), ratio(1, 3)]),
            8 => value * ratio(1, 2),
            _ => ratio(self.random.below(9) as i64 - 2, 1),
        }
    }

    /// A column that divides: its present values and its substitutes have one sign.
    fn divisor(&mut self) -> Option<Column> {
        let missing = self.sheet.missing;
        let divides = |column: &Column| {
            // Quotients of doubles are compared at a gap.
            let is_exact = matches!(column.kind, Kind::Whole | Kind::Decimal(_));
            let has_gaps = column.cells.iter().any(Option::is_none);
            let present: Vec<&BigRational> = column.present().collect();
            let has_one_sign = present.iter().all(|value| value.is_positive())
                || present.iter().all(|value| value.is_negative());
            let may_divide = has_one_sign && !present.is_empty();
            is_exact && may_divide && !(has_gaps && missing == Missing::Zero)
        };
        let columns = self.columns(divides);
        (!columns.is_empty()).then(|| self.random.pick(&columns).clone())
    }

    /// A quotient of columns, for comparisons.
    pub(crate) fn quotient(&mut self) -> Option<Term> {
        let divisor = self.divisor()?;
        let dividend = self.exact();
        if dividend.name == divisor.name {
            return None;
        }
        let (a, b) = (self.term(&dividend), self.term(&divisor));
        Some(Self::both(format!("{} / {}", a.text, b.text), &a, &b, |a, b| {
            if b.is_zero() { BigRational::zero() } else { a / b }
        }))
    }

    /// A constant factor or summand.
    fn constant(&mut self) -> BigRational {
        let choices =
            [ratio(2, 1), ratio(3, 1), ratio(-1, 1), ratio(1, 2), ratio(1, 100), ratio(7, 1), ratio(5, 4)];
        self.random.pick(&choices).clone()
    }

    fn bracketed(value: &BigRational) -> String {
        let text = literal(value);
        if value.is_negative() { format!("({text})") } else { text }
    }

    /// A column of whole numbers or decimals, or any of numbers if there's none.
    fn exact(&mut self) -> Column {
        let is_exact = |column: &Column| matches!(column.kind, Kind::Whole | Kind::Decimal(_) | Kind::Truth);
        let exact = self.columns(is_exact);
        if exact.is_empty() { self.number() } else { self.random.pick(&exact).clone() }
    }

    /// An exact column, which mostly has few values: plans of functions of wide ones take long.
    pub(crate) fn narrow(&mut self) -> Option<Column> {
        let is_narrow = |column: &Column| {
            let places = if let Kind::Decimal(places) = column.kind { places } else { 0 };
            let unit = ratio(10_i64.pow(places), 1);
            let mut digits = column.present().map(|value| value.abs() * &unit);
            matches!(column.kind, Kind::Whole | Kind::Decimal(_) | Kind::Truth)
                && digits.all(|digits| digits < ratio(1000, 1))
        };
        let narrow = self.columns(is_narrow);
        if self.random.chance(2) {
            return Some(self.exact()).filter(|column| column.kind != Kind::Real);
        }
        (!narrow.is_empty()).then(|| self.random.pick(&narrow).clone())
    }

    /// An expression of numbers.
    pub(crate) fn expression(&mut self, nesting: u32) -> Term {
        let column = self.number();
        let x = self.term(&column);
        if nesting == 0 {
            return x;
        }
        match self.random.below(14) {
            0 | 1 => {
                let y = self.expression(nesting - 1);
                Self::both(format!("({} + {})", x.text, y.text), &x, &y, |a, b| a + b)
            }
            2 => {
                let y = self.expression(nesting - 1);
                if y.text == x.text {
                    return x;
                }
                Self::both(format!("({} - {})", x.text, y.text), &x, &y, |a, b| a - b)
            }
            3 => {
                let k = self.constant();
                Self::each(format!("{} * {}", Self::bracketed(&k), x.text), &x, |a| a * &k)
            }
            4 => {
                let c = self.threshold(&x);
                Self::each(format!("({} - {})", x.text, Self::bracketed(&c)), &x, |a| a - &c)
            }
            5 => {
                let other = self.number();
                let y = self.term(&other);
                Self::both(format!("{} * {}", x.text, y.text), &x, &y, |a, b| a * b)
            }
            6 | 7 => {
                let condition = self.condition(nesting - 1);
                let y = self.expression(nesting - 1);
                let text = match self.random.below(2) {
                    0 => format!("where({}, {}, {})", condition.text, x.text, y.text),
                    _ => format!("({} if {} else {})", x.text, condition.text, y.text),
                };
                let chosen = condition.values.iter().zip(x.values.iter().zip(&y.values));
                let values = chosen.map(|(c, (x, y))| if c.is_zero() { y } else { x }.clone()).collect();
                Term { text, values }
            }
            8 | 9 => self.division(),
            10 | 11 => self.text_table().unwrap_or(x),
            12 => {
                let condition = self.condition(nesting - 1);
                Self::both(format!("({}) * {}", condition.text, x.text), &condition, &x, |c, x| c * x)
            }
            _ => {
                let x = self.narrow().map_or(x, |column| self.term(&column));
                let c = self.threshold(&x);
                let (written, zero) = (Self::bracketed(&c), BigRational::zero());
                match self.random.below(3) {
                    0 => Self::each(format!("abs({} - {written})", x.text), &x, |a| (a - &c).abs()),
                    1 => Self::each(format!("max({}, {written})", x.text), &x, |a| a.max(&c).clone()),
                    _ => Self::each(format!("relu({} - {written})", x.text), &x, |a| {
                        (a - &c).max(zero.clone())
                    }),
                }
            }
        }
    }

    /// A quotient or a remainder by a constant or a column.
    fn division(&mut self) -> Term {
        let Some(column) = self.narrow() else {
            let column = self.number();
            return self.term(&column);
        };
        let x = &self.term(&column);
        let divisor = self.divisor().filter(|divisor| {
            self.random.chance(35)
                && divisor.name != column.name
                && divisor.kind != Kind::Real
                && column.kind != Kind::Real
        });
        let y = if let Some(divisor) = divisor {
            self.term(&divisor)
        } else {
            let k = ratio(*self.random.pick(&[2, 3, 7, 10, -4, 100, 1000]), 1);
            Term { text: Self::bracketed(&k), values: vec![k; x.values.len()] }
        };
        if self.random.chance(50) {
            Self::both(format!("({} // {})", x.text, y.text), x, &y, |a, b| divided(a, b).0)
        } else {
            Self::both(format!("({} % {})", x.text, y.text), x, &y, |a, b| divided(a, b).1)
        }
    }

    /// A table by the texts of a column.
    fn text_table(&mut self) -> Option<Term> {
        let texts = self.columns(Column::is_text);
        if texts.is_empty() {
            return None;
        }
        let column = self.random.pick(&texts).clone();
        let mut names: Vec<&str> = column.cells.iter().flatten().map(|cell| cell.written.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let entries: Vec<(&str, BigRational)> = names
            .iter()
            .map(|&name| {
                (name, ratio(self.random.below(4001) as i64 - 2000, *self.random.pick(&[1, 1, 4, 100])))
            })
            .collect();
        let written: Vec<String> =
            entries.iter().map(|(name, value)| format!("{}: {}", quoted(name), literal(value))).collect();
        let value = |text: &str| entries.iter().find(|(name, _)| *name == text).unwrap().1.clone();
        let values = column
            .cells
            .iter()
            .map(|cell| cell.as_ref().map_or(BigRational::zero(), |cell| value(&cell.written)));
        let text = format!("table({}, {{{}}})", column.written(), written.join(", "));
        Some(Term { text, values: values.collect() })
    }

    /// A condition, or a name of one.
    fn named_condition(&mut self, nesting: u32) -> Term {
        let condition = self.condition(nesting);
        if !self.random.chance(15) {
            return condition;
        }
        let name = format!("_c{}", self.names);
        self.names += 1;
        self.lines.push(format!("{name} = {}", condition.text));
        Term { text: name, ..condition }
    }

    /// The expression of an output.
    pub(crate) fn output(&mut self) -> (String, Expected) {
        let ones = vec![BigRational::one(); self.sheet.rows];
        match self.random.below(22) {
            0..3 => {
                let condition = self.condition(2);
                (condition.text, Expected::Rows(condition.values))
            }
            3..7 => {
                let condition = self.named_condition(2);
                (format!("count({})", condition.text), Expected::Sum(ones, condition.values))
            }
            7 | 8 => {
                let (x, condition) = (self.expression(1), self.named_condition(1));
                (format!("sum({}, {})", x.text, condition.text), Expected::Sum(x.values, condition.values))
            }
            9 => {
                let (x, condition) = (self.expression(1), self.named_condition(1));
                (format!("mean({}, {})", x.text, condition.text), Expected::Mean(x.values, condition.values))
            }
            10 | 11 => {
                let x = self.expression(1);
                (format!("sum({})", x.text), Expected::Sum(x.values, ones))
            }
            12 => {
                let x = self.expression(1);
                (format!("mean({})", x.text), Expected::Mean(x.values, ones))
            }
            13 => {
                let (a, b) = (self.number(), self.number());
                let (a, b) = (self.term(&a), self.term(&b));
                (format!("sum({}) / sum({})", a.text, b.text), Expected::Quotient(a.values, b.values))
            }
            14 => {
                let x = self.number();
                let x = self.term(&x);
                (format!("var({})", x.text), Expected::Var(x.values))
            }
            15 => {
                let condition = self.condition(1);
                if self.random.chance(50) {
                    (format!("any({})", condition.text), Expected::Any(condition.values))
                } else {
                    (format!("all({})", condition.text), Expected::All(condition.values))
                }
            }
            16 => self.scaled(),
            17 => {
                let (x, places) = (self.number(), self.random.below(4) as u32);
                let x = self.term(&x);
                (format!("round(mean({}), {places})", x.text), Expected::Rounded(x.values, places))
            }
            _ => {
                let x = self.expression(2);
                (x.text, Expected::Rows(x.values))
            }
        }
    }

    /// Rows beside a number over all of them: shares of a sum, distances from the mean.
    fn scaled(&mut self) -> (String, Expected) {
        let (x, y) = (self.number(), self.number());
        let (x, y) = (self.term(&x), self.term(&y));
        let (from_mean, by_variance) = (self.random.chance(50), self.random.chance(50));
        let above = if from_mean { format!("({} - mean({}))", x.text, x.text) } else { x.text };
        let below = format!("{}({})", if by_variance { "var" } else { "sum" }, y.text);
        (format!("{above} / {below}"), Expected::Scaled(x.values, from_mean, y.values, by_variance))
    }
}

/// A text as programs write it.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains('\'') {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        format!("'{}'", text.replace('\\', "\\\\"))
    }
}
