//! What the arithmetic of a scheme owes an expansion.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Function, Kind, NodeId, Operand, Range, ops::binary};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{
    error::ExpandError,
    expander::{Expander, Value},
    ir::Op,
};

/// The arithmetic that a program is expanded for.
///
/// What is provided is arithmetic on whole numbers: fractions are whole numbers over a common denominator, which the decrypting
/// side divides by.
pub(super) trait Target: Sized {
    /// Whether values of opposite factors are added by subtracting their nodes.
    const TURNS_SUMS: bool = false;
    /// Whether ciphertexts have slots without rows.
    const HAS_SLOTS: bool = true;

    /// What is to be known before the first operation is expanded, of those that are needed.
    fn begin(_e: &mut Expander<'_, Self>, _needed: &[bool]) {}

    /// A column.
    fn input(e: &mut Expander<'_, Self>, _at: NodeId, column: &str) -> Result<Value, ExpandError> {
        let whole = e.analysed.schema().column(column).is_some_and(|column| column.whole);
        if !whole {
            return Err(ExpandError::NotWhole(column.to_owned()));
        }
        Ok(e.column(column, BigRational::one()))
    }

    /// The node that holds a value with another factor.
    fn with_factor(e: &mut Expander<'_, Self>, a: &Value, factor: &BigRational) -> usize {
        let k = &a.factor / factor;
        if k.is_one() { a.node } else { e.graph.push(Op::MulConstant(a.node, k)) }
    }

    /// A factor that two values that are added are brought to.
    fn common_factor(_e: &Expander<'_, Self>, a: &Value, b: &Value) -> BigRational {
        common_factor(&a.factor, &b.factor)
    }

    /// a·b.
    fn mul(e: &mut Expander<'_, Self>, a: &Value, b: &Value) -> Value {
        e.push(Op::Mul(a.node, b.node), &a.factor * &b.factor)
    }

    /// a + c.
    fn offset(e: &mut Expander<'_, Self>, a: &Value, c: &BigRational) -> Value {
        let factor = common_factor(&a.factor, c);
        let node = Self::with_factor(e, a, &factor);
        e.push(Op::AddConstant(node, c / &factor), factor)
    }

    /// k·a, of which nothing else may be computed.
    fn scale(_e: &mut Expander<'_, Self>, a: &Value, k: &BigRational, _only_use: bool) -> Value {
        Value { node: a.node, factor: &a.factor * k }
    }

    /// 0 in the shape of a node.
    fn zeros(e: &mut Expander<'_, Self>, like: usize) -> usize {
        e.graph.push(Op::MulConstant(like, BigRational::zero()))
    }

    /// What moments are taken from, of values in a range.
    fn middle(_range: &Range) -> BigRational {
        BigRational::zero()
    }

    /// A product that isn't computed as one, if it isn't.
    fn product(_e: &mut Expander<'_, Self>, _at: NodeId) -> Result<Option<Value>, ExpandError> {
        Ok(None)
    }

    /// A function.
    fn function(
        e: &mut Expander<'_, Self>,
        at: NodeId,
        function: &Function,
        operands: &[Operand],
    ) -> Result<Value, ExpandError>;

    /// Whether a function is one table of all that it's computed from.
    fn is_folded(_e: &Expander<'_, Self>, _at: NodeId) -> bool {
        false
    }

    /// How far approximations put an operation's value off.
    fn error(&self, _at: NodeId) -> f64 {
        0.0
    }

    /// What an operation's value is stated to be in.
    fn state(_e: &mut Expander<'_, Self>, _at: NodeId, _value: &Value) {}

    /// The factor of an output, and how far approximations put it off.
    fn output(e: &Expander<'_, Self>, at: NodeId, value: &Value) -> (BigRational, f64) {
        (value.factor.clone(), e.target.error(at))
    }
}

/// A function as exact arithmetic has it: where numbers are exact, none are too near to be told apart.
pub(super) fn exactly(function: &Function) -> Result<Function, ExpandError> {
    match function.kind() {
        Kind::Smooth => Err(ExpandError::NotExact(function.name())),
        Kind::Less => Ok(binary(BinaryFunction::Less)),
        _ => Ok(function.clone()),
    }
}

/// A factor that makes both others whole multiples of it.
pub(super) fn common_factor(a: &BigRational, b: &BigRational) -> BigRational {
    if a == b {
        a.clone()
    } else {
        // gcd(p/q, r/s) = gcd(p, r)/lcm(q, s).
        let (numerator, denominator): (BigInt, BigInt) = (a.numer().gcd(b.numer()), a.denom().lcm(b.denom()));
        BigRational::new(numerator, denominator)
    }
}
