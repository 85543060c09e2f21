//! Comparisons: `<`, `<=`, `>`, `>=`, `==` and `!=` of numbers.

use std::cmp::Ordering;

use asanoha_numeric::{BinaryFunction, Range};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::function::{Function, Given, Kind, Meaning};

struct Comparison(BinaryFunction);

static LESS: Comparison = Comparison(BinaryFunction::Less);
static LESS_OR_EQUAL: Comparison = Comparison(BinaryFunction::LessOrEqual);
static GREATER: Comparison = Comparison(BinaryFunction::Greater);
static GREATER_OR_EQUAL: Comparison = Comparison(BinaryFunction::GreaterOrEqual);
static EQUAL: Comparison = Comparison(BinaryFunction::Equal);
static NOT_EQUAL: Comparison = Comparison(BinaryFunction::NotEqual);

/// The comparison of a name.
pub(super) fn comparison(function: BinaryFunction) -> Option<Function> {
    let all = [&LESS, &LESS_OR_EQUAL, &GREATER, &GREATER_OR_EQUAL, &EQUAL, &NOT_EQUAL];
    all.into_iter().find(|comparison| comparison.0 == function).map(|comparison| Function::of(comparison))
}

impl Meaning for Comparison {
    fn name(&self) -> &'static str {
        self.0.symbol()
    }

    fn kind(&self) -> Kind {
        Kind::Binary(self.0)
    }

    fn value(&self, _: &Given, of: &[BigRational]) -> Option<BigRational> {
        self.0.holds(of[0].cmp(&of[1])).map(truth)
    }

    fn word(&self, _: &Given, of: &[i64]) -> Option<i64> {
        self.0.holds(of[0].cmp(&of[1])).map(Into::into)
    }

    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        compared(self.0, of)
    }

    fn denominator(&self, _: &Given, _: &[Option<BigInt>]) -> Option<BigInt> {
        Some(BigInt::one())
    }

    fn written(&self, _: &Given, of: Vec<String>) -> String {
        of.join(&format!(" {} ", self.name()))
    }
}

/// 1 for what holds, else 0.
pub(super) fn truth(holds: bool) -> BigRational {
    if holds { BigRational::one() } else { BigRational::zero() }
}

/// The values of a comparison of ranges: one, if it has only one.
pub(super) fn compared(comparison: BinaryFunction, of: &[Range]) -> Option<Range> {
    let [a, b] = of else { return None };
    let possible = [
        (Ordering::Less, a.lo() < b.hi()),
        (Ordering::Equal, a.lo() <= b.hi() && b.lo() <= a.hi()),
        (Ordering::Greater, a.hi() > b.lo()),
    ];
    let mut outcomes = possible
        .into_iter()
        .filter(|(_, is_possible)| *is_possible)
        .map(|(order, _)| comparison.holds(order));
    let first = outcomes.next().flatten();
    let is_one = outcomes.all(|outcome| outcome == first);
    match first.filter(|_| is_one).map(i64::from) {
        Some(value) => Range::whole(value, value),
        None => Range::whole(0, 1),
    }
}
