//! Functions of real numbers.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Function, Kind, NodeId, Operand, Range};
use num_rational::BigRational;

use super::{
    Real,
    differences::{distance, sign_of_difference},
    interpolate::by_values,
    polynomial::smooth,
};
use crate::{
    choice::{choice, plus},
    error::ExpandError,
    expander::{Expander, Value},
    ir::Op,
};

/// A function of the operation `id`: smooth ones by their polynomials, all others by signs or by their values.
pub(super) fn function(
    e: &mut Expander<'_, Real<'_>>,
    id: NodeId,
    function: &Function,
    operands: &[Operand],
) -> Result<Value, ExpandError> {
    match function.smooth().zip(operands[0].node()) {
        Some((approximated, a)) => smooth(e, id, approximated, &e.value(a), a),
        None => by_sign(e, id, function, operands),
    }
}

/// A function of real numbers: comparisons are (1 + s)/2 for the sign s of a difference d, |d| is d·s, the greater and the
/// smaller of two numbers are half their sum and half their distance away from it, and `where` is b + c·(a − b).
pub(super) fn by_sign(
    e: &mut Expander<'_, Real<'_>>,
    id: NodeId,
    function: &Function,
    operands: &[Operand],
) -> Result<Value, ExpandError> {
    let half = BigRational::new(1.into(), 2.into());
    match (function.kind(), operands) {
        (Kind::Choice, &[condition, a, b]) => {
            let chosen_by = condition.node().expect("the builder chooses by constants");
            let bit = Range::whole(0, 1).expect("in order");
            if !e.analysed.is_whole(chosen_by) || e.range(chosen_by).union(&bit) != bit {
                return Err(ExpandError::NotACondition);
            }
            Ok(choice(e, &e.value(chosen_by), [a, b]))
        }
        (Kind::Absolute, &[a]) => distance(e, id, function, [a, Operand::Constant(0)]),
        (Kind::Binary(extreme @ (BinaryFunction::Minimum | BinaryFunction::Maximum)), &[a, b]) => {
            let distance = distance(e, id, function, [a, b])?;
            let sum = match (a, b) {
                (Operand::Value(a), b) => plus(e, &e.value(a), b),
                (a, Operand::Value(b)) => plus(e, &e.value(b), a),
                _ => unreachable!("the builder computes with constants"),
            };
            let make = if extreme == BinaryFunction::Maximum { Op::Add } else { Op::Sub };
            let twice = e.sum_of_two(&sum, &distance, make);
            Ok(Value { factor: twice.factor * half, ..twice })
        }
        (_, &[a, b])
            if let (Some(order), Some(gap)) = (function.order(), e.target.fitted.gaps[id.0].clone()) =>
        {
            let is_less = matches!(order, BinaryFunction::Less | BinaryFunction::LessOrEqual);
            let of = if is_less { [b, a] } else { [a, b] };
            let sign = sign_of_difference(e, id, function, &gap, of)?;
            let halved = Value { factor: sign.factor * &half, ..sign };
            Ok(e.offset(&halved, &half))
        }
        _ => by_values(e, id, function, operands),
    }
}
