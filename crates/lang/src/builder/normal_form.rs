//! Comparisons in normal form: sums are moved to the side where all their factors are positive, and equal terms meet.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::terms::{Entry, Terms, bounded};
use crate::{
    error::{BuildError, shown},
    function::Function,
    ids::{Operand, Term},
    node::Node,
    rounded::RoundedConstants,
    shape::Shape,
};

/// The most operations that are looked into: longer sums are compared as they're written.
const MOST_OPERATIONS: usize = 64;

/// A sum of terms times factors, each term once, in the order in which they're met, and of a constant.
#[derive(Default)]
struct Linear {
    terms: Vec<(Term, BigRational)>,
    constant: BigRational,
}

impl Linear {
    /// The factors and the constant.
    fn numbers(&self) -> impl Iterator<Item = &BigRational> {
        self.terms.iter().map(|(_, factor)| factor).chain([&self.constant])
    }
}

/// The comparison of two terms with all that is alike on both sides cancelled, factors on either side positive, and whole
/// factors divided by their greatest common divisor where that leaves the constant whole: `x − a == 5`, `2·x == 2·a + 10`
/// and `x == a + 5` are one. What `==` and `!=` compare is brought to whole factors first; orders of fractions aren't, for
/// their gap is in the units of what's written.
pub(crate) fn comparison(
    terms: &mut Terms,
    written: &Function,
    [a, b]: [Term; 2],
) -> Result<Term, BuildError> {
    let joined = terms.joined_shape(a, b)?;
    let Some(mut difference) = linear(terms, &[(a, 1), (b, -1)]) else {
        return compared(terms, written, [a, b]);
    };
    let mut function = written.clone();
    let (sums, constant) = loop {
        if difference.terms.is_empty() {
            terms.check_total(a)?;
            terms.check_total(b)?;
            let truth =
                function.value(&[difference.constant, BigRational::zero()]).expect("comparisons are exact");
            return terms.fixed_like(&[a, b], truth);
        }
        let lowest;
        (function, lowest) = in_lowest_terms(&mut terms.rounded, &function, difference);
        let mut scaled = Vec::with_capacity(lowest.terms.len());
        for (term, factor) in &lowest.terms {
            let sign = if factor.is_negative() { -1 } else { 1 };
            let magnitude = if sign < 0 { terms.rounded.negated(factor) } else { factor.clone() };
            scaled.push((terms.scale(*term, &magnitude)?, sign));
        }
        // A fraction of a sum that is whole now is a multiple of the sum, whose terms may be among the others.
        match linear(terms, &scaled) {
            Some(again) if again.terms != lowest.terms => {
                let constant = terms.rounded.plus(&again.constant, &lowest.constant);
                difference = Linear { constant, ..again };
            }
            _ => break (scaled, lowest.constant),
        }
    };
    let mut sides: [Option<Term>; 2] = [None, None];
    for (scaled, sign) in sums {
        let side = &mut sides[usize::from(sign < 0)];
        *side = Some(match *side {
            Some(sum) => terms.add(sum, scaled)?,
            None => scaled,
        });
    }
    // What has no more rows than a number is left as it's written.
    let shapes = sides.map(|side| side.and_then(|side| terms.shapes[side.index()]));
    let shape = shapes.into_iter().flatten().reduce(Shape::join);
    if shape != joined {
        return compared(terms, written, [a, b]);
    }
    let is_word = constant.is_integer() && constant.numer().to_i64().is_some_and(|c| c != i64::MIN);
    let negated = terms.rounded.negated(&constant);
    let operands = match sides {
        [Some(left), None] if is_word => [left, terms.constant(negated)?],
        [None, Some(right)] if is_word => [terms.constant(constant)?, right],
        [left, right] => {
            // On the side where it's positive; there's a constant 0 on a side without terms.
            let at = match (left, right) {
                (Some(_), Some(_)) => usize::from(constant.is_negative()),
                (Some(_), None) => 0,
                (None, _) => 1,
            };
            let offset = if at == 0 { constant } else { negated };
            let zero = terms.integer(0)?;
            let mut operands = [left.unwrap_or(zero), right.unwrap_or(zero)];
            operands[at] = terms.offset(operands[at], &offset)?;
            operands
        }
    };
    // What is no longer computed isn't found undefined either.
    let is_partial = |of: [Term; 2]| of.into_iter().any(|term| terms.partial(term).is_some());
    if is_partial([a, b]) && !is_partial(operands) {
        return compared(terms, written, [a, b]);
    }
    compared(terms, &function, operands)
}

/// A term as a sum of others times factors, and of a constant, which stands last; `None` for sums of very many terms.
pub(crate) fn fractions(terms: &mut Terms, a: Term) -> Option<Vec<(Option<Term>, BigRational)>> {
    let Linear { terms: factors, constant } = linear(terms, &[(a, 1)])?;
    Some(factors.into_iter().map(|(term, factor)| (Some(term), factor)).chain([(None, constant)]).collect())
}

/// A sum of terms times signs; `None` where that's very many terms.
fn linear(terms: &mut Terms, of: &[(Term, i64)]) -> Option<Linear> {
    let mut sum = Linear::default();
    let signed = |&(term, sign): &(Term, i64)| (term, BigRational::from_integer(sign.into()));
    let mut pending: Vec<(Term, BigRational)> = of.iter().rev().map(signed).collect();
    for _ in 0..MOST_OPERATIONS {
        let Some((term, factor)) = pending.pop() else {
            sum.terms.retain(|(_, factor)| !factor.is_zero());
            let is_bounded = sum.numbers().all(|number| bounded(number.clone()).is_ok());
            return is_bounded.then_some(sum);
        };
        match terms.entries[term.index()].clone() {
            Entry::Constant(value) => {
                let product = terms.rounded.times(&factor, &value);
                sum.constant = terms.rounded.plus(&sum.constant, &product);
            }
            Entry::Node(Node::Add(x, y)) => {
                pending.extend([(terms.term(y), factor.clone()), (terms.term(x), factor)]);
            }
            Entry::Node(Node::Sub(x, y)) => {
                pending.extend([(terms.term(y), terms.rounded.negated(&factor)), (terms.term(x), factor)]);
            }
            Entry::Node(Node::Neg(x)) => pending.push((terms.term(x), terms.rounded.negated(&factor))),
            Entry::Node(Node::Offset(x, constant)) => {
                let product = terms.rounded.times(&constant, &factor);
                sum.constant = terms.rounded.plus(&sum.constant, &product);
                pending.push((terms.term(x), factor));
            }
            // A fraction of a sum is one product where the sum of fractions would be several.
            Entry::Node(Node::Scale(x, k)) if k.is_integer() || is_atom(terms, terms.term(x)) => {
                pending.push((terms.term(x), terms.rounded.times(&factor, &k)));
            }
            Entry::Node(_) => match sum.terms.iter_mut().find(|(other, _)| *other == term) {
                Some((_, known)) => *known = terms.rounded.plus(known, &factor),
                None => sum.terms.push((term, factor)),
            },
        }
    }
    None
}

fn is_atom(terms: &Terms, term: Term) -> bool {
    !matches!(terms.node(term), Some(Node::Add(..) | Node::Sub(..)))
}

/// The comparison of two terms as they are; of their difference and 0 where one is a constant that isn't whole.
pub(crate) fn compared(
    terms: &mut Terms,
    function: &Function,
    [a, b]: [Term; 2],
) -> Result<Term, BuildError> {
    let operands = match (operand(terms, function, a), operand(terms, function, b)) {
        (Ok(a), Ok(b)) => vec![a, b],
        _ => vec![Operand::Value(terms.sub(a, b)?.id), Operand::Constant(0)],
    };
    terms.intern(Node::Function(function.clone(), operands))
}

/// What a function is of: constants are whole and of at most 63 bits.
pub(crate) fn operand(terms: &Terms, function: &Function, term: Term) -> Result<Operand, BuildError> {
    match terms.entry(term)? {
        Entry::Constant(value) => whole(function, value),
        Entry::Node(_) => Ok(Operand::Value(term.id)),
    }
}

/// A constant as an operand.
pub(crate) fn whole(function: &Function, value: &BigRational) -> Result<Operand, BuildError> {
    let word = value.is_integer().then(|| value.to_integer().to_i64()).flatten();
    word.map(Operand::Constant)
        .ok_or_else(|| BuildError::ConstantNotWhole { function: function.name(), constant: shown(value) })
}

/// A difference divided by what all its whole factors and its constant have in common, with the comparison's gap.
fn in_lowest_terms(
    rounded: &mut RoundedConstants,
    function: &Function,
    mut difference: Linear,
) -> (Function, Linear) {
    let has_gap = !function.is_equality();
    let denominator = difference.numbers().fold(BigInt::one(), |lcm, number| lcm.lcm(number.denom()));
    if has_gap && !denominator.is_one() {
        return (function.clone(), difference);
    }
    let numerator = difference.numbers().fold(BigInt::zero(), |gcd, number| gcd.gcd(number.numer()));
    let scale = BigRational::new(denominator, numerator);
    difference.terms.iter_mut().for_each(|(_, factor)| *factor = rounded.times(factor, &scale));
    difference.constant = rounded.times(&difference.constant, &scale);
    (function.with_gap_times(&scale), difference)
}
