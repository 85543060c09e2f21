//! `a / b`: exact by a constant, and else a times the approximated 1/b.

use asanoha_numeric::Range;
use num_rational::BigRational;
use num_traits::Zero;

use crate::{
    builder::{
        apply::apply,
        terms::{Entry, Terms},
    },
    error::BuildError,
    function::{Function, Smooth},
    ids::Term,
};

/// 1/x, on either side of 0.
pub const RECIPROCAL: Function = Function::of(&Reciprocal);

struct Reciprocal;

/// `a / b`: exact for a constant `b`, and else `a` times the approximated `1 / b`.
///
/// # Errors
/// [`BuildError::DivisionByZero`] by a constant.
pub fn div(terms: &mut Terms, a: Term, b: Term) -> Result<Term, BuildError> {
    terms.check(a)?;
    match terms.entry(b)?.clone() {
        Entry::Constant(divisor) if divisor.is_zero() => Err(BuildError::DivisionByZero),
        Entry::Constant(divisor) => {
            let factor = terms.rounded.inverse(&divisor);
            terms.scale(a, &factor)
        }
        Entry::Node(_) => {
            let reciprocal = apply(terms, RECIPROCAL, &[b])?;
            terms.mul(a, reciprocal)
        }
    }
}

impl Smooth for Reciprocal {
    fn name(&self) -> &'static str {
        "1/x"
    }

    fn value(&self, x: f64) -> f64 {
        1.0 / x
    }

    fn is_defined_on(&self, (lo, hi): (f64, f64)) -> bool {
        lo > 0.0 || hi < 0.0
    }

    /// It's steepest where x is nearest to 0.
    fn slope(&self, (lo, hi): (f64, f64)) -> f64 {
        let x = 0f64.clamp(lo, hi);
        1.0 / (x * x)
    }

    fn widest(&self, (lo, hi): (f64, f64)) -> f64 {
        lo.abs().min(hi.abs()) / 8.0
    }

    fn range(&self, on: &Range) -> Option<Range> {
        Some(Range::between(on.hi().recip(), on.lo().recip()))
    }

    fn takes(&self, on: &Range) -> Option<String> {
        on.contains(&BigRational::zero()).then(|| "a divisor must not be 0".to_owned())
    }

    fn is_partial(&self) -> bool {
        true
    }

    fn exact(&self, of: &BigRational) -> Option<BigRational> {
        (!of.is_zero()).then(|| of.recip())
    }

    fn written(&self, of: &str) -> String {
        format!("1 / {of}")
    }
}
