//! Numbers over all rows that are quotients of others.

use num_rational::BigRational;

use crate::{
    builder::terms::{Entry, Terms},
    error::BuildError,
    ids::{Operand, Term},
    node::Node,
    ops::RECIPROCAL,
    shape::Shape,
};

/// The most operations that are looked into, and the highest power of a quotient.
const MOST_OPERATIONS: usize = 64;
const MOST_POWER: u32 = 4;

/// A dividend and a divisor; without one the dividend is the value.
type Quotient = (Term, Option<Term>);

/// A number over all rows as one quotient of two others, which the key holder divides, exactly: sum(x)/sum(y), and also
/// 100·sum(x)/sum(y) or 1 − sum(x)/sum(y). `None` where nothing is divided by, and of columns.
pub(crate) fn quotient(terms: &mut Terms, value: Term) -> Result<Option<[Term; 2]>, BuildError> {
    if terms.shapes[value.index()] != Some(Shape::Number) {
        return Ok(None);
    }
    let mut left = MOST_OPERATIONS;
    let Some((dividend, Some(divisor))) = split(terms, value, &mut left)? else { return Ok(None) };
    let depends = |term: Term| terms.fixed_value(term).is_none();
    Ok((depends(dividend) && depends(divisor)).then_some([dividend, divisor]))
}

/// A term as a quotient; `None` where it's of very many operations.
fn split(terms: &mut Terms, value: Term, left: &mut usize) -> Result<Option<Quotient>, BuildError> {
    let Some(after) = left.checked_sub(1) else { return Ok(None) };
    *left = after;
    let Entry::Node(node) = terms.entries[value.index()].clone() else { return Ok(Some((value, None))) };
    let mut of = |terms: &mut Terms, id| {
        let term = terms.term(id);
        split(terms, term, left)
    };
    Ok(match node {
        Node::Neg(a) => match of(terms, a)? {
            Some((a, divisor)) => Some((terms.neg(a)?, divisor)),
            None => None,
        },
        Node::Scale(a, k) => match of(terms, a)? {
            Some((a, divisor)) => Some((terms.scale(a, &k)?, divisor)),
            None => None,
        },
        Node::Offset(a, c) => match of(terms, a)? {
            Some((a, None)) => Some((terms.offset(a, &c)?, None)),
            Some((a, Some(divisor))) => {
                let constant = terms.scale(divisor, &c)?;
                Some((terms.add(a, constant)?, Some(divisor)))
            }
            None => None,
        },
        Node::Mul(a, b) => match (of(terms, a)?, of(terms, b)?) {
            (Some((a, c)), Some((b, d))) => Some((terms.mul(a, b)?, product(terms, c, d)?)),
            _ => None,
        },
        Node::Power(a, exponent) if exponent <= MOST_POWER => match of(terms, a)? {
            Some((a, divisor)) => {
                let divisor = divisor.map(|divisor| terms.power_whole(divisor, exponent)).transpose()?;
                Some((terms.power_whole(a, exponent)?, divisor))
            }
            None => None,
        },
        Node::Add(a, b) | Node::Sub(a, b) => match (of(terms, a)?, of(terms, b)?) {
            (Some((a, c)), Some((b, d))) => {
                let (a, b, divisor) = over_one(terms, (a, c), (b, d))?;
                let is_sum = matches!(node, Node::Add(..));
                Some((if is_sum { terms.add(a, b)? } else { terms.sub(a, b)? }, divisor))
            }
            _ => None,
        },
        Node::Function(function, operands) if function == RECIPROCAL => match operands[0] {
            Operand::Value(id) => match of(terms, id)? {
                Some((divisor, None)) => {
                    Some((terms.constant(BigRational::from_integer(1.into()))?, Some(divisor)))
                }
                Some((divisor, Some(dividend))) => Some((dividend, Some(divisor))),
                None => None,
            },
            Operand::Constant(_) => Some((value, None)),
        },
        _ => Some((value, None)),
    })
}

/// The product of two divisors, where there are any.
fn product(terms: &mut Terms, a: Option<Term>, b: Option<Term>) -> Result<Option<Term>, BuildError> {
    match (a, b) {
        (Some(a), Some(b)) => terms.mul(a, b).map(Some),
        (a, b) => Ok(a.or(b)),
    }
}

/// Two quotients' dividends over one divisor.
fn over_one(
    terms: &mut Terms,
    (a, c): Quotient,
    (b, d): Quotient,
) -> Result<(Term, Term, Option<Term>), BuildError> {
    if c == d {
        return Ok((a, b, c));
    }
    let a = d.map_or(Ok(a), |d| terms.mul(a, d))?;
    let b = c.map_or(Ok(b), |c| terms.mul(b, c))?;
    Ok((a, b, product(terms, c, d)?))
}
