//! `a // b`: the quotient rounded down.

use asanoha_numeric::{BinaryFunction, Range};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::{
    domain::denominators::common,
    function::{Function, Given, Kind, Meaning},
    ids::Operand,
};

/// ⌊a/b⌋ of two whole numbers or decimals; 0 for b = 0.
pub const QUOTIENT: Function = Function::of(&Quotient);

struct Quotient;

/// ⌊a/b⌋; 0 for b = 0.
pub(super) fn quotient(a: &BigRational, b: &BigRational) -> BigRational {
    if b.is_zero() { BigRational::zero() } else { (a / b).floor() }
}

/// A division of words; none where its steps overflow.
pub(super) fn divided(function: BinaryFunction, of: &[i64]) -> Option<i64> {
    let is_near = of.iter().all(|word| word.unsigned_abs() < 1 << 62);
    is_near.then(|| function.value(of[0], of[1]))
}

impl Meaning for Quotient {
    fn name(&self) -> &'static str {
        BinaryFunction::Quotient.symbol()
    }

    fn kind(&self) -> Kind {
        Kind::Binary(BinaryFunction::Quotient)
    }

    fn value(&self, _: &Given, of: &[BigRational]) -> Option<BigRational> {
        Some(quotient(&of[0], &of[1]))
    }

    fn word(&self, _: &Given, of: &[i64]) -> Option<i64> {
        divided(BinaryFunction::Quotient, of)
    }

    /// Quotients are monotonic in a, and in b on either side of zero.
    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        let [a, b] = of else { return None };
        let one = BigRational::one();
        let divisors = [b.lo().clone(), b.hi().clone(), -&one, one];
        let inside = divisors.iter().filter(|d| b.contains(d));
        let mut ends = inside.flat_map(|d| [quotient(a.lo(), d), quotient(a.hi(), d)]).collect::<Vec<_>>();
        if b.contains(&BigRational::zero()) {
            ends.push(BigRational::zero());
        }
        Some(Range::hull(&ends))
    }

    fn denominator(&self, _: &Given, of: &[Option<BigInt>]) -> Option<BigInt> {
        common(of.iter().cloned()).map(|_| BigInt::one())
    }

    fn is_partial(&self, of: &[Operand]) -> bool {
        matches!(of[1], Operand::Value(_))
    }

    fn undefined_at(&self, _: &Given, of: &[BigRational]) -> Option<usize> {
        of[1].is_zero().then_some(1)
    }

    fn written(&self, _: &Given, of: Vec<String>) -> String {
        of.join(" // ")
    }
}
