//! `cbrt(x)`: the cube root.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::entry::{Entry, line};
use crate::function::Smooth;

pub(super) static ENTRY: Entry = Entry::smooth(
    "cbrt",
    &[line(&["cbrt(x)"], "real numbers; a range that excludes 0", "approximate on x's range")],
    &Cbrt,
);

struct Cbrt;

impl Smooth for Cbrt {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn value(&self, x: f64) -> f64 {
        libm::cbrt(x)
    }

    /// At 0 its slope is infinite.
    fn is_defined_on(&self, (lo, hi): (f64, f64)) -> bool {
        lo > 0.0 || hi < 0.0
    }

    /// It's steepest where x is nearest to 0.
    fn slope(&self, (lo, hi): (f64, f64)) -> f64 {
        let root = libm::cbrt(0f64.clamp(lo, hi));
        1.0 / (3.0 * root * root)
    }

    fn widest(&self, (lo, hi): (f64, f64)) -> f64 {
        lo.abs().min(hi.abs()) / 8.0
    }

    fn range(&self, on: &Range) -> Option<Range> {
        Some(Range::between(root(on.lo()).lo().clone(), root(on.hi()).hi().clone()))
    }

    fn takes(&self, on: &Range) -> Option<String> {
        let message = || format!("`{}` takes numbers on one side of 0", ENTRY.name);
        on.contains(&BigRational::zero()).then(message)
    }

    fn is_partial(&self) -> bool {
        true
    }

    /// Cubes of fractions have exact roots.
    fn exact(&self, of: &BigRational) -> Option<BigRational> {
        let root = root(of);
        (root.lo() == root.hi()).then(|| root.lo().clone())
    }
}

/// The cube root of a number, to 64 bits: ∛(p/q) = ∛(p·q²)/q.
fn root(x: &BigRational) -> Range {
    let cube: BigInt = (x.numer().abs() * x.denom() * x.denom()) << 192;
    let below = cube.cbrt();
    let above = if below.pow(3) == cube { below.clone() } else { &below + BigInt::one() };
    let denominator: BigInt = x.denom() << 64;
    let [below, above] = [below, above].map(|root| BigRational::new(root, denominator.clone()));
    if x.is_negative() { Range::between(-above, -below) } else { Range::between(below, above) }
}
