//! Functions of terms.

use asanoha_numeric::number;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use super::{
    normal_form::{comparison, operand, whole},
    terms::{Entry, Terms},
};
use crate::{
    error::{BuildError, shown},
    function::{Function, Given, Kind, Smooth},
    ids::{Operand, Term},
    node::Node,
    shape::Shape,
};

/// A function of as many terms as it takes, one to three. Constants among them are whole for divisions and tables. Of constants it's a
/// constant: the exact value, or for a smooth function the decimal number that is written for a double near it.
///
/// # Errors
/// [`BuildError::ConstantNotWhole`], [`BuildError::DivisionByZero`] by a constant zero, [`BuildError::BadTable`],
/// [`BuildError::OutsideDomain`] of a constant, [`BuildError::MisplacedText`].
pub fn apply(terms: &mut Terms, function: Function, arguments: &[Term]) -> Result<Term, BuildError> {
    match (function.kind(), arguments) {
        (Kind::Smooth, &[a]) => smooth(terms, function, a),
        (Kind::Text(_) | Kind::TextTable, &[column]) => text(terms, function, column),
        (_, &[a, b]) if function.is_comparison() => comparison(terms, &function, [a, b]),
        _ => {
            let arguments = with_constants(terms, arguments)?;
            let chosen = if function.kind() == Kind::Choice { chosen(terms, &arguments)? } else { None };
            chosen.map_or_else(|| exact(terms, function, &arguments), Ok)
        }
    }
}

fn smooth(terms: &mut Terms, function: Function, a: Term) -> Result<Term, BuildError> {
    terms.check(a)?;
    let Some(constant) = terms.fixed_value(a) else {
        return terms.intern(Node::Function(function, vec![Operand::Value(a.id)]));
    };
    let meaning = function.smooth();
    if let Some(value) = meaning.and_then(|smooth| smooth.exact(&constant)) {
        terms.rounded.note(&value, &function, std::slice::from_ref(&constant), None);
        return terms.fixed_like(&[a], value);
    }
    let of = number::to_f64(&constant);
    // Where a function isn't defined everywhere, a number too small for a double's precision isn't taken for 0.
    let is_lost = !of.is_normal() && !constant.is_zero() && meaning.is_some_and(Smooth::is_partial);
    let double = if is_lost { f64::NAN } else { function.double(&[of]) };
    let value = number::written_decimal(double)
        .ok_or_else(|| BuildError::OutsideDomain { function: function.name(), constant: shown(&constant) })?;
    if let Some(smooth) = meaning {
        let written = smooth.written(&number::format(&constant));
        terms.rounded.note(&value, &function, &[constant], Some((written, double)));
    }
    terms.fixed_like(&[a], value)
}

/// A function of a column of text. The column's categories are known once data are.
fn text(terms: &mut Terms, function: Function, column: Term) -> Result<Term, BuildError> {
    terms.check(column)?;
    let Some(Node::Input(_)) = terms.node(column) else { return Err(BuildError::MisplacedText) };
    terms.intern(Node::Function(function, vec![Operand::Value(column.id)]))
}

/// What a choice by a constant is, or of the same constant twice.
fn chosen(terms: &mut Terms, arguments: &[Term]) -> Result<Option<Term>, BuildError> {
    let &[condition, a, b] = arguments else { return Ok(None) };
    if let Some(value) = terms.fixed_value(condition) {
        let chosen = if value.is_zero() { b } else { a };
        if let Some(value) = terms.fixed_value(chosen) {
            return terms.fixed_like(arguments, value).map(Some);
        }
        let zeros = terms.fixed_like(arguments, BigRational::zero())?;
        return terms.add(chosen, zeros).map(Some);
    }
    let Some(value) = terms.fixed_value(a).filter(|value| terms.fixed_value(b).as_ref() == Some(value))
    else {
        return Ok(None);
    };
    terms.check_total(condition)?;
    terms.fixed_like(arguments, value).map(Some)
}

/// A function with an exact value.
fn exact(terms: &mut Terms, function: Function, arguments: &[Term]) -> Result<Term, BuildError> {
    let constants: Option<Vec<BigRational>> = arguments.iter().map(|&term| terms.fixed_value(term)).collect();
    if constants.is_none()
        && function.takes_fractions()
        && let Some(moved) = without_fractions(terms, &function, arguments)?
    {
        return Ok(moved);
    }
    if function.is_division() {
        let divisor = arguments.get(1).and_then(|&divisor| terms.fixed_value(divisor));
        if divisor.is_some_and(|divisor| divisor.is_zero()) {
            return Err(BuildError::DivisionByZero);
        }
        if constants.is_none()
            && let Some(scaled) = division_of_fractions(terms, &function, arguments)?
        {
            return Ok(scaled);
        }
    }
    let operands = match &constants {
        Some(_) if function.takes_fractions() || function.is_division() => Vec::new(),
        Some(constants) => constants.iter().map(|value| whole(&function, value)).collect::<Result<_, _>>()?,
        None => {
            arguments.iter().map(|&term| operand(terms, &function, term)).collect::<Result<Vec<_>, _>>()?
        }
    };
    check_table(&function)?;
    if let Some(constants) = constants {
        let value = function.value(&constants).expect("all others are exact");
        terms.rounded.note(&value, &function, &constants, None);
        return terms.fixed_like(arguments, value);
    }
    terms.intern(Node::Function(function, operands))
}

/// A division with a constant that isn't whole, p/q, as one of whole constants: ⌊a/(p/q)⌋ = ⌊q·a/p⌋, and the remainder is that of
/// q·a by p, divided by q; the same for a dividend p/q, of p by q·b. `None` where constants are whole.
fn division_of_fractions(
    terms: &mut Terms,
    function: &Function,
    arguments: &[Term],
) -> Result<Option<Term>, BuildError> {
    let fraction = |term: &Term| match terms.entry(*term) {
        Ok(Entry::Constant(value)) if !value.is_integer() => Some(value.denom().clone()),
        _ => None,
    };
    let Some(denominator) = arguments.iter().find_map(fraction) else { return Ok(None) };
    let factor = BigRational::from_integer(denominator);
    let unit = factor.recip();
    let factor = terms.constant(factor)?;
    let scaled = arguments.iter().map(|&term| terms.mul(term, factor)).collect::<Result<Vec<_>, _>>()?;
    let divided = apply(terms, function.clone(), &scaled)?;
    if function.is_remainder() { terms.scale(divided, &unit).map(Some) } else { Ok(Some(divided)) }
}

/// Refuses tables without entries, and of rows of several lengths.
fn check_table(function: &Function) -> Result<(), BuildError> {
    let bad = |wanted| Err(BuildError::BadTable { function: function.name(), wanted });
    match function.given() {
        Given::Rows(rows) if rows.iter().any(|row| row.len() != rows[0].len() || row.is_empty()) => {
            bad("rows of one length")
        }
        Given::Rows(rows) if rows.is_empty() => bad("entries"),
        Given::Entries(entries) if entries.is_empty() => bad("entries"),
        _ => Ok(()),
    }
}

/// The same extreme or choice with constants that aren't whole, or have more than 63 bits, out of its arguments: what is
/// chosen is shifted. `None` where all constants are as they should be.
fn without_fractions(
    terms: &mut Terms,
    function: &Function,
    arguments: &[Term],
) -> Result<Option<Term>, BuildError> {
    let mut constants = Vec::with_capacity(arguments.len());
    for &term in arguments {
        let constant = match terms.entry(term)? {
            Entry::Constant(value) => Some(value.clone()),
            Entry::Node(_) => None,
        };
        constants.push(constant);
    }
    let is_whole = |value: &BigRational| value.is_integer() && value.numer().to_i64().is_some();
    if constants.iter().flatten().all(is_whole) {
        return Ok(None);
    }
    let zero = terms.integer(0)?;
    let function = function.clone();
    let moved = match (arguments, &constants[..]) {
        (&[condition, a, b], [None, Some(_), Some(_)]) => {
            let one = terms.integer(1)?;
            let chosen = apply(terms, function, &[condition, one, zero])?;
            let difference = terms.sub(a, b)?;
            let scaled = terms.mul(chosen, difference)?;
            terms.add(scaled, b)?
        }
        (&[condition, a, b], [_, Some(_), _]) => {
            let difference = terms.sub(b, a)?;
            let chosen = apply(terms, function, &[condition, zero, difference])?;
            terms.add(chosen, a)?
        }
        (&[condition, a, b], _) => {
            let difference = terms.sub(a, b)?;
            let chosen = apply(terms, function, &[condition, difference, zero])?;
            terms.add(chosen, b)?
        }
        (&[a, b], [constant, _]) => {
            let (shift, operands) = match constant {
                Some(_) => (a, [zero, terms.sub(b, a)?]),
                None => (b, [terms.sub(a, b)?, zero]),
            };
            let value = apply(terms, function, &operands)?;
            terms.add(value, shift)?
        }
        _ => unreachable!("the only argument of a function isn't constant here"),
    };
    Ok(Some(moved))
}

/// The arguments of a function, with columns that are the same number for all data as constants, unless there's no other
/// column among them.
fn with_constants(terms: &mut Terms, arguments: &[Term]) -> Result<Vec<Term>, BuildError> {
    arguments.iter().try_for_each(|&term| terms.check(term))?;
    let depends = |term: &&Term| terms.fixed_value(**term).is_none();
    let shape_of = |term: &Term| terms.shapes[term.index()];
    let joined = arguments.iter().filter_map(shape_of).reduce(Shape::join);
    if arguments.iter().filter(depends).filter_map(shape_of).reduce(Shape::join) != joined {
        return Ok(arguments.to_vec());
    }
    let mut known = Vec::with_capacity(arguments.len());
    for &term in arguments {
        known.push(match terms.fixed_value(term) {
            Some(value) => terms.constant(value)?,
            None => term,
        });
    }
    Ok(known)
}
