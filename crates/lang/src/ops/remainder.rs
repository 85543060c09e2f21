//! `a % b`: the remainder of a division that is rounded down.

use asanoha_numeric::{BinaryFunction, Range};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::floor_div::{divided, quotient};
use crate::{
    domain::denominators::common,
    function::{Function, Given, Kind, Meaning},
    ids::Operand,
};

/// a − b·⌊a/b⌋ of two whole numbers or decimals; a for b = 0.
pub const REMAINDER: Function = Function::of(&Remainder);

struct Remainder;

impl Meaning for Remainder {
    fn name(&self) -> &'static str {
        BinaryFunction::Remainder.symbol()
    }

    fn kind(&self) -> Kind {
        Kind::Binary(BinaryFunction::Remainder)
    }

    fn value(&self, _: &Given, of: &[BigRational]) -> Option<BigRational> {
        Some(&of[0] - &of[1] * quotient(&of[0], &of[1]))
    }

    fn word(&self, _: &Given, of: &[i64]) -> Option<i64> {
        divided(BinaryFunction::Remainder, of)
    }

    /// From 0 to the divisor, without it; the dividend for a divisor of 0.
    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        let [a, b] = of else { return None };
        let (zero, one) = (BigRational::zero(), BigRational::one());
        let lo = if b.lo().is_negative() { b.lo() + &one } else { zero.clone() };
        let hi = if b.hi().is_positive() { b.hi() - &one } else { zero.clone() };
        let among = Range::between(lo.min(zero.clone()), hi.max(zero.clone()));
        let among = if b.contains(&zero) { among.union(a) } else { among };
        Some(if a.lo().is_negative() || b.lo().is_negative() {
            among
        } else {
            // Neither is negative: no remainder is above its dividend.
            Range::between(zero, among.hi().min(a.hi()).clone())
        })
    }

    fn denominator(&self, _: &Given, of: &[Option<BigInt>]) -> Option<BigInt> {
        common(of.iter().cloned())
    }

    fn is_partial(&self, of: &[Operand]) -> bool {
        matches!(of[1], Operand::Value(_))
    }

    fn undefined_at(&self, _: &Given, of: &[BigRational]) -> Option<usize> {
        of[1].is_zero().then_some(1)
    }

    fn written(&self, _: &Given, of: Vec<String>) -> String {
        of.join(" % ")
    }
}
