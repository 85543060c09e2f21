//! Functions of numbers that aren't sums and products: tables and divisions of whole ones, comparisons and choices of any.

use std::cmp::Ordering;

use asanoha_numeric::BinaryFunction;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::Range;
use super::node::NodeId;

/// A function of one to three numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Function {
    /// Division, a comparison, a minimum or maximum, of two numbers.
    Binary(BinaryFunction),
    /// The absolute value of a number.
    Absolute,
    /// The number rounded down. [`Program::on`](super::Program::on) makes other operations of it.
    Floor,
    /// `less_than(a, b, gap)`: 1 where a < b, else 0; approximations tell numbers apart that differ by the gap or more.
    Less(BigRational),
    /// `where(c, a, b)`: a where c is not 0, else b.
    Where,
    /// Whether a column of text is a text, or isn't it, by [`BinaryFunction::Equal`] or `NotEqual`; of a column itself only.
    /// [`Program::on`](super::Program::on) makes comparisons of numbers of it.
    Category(BinaryFunction, String),
    /// The entry at a place counted from 0.
    Table(Vec<i64>),
    /// The entry of a row and a column counted from 0; all rows have the same length.
    Table2(Vec<Vec<i64>>),
}

/// What a function is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    /// Something computed from the data.
    Value(NodeId),
    /// A whole constant.
    Constant(i64),
}

impl Operand {
    /// The operation that gives the value, if it's no constant.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Self::Value(id) => Some(id),
            Self::Constant(_) => None,
        }
    }

    pub(super) fn map(self, map: impl Fn(NodeId) -> NodeId) -> Self {
        match self {
            Self::Value(id) => Self::Value(map(id)),
            constant @ Self::Constant(_) => constant,
        }
    }
}

impl Function {
    /// How it is written in the language.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Binary(function) | Self::Category(function, _) => function.symbol(),
            Self::Absolute => "abs",
            Self::Floor => "floor",
            Self::Less(_) => "less_than",
            Self::Where => "where",
            Self::Table(_) => "table",
            Self::Table2(_) => "table2",
        }
    }

    /// The operator's function.
    pub(super) fn of_operator(operator: &str) -> Option<Self> {
        BinaryFunction::ALL.into_iter().map(Self::Binary).find(|function| function.name() == operator)
    }

    /// Whether there are arguments for which only circuits define it ([`Self::undefined_at`]).
    pub(super) fn may_be_undefined(&self) -> bool {
        self.is_division() || matches!(self, Self::Table(_) | Self::Table2(_))
    }

    /// Whether this is `//` or `%`.
    pub fn is_division(&self) -> bool {
        matches!(self, Self::Binary(function) if function.is_division())
    }

    /// Whether this is `%`.
    pub fn is_remainder(&self) -> bool {
        matches!(self, Self::Binary(BinaryFunction::Remainder))
    }

    /// Which comparison it is of two numbers, of which it says the order.
    pub fn order(&self) -> Option<BinaryFunction> {
        match *self {
            Self::Less(_) => Some(BinaryFunction::Less),
            Self::Binary(
                order @ (BinaryFunction::Less
                | BinaryFunction::LessOrEqual
                | BinaryFunction::Greater
                | BinaryFunction::GreaterOrEqual),
            ) => Some(order),
            _ => None,
        }
    }

    /// Whether its values are 0 and 1, whatever it's of.
    pub fn is_comparison(&self) -> bool {
        self.is_equality() || self.order().is_some()
    }

    /// Whether it takes whole numbers only where arithmetic is real, and is computed there by its values of them.
    pub fn is_by_values(&self) -> bool {
        self.is_equality() || self.is_division() || matches!(self, Self::Table(_) | Self::Table2(_))
    }

    /// Whether it says of two values, numbers or texts, whether they're the same.
    pub fn is_equality(&self) -> bool {
        matches!(self, Self::Category(..) | Self::Binary(BinaryFunction::Equal | BinaryFunction::NotEqual))
    }

    /// Whether it's approximated on real numbers, by the sign of a difference.
    pub fn is_by_sign(&self) -> bool {
        let is_extreme =
            matches!(self, Self::Binary(BinaryFunction::Minimum | BinaryFunction::Maximum) | Self::Absolute);
        is_extreme || self.order().is_some()
    }

    /// Whether it takes fractions, too, where it's computed approximately.
    pub(super) fn takes_fractions(&self) -> bool {
        !self.is_division() && !matches!(self, Self::Table(_) | Self::Table2(_))
    }

    /// Its value: ⌊a/0⌋ is 0, a % 0 is a, and entries outside of a table are 0.
    pub fn value(&self, arguments: &[BigRational]) -> BigRational {
        let truth = |holds: bool| if holds { BigRational::one() } else { BigRational::zero() };
        let entry = |entry: Option<&i64>| BigRational::from_integer(entry.copied().unwrap_or(0).into());
        match (self, arguments) {
            (Self::Binary(function), [a, b]) => match function {
                BinaryFunction::Quotient => quotient(a, b),
                BinaryFunction::Remainder => a - b * quotient(a, b),
                BinaryFunction::Minimum => a.min(b).clone(),
                BinaryFunction::Maximum => a.max(b).clone(),
                comparison => truth(comparison.holds(a.cmp(b)).unwrap_or_default()),
            },
            (Self::Absolute, [a]) => a.abs(),
            (Self::Floor, [a]) => a.floor(),
            (Self::Less(_), [a, b]) => truth(a < b),
            (Self::Where, [c, a, b]) => if c.is_zero() { b } else { a }.clone(),
            (Self::Table(entries), [x]) => entry(place(x).and_then(|x| entries.get(x))),
            (Self::Table2(rows), [x, y]) => {
                entry(place(x).and_then(|x| rows.get(x)).and_then(|row| row.get(place(y)?)))
            }
            _ => unreachable!("the builder counts the arguments"),
        }
    }

    /// Which argument, if any, makes the value one that only circuits define: a divisor of zero, a place outside of a
    /// table.
    pub(super) fn undefined_at(&self, arguments: &[BigRational]) -> Option<usize> {
        let outside = |at: usize, length: usize| place(&arguments[at]).is_none_or(|place| place >= length);
        match self {
            _ if self.is_division() => arguments[1].is_zero().then_some(1),
            Self::Table(entries) => outside(0, entries.len()).then_some(0),
            Self::Table2(rows) => (0..2).find(|&at| outside(at, [rows.len(), rows[0].len()][at])),
            _ => None,
        }
    }

    /// The values on numbers of some ranges, whole ones where it takes no others.
    pub fn range(&self, of: &[Range]) -> Option<Range> {
        let bit = Range::whole(0, 1);
        match (self, of) {
            (Self::Binary(function), [a, b]) => match function {
                BinaryFunction::Quotient => Some(quotients(a, b)),
                BinaryFunction::Remainder => Some(remainders(a, b)),
                BinaryFunction::Minimum => Range::new(a.lo().min(b.lo()).clone(), a.hi().min(b.hi()).clone()),
                BinaryFunction::Maximum => Range::new(a.lo().max(b.lo()).clone(), a.hi().max(b.hi()).clone()),
                comparison => compared(*comparison, a, b).or(bit),
            },
            (Self::Floor, [a]) => Range::new(a.lo().floor(), a.hi().floor()),
            (Self::Absolute, [a]) if a.contains(&BigRational::zero()) => {
                Range::new(BigRational::zero(), a.max_abs())
            }
            (Self::Less(_), [a, b]) => compared(BinaryFunction::Less, a, b).or(bit),
            (Self::Category(..), _) => bit,
            (Self::Absolute, [a]) => Some(Range::between(a.lo().abs(), a.hi().abs())),
            (Self::Where, [c, a, _]) if !c.contains(&BigRational::zero()) => Some(a.clone()),
            (Self::Where, [c, _, b]) if c.lo() == c.hi() => Some(b.clone()),
            (Self::Where, [_, a, b]) => Some(a.union(b)),
            // Places outside have the entry 0.
            (Self::Table(entries), _) => whole_hull(entries.iter().chain([&0])),
            (Self::Table2(rows), _) => whole_hull(rows.iter().flatten().chain([&0])),
            _ => None,
        }
    }
}

/// The one value of a comparison of ranges, if it has one.
fn compared(comparison: BinaryFunction, a: &Range, b: &Range) -> Option<Range> {
    let possible = [
        (Ordering::Less, a.lo() < b.hi()),
        (Ordering::Equal, a.lo() <= b.hi() && b.lo() <= a.hi()),
        (Ordering::Greater, a.hi() > b.lo()),
    ];
    let mut outcomes = possible
        .into_iter()
        .filter(|(_, is_possible)| *is_possible)
        .map(|(order, _)| comparison.holds(order));
    let first = outcomes.next()??;
    let value = i64::from(first);
    outcomes.all(|outcome| outcome == Some(first)).then(|| Range::whole(value, value)).flatten()
}

/// ⌊a/b⌋; 0 for b = 0.
fn quotient(a: &BigRational, b: &BigRational) -> BigRational {
    if b.is_zero() { BigRational::zero() } else { (a / b).floor() }
}

/// A place in a table.
fn place(x: &BigRational) -> Option<usize> {
    x.is_integer().then(|| x.to_integer().to_usize())?
}

fn whole_hull<'a>(values: impl Iterator<Item = &'a i64> + Clone) -> Option<Range> {
    Range::whole(*values.clone().min()?, *values.max()?)
}

/// Quotients are monotonic in a, and in b on either side of zero.
fn quotients(a: &Range, b: &Range) -> Range {
    let one = BigRational::one();
    let divisors = [b.lo().clone(), b.hi().clone(), -&one, one];
    let inside = divisors.iter().filter(|d| b.contains(d));
    let mut ends = inside.flat_map(|d| [quotient(a.lo(), d), quotient(a.hi(), d)]).collect::<Vec<_>>();
    if b.contains(&BigRational::zero()) {
        ends.push(BigRational::zero());
    }
    Range::hull(&ends)
}

/// From 0 to the divisor, without it; the dividend for a divisor of 0.
fn remainders(a: &Range, b: &Range) -> Range {
    let (zero, one) = (BigRational::zero(), BigRational::one());
    let lo = if b.lo().is_negative() { b.lo() + &one } else { zero.clone() };
    let hi = if b.hi().is_positive() { b.hi() - &one } else { zero.clone() };
    let among = Range::between(lo.min(zero.clone()), hi.max(zero.clone()));
    let among = if b.contains(&zero) { among.union(a) } else { among };
    if a.lo().is_negative() || b.lo().is_negative() {
        among
    } else {
        // Neither is negative: no remainder is above its dividend.
        Range::between(zero, among.hi().min(a.hi()).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(value: i64) -> BigRational {
        BigRational::from_integer(value.into())
    }

    #[test]
    fn ranges_hold_all_values_and_are_tight_for_quotients() {
        let ends = [-7i64, -3, -1, 0, 1, 2, 5];
        let ranges =
            || ends.iter().flat_map(|&lo| ends.iter().filter(move |hi| lo <= **hi).map(move |&hi| (lo, hi)));
        for ((al, ah), (bl, bh)) in ranges().flat_map(|a| ranges().map(move |b| (a, b))) {
            let of = [Range::whole(al, ah).unwrap(), Range::whole(bl, bh).unwrap()];
            for function in BinaryFunction::ALL {
                let range = Function::Binary(function).range(&of).unwrap();
                let values: Vec<BigRational> = (al..=ah)
                    .flat_map(|a| (bl..=bh).map(move |b| [rational(a), rational(b)]))
                    .map(|arguments| Function::Binary(function).value(&arguments))
                    .collect();
                assert!(values.iter().all(|value| range.contains(value)), "{function} on {of:?}");
                if function == BinaryFunction::Quotient {
                    let least = values.iter().min().unwrap();
                    assert!(range.lo() == least && range.hi() == values.iter().max().unwrap());
                }
            }
        }
    }

    #[test]
    fn values_are_those_of_the_circuits() {
        for (a, b) in (-9..=9).flat_map(|a| (-4..=4).map(move |b| (a, b))) {
            for function in BinaryFunction::ALL {
                let value = Function::Binary(function).value(&[rational(a), rational(b)]);
                assert_eq!(value, rational(function.value(a, b)), "{function} of {a} and {b}");
            }
        }
        let table = Function::Table2(vec![vec![1, 2], vec![3, 4]]);
        assert_eq!(table.value(&[rational(1), rational(0)]), rational(3));
        assert_eq!(table.value(&[rational(-1), rational(2)]), rational(0));
        assert_eq!(table.undefined_at(&[rational(1), rational(2)]), Some(1));
    }
}
