//! Comparison of whole numbers in the arithmetic graph by their digits: those of columns are encrypted by
//! the client, those of all else come out of tables.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{
    Analysed, BuildError, Node, Operand, ProgramBuilder, Range,
    ops::{binary, with_constant},
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::{
    Exact,
    tables::{MAX_VALUES, against_zero, result, tabulated},
    views::{column_of, derived},
};
use crate::{
    choice::{Term, difference, minus, plus},
    error::ExpandError,
    expander::{Expander, Value},
    ir::{DigitFunction, DigitFunctionKind, Op, WholeOperation},
    operand_range::operand_range,
};

/// The width of the digits that are compared, and of those of divisors.
pub(super) const COMPARED_BITS: u32 = 4;

/// A comparison, minimum or maximum of two values, by the difference where that has few values, else by digits.
pub(super) fn comparison(
    e: &mut Expander<'_, Exact<'_>>,
    function: BinaryFunction,
    a: Operand,
    b: Operand,
) -> Result<Value, ExpandError> {
    if let (Operand::Value(id), Operand::Constant(0)) = (a, b)
        && let Node::Sub(x, y) = *e.analysed.program().node(id)
        && e.analysed.is_whole(x)
        && e.analysed.is_whole(y)
        && !function.adds_right()
    {
        return comparison(e, function, Operand::Value(x), Operand::Value(y));
    }
    let (left, right) = (operand_range(a, e.analysed.ranges()), operand_range(b, e.analysed.ranges()));
    let differences = left.sub(&right);
    let (lo, last) = left.union(&right).whole_ends();
    let digits = (last - &lo).bits().div_ceil(COMPARED_BITS.into()).max(1) as usize;
    let few = differences.whole_count() <= MAX_VALUES.into();
    let by_client = is_viewable(e.analysed, a) && is_viewable(e.analysed, b);
    let cheap = || cost_of_difference(&differences.whole_count()) <= cost_of_digits(digits);
    if few && (digits == 1 || !by_client || cheap()) {
        return of_difference(e, function, [a, b], &differences);
    }
    let compared = if let Some(&compared) = e.target.compared.get(&(a, b)) {
        compared
    } else {
        let compared = compared_digits(e, function, [a, b], (&lo, digits))?;
        e.target.compared.insert((a, b), compared);
        compared
    };
    let (less, equal) = (result(e, compared, 0), result(e, compared, 1));
    let not = |e: &mut Expander<'_, Exact<'_>>, bit: &Value| e.offset(&bit.negated(), &BigRational::one());
    Ok(match function {
        BinaryFunction::Less => less,
        BinaryFunction::GreaterOrEqual => not(e, &less),
        BinaryFunction::Equal => equal,
        BinaryFunction::NotEqual => not(e, &equal),
        BinaryFunction::LessOrEqual => e.sum_of_two(&less, &equal, Op::Add),
        BinaryFunction::Greater => {
            let at_most = e.sum_of_two(&less, &equal, Op::Add);
            not(e, &at_most)
        }
        BinaryFunction::Minimum | BinaryFunction::Maximum => {
            let difference = difference(e, [a, b]);
            let chosen = e.mul(&less, &difference);
            match (function == BinaryFunction::Minimum, a, b) {
                (true, _, b) => plus(e, &chosen, b),
                (false, a, _) => plus(e, &chosen.negated(), a),
            }
        }
        BinaryFunction::Quotient | BinaryFunction::Remainder => unreachable!("they're no comparisons"),
    })
}

/// The functions \[a < b\] and \[a = b\] of a number of digits of a − lo and b − lo.
fn compared_digits(
    e: &mut Expander<'_, Exact<'_>>,
    function: BinaryFunction,
    [a, b]: [Operand; 2],
    (lo, digits): (&BigInt, usize),
) -> Result<usize, ExpandError> {
    let name = binary(function).name();
    let kind = DigitFunctionKind::Comparison { digits, digit_bits: COMPARED_BITS };
    let compared = DigitFunction::new(kind, e.target.modulus)?;
    let x = digits_from(e, a, lo, digits, name)?;
    let y = digits_from(e, b, lo, digits, name)?;
    let one = BigRational::one();
    let mut operands = Vec::with_capacity(digits);
    for (x, y) in x.iter().zip(&y) {
        let difference = minus(e, x, y);
        operands.push(e.with_factor(&difference, &one));
    }
    Ok(digit_function(e, compared, operands))
}

/// A comparison, minimum or maximum by the sign of a − b; min(a, b) = b + min(a − b, 0).
fn of_difference(
    e: &mut Expander<'_, Exact<'_>>,
    function: BinaryFunction,
    [a, b]: [Operand; 2],
    range: &Range,
) -> Result<Value, ExpandError> {
    let difference = difference(e, [a, b]);
    let (name, program) = (binary(function).name(), against_zero(function));
    let value = tabulated(e, name, program, std::slice::from_ref(range), &[difference])?;
    Ok(if function.adds_right() { plus(e, &value, b) } else { value })
}

pub(super) fn digit_function(
    e: &mut Expander<'_, Exact<'_>>,
    function: DigitFunction,
    operands: Vec<usize>,
) -> usize {
    let operation = Op::Functions(operands, WholeOperation::Digits(function));
    e.shared(operation)
}

/// The digits of a − lo.
fn digits_from(
    e: &mut Expander<'_, Exact<'_>>,
    a: Operand,
    lo: &BigInt,
    digits: usize,
    name: &'static str,
) -> Result<Vec<Term>, ExpandError> {
    let distance = |p: &mut ProgramBuilder, x| {
        let offset = p.constant(BigRational::from_integer(-lo))?;
        p.add(x, offset)
    };
    let one = |at: usize| match a {
        Operand::Constant(constant) => {
            let digit: BigInt = (BigInt::from(constant) - lo) >> (COMPARED_BITS as usize * at);
            let digit = digit % (1i64 << COMPARED_BITS);
            Ok(Term::Constant(digit.to_i64().expect("it's a digit")))
        }
        Operand::Value(id) => {
            derived(e, name, id, digit(distance, at, digits, COMPARED_BITS)).map(Term::Value)
        }
    };
    (0..digits).map(one).collect()
}

/// Whether the client can encrypt an operand's digits.
fn is_viewable(analysed: &Analysed<'_>, operand: Operand) -> bool {
    operand.node().is_none_or(|id| column_of(analysed, id).is_some())
}

/// A digit of a number that isn't negative, which is made of a value.
pub(super) fn digit(
    number: impl FnOnce(&mut ProgramBuilder, asanoha_lang::Term) -> Result<asanoha_lang::Term, BuildError>,
    at: usize,
    digits: usize,
    digit_bits: u32,
) -> impl FnOnce(&mut ProgramBuilder, asanoha_lang::Term) -> Result<asanoha_lang::Term, BuildError> {
    move |p, x| {
        let mut digit = number(p, x)?;
        if at > 0 {
            digit = with_constant(p, BinaryFunction::Quotient, digit, 1 << (at as u32 * digit_bits))?;
        }
        if at + 1 < digits {
            digit = with_constant(p, BinaryFunction::Remainder, digit, 1 << digit_bits)?;
        }
        Ok(digit)
    }
}

/// About what the polynomial of a difference costs, by the number of its values: products times the levels that they're at.
fn cost_of_difference(count: &BigInt) -> f64 {
    let depth = count.bits() as f64;
    3.0 * (depth / 2.0).exp2() * depth
}

/// And a comparison of digits, by their number, each of which is compared by two polynomials of 31 values.
fn cost_of_digits(digits: usize) -> f64 {
    let joins = f64::from(digits.next_power_of_two().ilog2());
    14.0 * digits as f64 * (f64::from(COMPARED_BITS) + 1.0 + joins)
}
