//! `sqrt(x)`: the square root.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

use super::entry::{Entry, line};
use crate::function::{Function, Smooth};

pub(super) static ENTRY: Entry = Entry::smooth(
    "sqrt",
    &[line(&["sqrt(x)"], "real numbers; a range above 0", "approximate on x's range")],
    &Sqrt,
);

/// The square root of a number above 0: at 0 its slope is infinite.
pub const SQRT: Function = Function::of(&Sqrt);

struct Sqrt;

/// What a function takes that is defined above 0 only.
pub(super) fn above_zero(name: &str, on: &Range) -> Option<String> {
    (!on.lo().is_positive()).then(|| format!("`{name}` takes numbers above 0"))
}

impl Smooth for Sqrt {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn value(&self, x: f64) -> f64 {
        x.sqrt()
    }

    fn is_defined_on(&self, (lo, _): (f64, f64)) -> bool {
        lo > 0.0
    }

    fn slope(&self, (lo, _): (f64, f64)) -> f64 {
        0.5 / lo.sqrt()
    }

    fn widest(&self, (lo, hi): (f64, f64)) -> f64 {
        lo.abs().min(hi.abs()) / 8.0
    }

    fn range(&self, on: &Range) -> Option<Range> {
        Some(Range::between(root(on.lo()).lo().clone(), root(on.hi()).hi().clone()))
    }

    fn takes(&self, on: &Range) -> Option<String> {
        above_zero(ENTRY.name, on)
    }

    fn is_partial(&self) -> bool {
        true
    }

    /// Squares of fractions have exact roots.
    fn exact(&self, of: &BigRational) -> Option<BigRational> {
        let root = (!of.is_negative()).then(|| root(of))?;
        (root.lo() == root.hi()).then(|| root.lo().clone())
    }
}

/// The square root of a number above 0, to 64 bits: √(p/q) = √(p·q)/q.
fn root(x: &BigRational) -> Range {
    let square: BigInt = (x.numer() * x.denom()) << 128;
    let floor = square.sqrt();
    let ceil = if &floor * &floor == square { floor.clone() } else { &floor + BigInt::one() };
    let denominator: BigInt = x.denom() << 64;
    Range::between(BigRational::new(floor, denominator.clone()), BigRational::new(ceil, denominator))
}
