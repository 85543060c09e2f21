//! Powers that only `%` gives a meaning.

use num_rational::BigRational;
use num_traits::One;

use crate::{
    limits::MAX_EXPONENT,
    source::Place,
    tree::{Expression, ExpressionId},
};

/// The base and the exponent of a power of −1, which is an inverse beside `%`, or of more than numbers are raised to.
pub(super) fn power(expressions: &[(Expression, Place)], id: ExpressionId) -> Option<[ExpressionId; 2]> {
    let &Expression::Binary("**", base, exponent) = &expressions[id].0 else { return None };
    let number = |id: ExpressionId| match &expressions[id].0 {
        Expression::Number(value) => Some(value),
        _ => None,
    };
    let is_modular = match &expressions[exponent].0 {
        &Expression::Minus(id) => number(id).is_some_and(One::is_one),
        _ => number(exponent).is_some_and(|value| *value > BigRational::from_integer(MAX_EXPONENT.into())),
    };
    is_modular.then_some([base, exponent])
}
