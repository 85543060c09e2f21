//! Sums and choices of what functions are of: values and public numbers.

use asanoha_lang::{NodeId, Operand};
use num_rational::BigRational;

use super::{
    expander::{Expander, Target, Value},
    ir::Op,
};

/// A value, or a public number in its place.
pub(super) enum Term {
    Value(Value),
    Constant(i64),
}

impl Term {
    fn of<T: Target>(e: &Expander<'_, T>, operand: Operand) -> Self {
        match operand {
            Operand::Value(id) => Self::Value(e.value(id)),
            Operand::Constant(constant) => Self::Constant(constant),
        }
    }
}

fn whole(constant: i64) -> BigRational {
    BigRational::from_integer(constant.into())
}

/// a − b, once for all functions of it.
pub(super) fn difference<T: Target>(e: &mut Expander<'_, T>, [a, b]: [Operand; 2]) -> Value {
    if let Some(difference) = e.differences.get(&(a, b)) {
        return difference.clone();
    }
    let (left, right) = (Term::of(e, a), Term::of(e, b));
    let difference = minus(e, &left, &right);
    e.differences.insert((a, b), difference.clone());
    difference
}

/// a − b, not both constants.
pub(super) fn minus<T: Target>(e: &mut Expander<'_, T>, a: &Term, b: &Term) -> Value {
    match (a, b) {
        (Term::Value(a), Term::Value(b)) => e.sum_of_two(a, b, Op::Sub),
        (Term::Value(a), Term::Constant(0)) => a.clone(),
        (Term::Value(a), &Term::Constant(b)) => e.offset(a, &whole(-b)),
        (&Term::Constant(a), Term::Value(b)) => e.offset(&b.negated(), &whole(a)),
        (Term::Constant(_), Term::Constant(_)) => unreachable!("functions of constants are folded"),
    }
}

/// a + b.
pub(super) fn plus<T: Target>(e: &mut Expander<'_, T>, a: &Value, b: Operand) -> Value {
    match b {
        Operand::Value(b) => e.sum_of_two(a, &e.value(b), Op::Add),
        Operand::Constant(0) => a.clone(),
        Operand::Constant(b) => e.offset(a, &whole(b)),
    }
}

/// b + c·(a − b) for a bit c.
pub(super) fn chosen<T: Target>(e: &mut Expander<'_, T>, c: &Value, a: &Value, b: &Value) -> Value {
    let difference = e.sum_of_two(a, b, Op::Sub);
    let product = e.mul(c, &difference);
    e.sum_of_two(&product, b, Op::Add)
}

/// b + c·(a − b) for a bit c and operands of a function.
pub(super) fn choice<T: Target>(e: &mut Expander<'_, T>, c: &Value, [a, b]: [Operand; 2]) -> Value {
    let of = |e: &Expander<'_, T>, id: NodeId| e.value(id);
    let (difference, b) = match (a, b) {
        (Operand::Value(a), Operand::Value(b)) if a == b => return of(e, a),
        (Operand::Value(a), Operand::Value(b)) => {
            (e.sum_of_two(&of(e, a), &of(e, b), Op::Sub), Operand::Value(b))
        }
        (Operand::Value(a), Operand::Constant(b)) => (e.offset(&of(e, a), &-whole(b)), Operand::Constant(b)),
        (Operand::Constant(a), Operand::Value(b)) => {
            (e.offset(&of(e, b).negated(), &whole(a)), Operand::Value(b))
        }
        (Operand::Constant(a), Operand::Constant(b)) => {
            let scaled = T::scale(e, c, &whole(a - b), false);
            return e.offset(&scaled, &whole(b));
        }
    };
    let chosen = e.mul(c, &difference);
    match b {
        Operand::Value(b) => e.sum_of_two(&chosen, &of(e, b), Op::Add),
        Operand::Constant(b) => e.offset(&chosen, &whole(b)),
    }
}
