//! Expansions for real numbers as a target.
//!
//! Nodes hold values of about 1, and the factors, which the decrypting side multiplies by, hold their magnitudes. A factor is
//! brought into a node where that costs no level, and where values of different factors meet.

use asanoha_lang::{Function, NodeId, Operand, Range};
use num_rational::BigRational;
use num_traits::Zero;

use super::{Real, arithmetic, function};
use crate::{
    error::ExpandError,
    expander::{Expander, Target, Value},
    ir::input_factor,
};

impl Target for Real<'_> {
    const TURNS_SUMS: bool = true;

    fn input(e: &mut Expander<'_, Self>, at: NodeId, column: &str) -> Result<Value, ExpandError> {
        Ok(e.column(column, input_factor(e.range(at))))
    }

    fn with_factor(e: &mut Expander<'_, Self>, a: &Value, factor: &BigRational) -> usize {
        arithmetic::multiplied(e, a.node, &a.factor / factor)
    }

    fn common_factor(e: &Expander<'_, Self>, a: &Value, b: &Value) -> BigRational {
        arithmetic::common_factor(e, a, b)
    }

    fn mul(e: &mut Expander<'_, Self>, a: &Value, b: &Value) -> Value {
        arithmetic::mul(e, a, b)
    }

    fn offset(e: &mut Expander<'_, Self>, a: &Value, c: &BigRational) -> Value {
        arithmetic::offset(e, a, c)
    }

    fn scale(e: &mut Expander<'_, Self>, a: &Value, k: &BigRational, only_use: bool) -> Value {
        arithmetic::scale(e, a, k, only_use)
    }

    fn zeros(e: &mut Expander<'_, Self>, like: usize) -> usize {
        arithmetic::multiplied(e, like, BigRational::zero())
    }

    fn middle(range: &Range) -> BigRational {
        (range.lo() + range.hi()) / BigRational::from_integer(2.into())
    }

    fn function(
        e: &mut Expander<'_, Self>,
        at: NodeId,
        function: &Function,
        operands: &[Operand],
    ) -> Result<Value, ExpandError> {
        function::function(e, at, function, operands)
    }

    fn error(&self, at: NodeId) -> f64 {
        self.errors[at.0]
    }

    fn output(e: &Expander<'_, Self>, at: NodeId, value: &Value) -> (BigRational, f64) {
        // What can only be 0 has no noise either.
        if e.range(at).log2_bound().is_none() {
            return (BigRational::zero(), 0.0);
        }
        (value.factor.clone(), e.target.error(at))
    }
}
