//! Conditions: thresholds that equal a cell, ranges, lists, dates, texts, quotients.

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{
    author::{Author, Term, quoted},
    numbers::literal,
    sheets::{Column, Kind, TEXTS, day},
};

pub(crate) fn truth(holds: bool) -> BigRational {
    if holds { BigRational::one() } else { BigRational::zero() }
}

/// The truth of a comparison.
fn compares(operator: &str, a: &BigRational, b: &BigRational) -> bool {
    match operator {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        _ => a != b,
    }
}

const OPERATORS: [&str; 8] = ["<", "<=", ">", ">=", "==", "==", "!=", "<>"];

impl Author {
    /// A condition of numbers, dates or texts.
    pub(crate) fn condition(&mut self, nesting: u32) -> Term {
        if nesting > 0 && self.random.chance(35) {
            return self.junction(nesting - 1);
        }
        let choice = self.random.below(16);
        let special = match choice {
            0 | 1 => self.text_condition(),
            2 | 3 => self.date_condition(),
            4 => self.flag(),
            5 => self.quotient().map(|quotient| self.compared(&quotient)),
            6 => Some(self.of_two_columns()),
            _ => None,
        };
        special.unwrap_or_else(|| {
            let column = self.number();
            let x = self.term(&column);
            match choice {
                7 | 8 => self.between(&x),
                9 | 10 => self.listed(&x),
                11 => {
                    let of = Self::each(format!("2 * {} + 1", x.text), &x, |x| x + x + BigRational::one());
                    self.compared(&of)
                }
                _ => self.compared(&x),
            }
        })
    }

    fn junction(&mut self, nesting: u32) -> Term {
        let a = self.condition(nesting);
        if self.random.chance(25) {
            return Self::each(format!("(not ({}))", a.text), &a, |a| truth(a.is_zero()));
        }
        let b = self.condition(nesting);
        if self.random.chance(50) {
            Self::both(format!("(({}) and ({}))", a.text, b.text), &a, &b, |a, b| a * b)
        } else {
            Self::both(format!("(({}) or ({}))", a.text, b.text), &a, &b, |a, b| {
                truth(!a.is_zero() || !b.is_zero())
            })
        }
    }

    /// A term compared with a constant, on either side.
    fn compared(&mut self, x: &Term) -> Term {
        let threshold = self.threshold(x);
        let operator = *self.random.pick(&OPERATORS);
        let written = literal(&threshold);
        if self.random.chance(15) {
            let text = format!("{written} {operator} {}", x.text);
            return Self::each(text, x, |x| truth(compares(operator, &threshold, x)));
        }
        Self::each(format!("{} {operator} {written}", x.text), x, |x| {
            truth(compares(operator, x, &threshold))
        })
    }

    fn between(&mut self, x: &Term) -> Term {
        let (a, b) = (self.threshold(x), self.threshold(x));
        let (lo, hi) = (a.clone().min(b.clone()), a.max(b));
        let (a, b) = (literal(&lo), literal(&hi));
        let t = &x.text;
        match self.random.below(4) {
            0 => Self::each(format!("between({t}, {a}, {b})"), x, |x| truth(&lo <= x && x <= &hi)),
            1 => Self::each(format!("({t} between {a} and {b})"), x, |x| truth(&lo <= x && x <= &hi)),
            2 => Self::each(format!("({a} < {t} <= {b})"), x, |x| truth(&lo < x && x <= &hi)),
            _ => Self::each(format!("({b} > {t} >= {a})"), x, |x| truth(&hi > x && x >= &lo)),
        }
    }

    fn listed(&mut self, x: &Term) -> Term {
        let list: Vec<BigRational> = (0..=self.random.below(4)).map(|_| self.threshold(x)).collect();
        let written: Vec<String> = list.iter().map(literal).collect();
        let written = written.join(", ");
        if self.random.chance(30) {
            Self::each(format!("({} not in [{written}])", x.text), x, |x| truth(!list.contains(x)))
        } else {
            Self::each(format!("({} in [{written}])", x.text), x, |x| truth(list.contains(x)))
        }
    }

    /// A column of 0 and 1 as a condition.
    fn flag(&mut self) -> Option<Term> {
        let flags = self.columns(|column| column.kind == Kind::Truth);
        if flags.is_empty() {
            return None;
        }
        let column = self.random.pick(&flags).clone();
        Some(self.term(&column))
    }

    /// Two columns compared, or their difference with a constant.
    fn of_two_columns(&mut self) -> Term {
        let (Some(a), Some(b)) = (self.narrow(), self.narrow()) else {
            let column = self.number();
            let x = self.term(&column);
            return self.compared(&x);
        };
        let (a, b) = (self.term(&a), self.term(&b));
        if a.text == b.text {
            return self.compared(&a);
        }
        if self.random.chance(50) {
            let operator = *self.random.pick(&OPERATORS);
            let text = format!("{} {operator} {}", a.text, b.text);
            return Self::both(text, &a, &b, |a, b| truth(compares(operator, a, b)));
        }
        let difference = Self::both(format!("{} - {}", a.text, b.text), &a, &b, |a, b| a - b);
        self.compared(&difference)
    }

    fn text_condition(&mut self) -> Option<Term> {
        let texts = self.columns(Column::is_text);
        if texts.is_empty() {
            return None;
        }
        let (column, other) = (self.random.pick(&texts).clone(), self.random.pick(&texts).clone());
        let written = column.written();
        let cells: Vec<Option<String>> =
            column.cells.iter().map(|cell| cell.as_ref().map(|cell| cell.written.clone())).collect();
        let term = |text: String, holds: &dyn Fn(usize, &str) -> bool| {
            let of =
                |(row, cell): (usize, &Option<String>)| cell.as_ref().is_some_and(|cell| holds(row, cell));
            Term { text, values: cells.iter().enumerate().map(of).map(truth).collect() }
        };
        let known: Vec<&str> = cells.iter().flatten().map(String::as_str).collect();
        let mut text = || -> String {
            let unknown = known.is_empty() || self.random.chance(3);
            (*if unknown { self.random.pick(&TEXTS) } else { self.random.pick(&known) }).to_owned()
        };
        let (a, b) = (text(), text());
        let is_same = other.name == column.name;
        Some(match self.random.below(8) {
            0 if !is_same => {
                let equals = |row: usize, cell: &str| {
                    other.cells[row].as_ref().is_some_and(|other| other.written == cell)
                };
                term(format!("{written} == {}", other.written()), &equals)
            }
            1 | 2 => term(format!("{written} != {}", quoted(&a)), &|_, cell| cell != a),
            3 => term(format!("({written} in [{}, {}])", quoted(&a), quoted(&b)), &|_, cell| {
                cell == a || cell == b
            }),
            4 => term(format!("{} == {written}", quoted(&a)), &|_, cell| cell == a),
            _ => term(format!("{written} == {}", quoted(&a)), &|_, cell| cell == a),
        })
    }

    fn date_condition(&mut self) -> Option<Term> {
        let dates = self.columns(|column| column.kind == Kind::Date);
        if dates.is_empty() {
            return None;
        }
        let (column, other) = (self.random.pick(&dates).clone(), self.random.pick(&dates).clone());
        let (x, y) = (self.term(&column), self.term(&other));
        let mut date = || -> (BigRational, String) {
            let mut days: i64 = self.random.pick(&x.values).to_integer().try_into().unwrap();
            if self.random.chance(25) {
                days += self.random.below(3) as i64 - 1;
            }
            let cell = day(days.clamp(-719_162, 2_932_896));
            let written = if self.random.chance(50) { format!("'{}'", cell.written) } else { cell.written };
            (cell.number, written)
        };
        let ((first, a), (second, b)) = (date(), date());
        let operator = *self.random.pick(&OPERATORS);
        let t = &x.text;
        Some(match self.random.below(8) {
            0 if column.name != other.name => {
                let difference = Self::both(format!("{t} - {}", y.text), &x, &y, |x, y| x - y);
                self.compared(&difference)
            }
            1 => {
                let literal = a.trim_matches('\'');
                let age = Self::each(format!("{literal} - {t}"), &x, |x| &first - x);
                self.compared(&age)
            }
            2 => Self::each(format!("({t} in [{a}, {b}])"), &x, |x| truth(*x == first || *x == second)),
            3 if first <= second => {
                Self::each(format!("({t} between {a} and {b})"), &x, |x| truth(first <= *x && *x <= second))
            }
            3 => Self::each(format!("({b} <= {t} < {a})"), &x, |x| truth(second <= *x && *x < first)),
            4 if column.name != other.name => {
                let text = format!("{t} {operator} {}", y.text);
                Self::both(text, &x, &y, |x, y| truth(compares(operator, x, y)))
            }
            5 => Self::each(format!("{a} {operator} {t}"), &x, |x| truth(compares(operator, &first, x))),
            _ => Self::each(format!("{t} {operator} {a}"), &x, |x| truth(compares(operator, x, &first))),
        })
    }
}
