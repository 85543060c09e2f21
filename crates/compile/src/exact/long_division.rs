//! Division of whole numbers that are too wide for a table, in the arithmetic graph.

use asanoha_circuits::{BinaryFunction, CircuitCost, StageCount};
use asanoha_lang::{
    BuildError, NodeId, ProgramBuilder, Range, Term,
    ops::{ABSOLUTE as ABS, CHOICE, apply, binary, with_constant},
};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{
    Exact,
    digits::{COMPARED_BITS, digit, digit_function},
    tables::result,
    views::derived,
};
use crate::{
    choice::chosen,
    error::ExpandError,
    expander::{Expander, Value},
    ir::{DigitFunction, DigitFunctionKind, Op},
};

/// The widths of the digits of a dividend that are tried.
const DIVIDEND_BITS: [u32; 2] = [8, 4];
/// The widest divisor of tables.
const MAX_DIVISOR_BITS: u64 = 10;
/// What is made of a value.
type Made = fn(&mut ProgramBuilder, Term) -> Result<Term, BuildError>;
/// The value as it is, and its absolute value.
const SAME: Made = |_, x| Ok(x);
const ABSOLUTE: Made = |p, x| apply(p, ABS, &[x]);
/// a*, and (−a)*.
const MAGNITUDE: Made = |p, x| {
    let (negative, minus_one) = (NEGATIVE(p, x)?, p.integer(-1)?);
    let below = p.sub(minus_one, x)?;
    apply(p, CHOICE, &[negative, below, x])
};
const NEGATED_MAGNITUDE: Made = |p, x| {
    let (positive, one) = (POSITIVE(p, x)?, p.integer(1)?);
    let (below, negated) = (p.sub(x, one)?, p.neg(x)?);
    apply(p, CHOICE, &[positive, below, negated])
};
/// Comparisons with zero.
const NEGATIVE: Made = |p, x| with_constant(p, BinaryFunction::Less, x, 0);
const POSITIVE: Made = |p, x| with_constant(p, BinaryFunction::Greater, x, 0);
const NONZERO: Made = |p, x| with_constant(p, BinaryFunction::NotEqual, x, 0);

/// A division: the operands and what's said of it in messages.
#[derive(Clone, Copy)]
struct Division {
    a: NodeId,
    b: NodeId,
    name: &'static str,
    negative_dividends: bool,
    negative_divisors: bool,
}

/// ⌊a/b⌋ or a − b·⌊a/b⌋ by the cheapest long division.
///
/// With a* = a for a ≥ 0 and −1 − a else, and s = \[a < 0\], the quotient q of a* by b > 0 makes that of a: q or −1 − q,
/// which is q − s·(2·q + 1). For b < 0 it's the quotient of −a by −b. The client encrypts the digits of both a* and
/// (−a)*. For b = 0, q is 0 and s has to be, too.
pub(super) fn long_division(
    e: &mut Expander<'_, Exact<'_>>,
    function: BinaryFunction,
    a: NodeId,
    b: NodeId,
) -> Result<Value, ExpandError> {
    let quotient = if let Some(quotient) = e.target.quotients.get(&(a, b)) {
        quotient.clone()
    } else {
        let negative = |node: NodeId| e.range(node).lo().is_negative();
        let (negative_dividends, negative_divisors) = (negative(a), negative(b));
        let name = binary(function).name();
        let division = Division { a, b, name, negative_dividends, negative_divisors };
        let quotient = long_quotient(e, division)?;
        e.target.quotients.insert((a, b), quotient.clone());
        quotient
    };
    if function == BinaryFunction::Quotient {
        return Ok(quotient);
    }
    let product = e.mul(&e.value(b), &quotient);
    Ok(e.sum_of_two(&e.value(a), &product, Op::Sub))
}

fn long_quotient(e: &mut Expander<'_, Exact<'_>>, division: Division) -> Result<Value, ExpandError> {
    let Division { a, b, name, negative_dividends, negative_divisors } = division;
    let bits = |range: &Range| range.max_abs().ceil().to_integer().bits().max(1);
    let cheapest = cheapest_division(e, bits(e.range(a)), bits(e.range(b)))?;
    let turned = if negative_divisors { Some(derived(e, name, b, NEGATIVE)?) } else { None };
    let mut operands = dividend(e, division, cheapest.kind(), turned.as_ref())?;
    operands.extend(divisor(e, division, cheapest.kind())?);
    let divided = digit_function(e, cheapest, operands);
    let quotient = result(e, divided, 0);
    if !negative_dividends && !negative_divisors {
        return Ok(quotient);
    }
    let mut negative = derived(e, name, a, NEGATIVE)?;
    if let Some(turned) = &turned {
        let positive = derived(e, name, a, POSITIVE)?;
        negative = chosen(e, turned, &positive, &negative);
    }
    if e.range(b).contains(&BigRational::zero()) {
        let nonzero = derived(e, name, b, NONZERO)?;
        negative = e.mul(&negative, &nonzero);
    }
    let twice = &quotient.factor * BigRational::from_integer(2.into());
    let odd = e.offset(&Value { factor: twice, ..quotient.clone() }, &BigRational::one());
    let odd = e.mul(&negative, &odd);
    Ok(e.sum_of_two(&quotient, &odd, Op::Sub))
}

/// The digits of a*, or of (−a)* where the divisor is negative.
fn dividend(
    e: &mut Expander<'_, Exact<'_>>,
    Division { a, name, negative_dividends, .. }: Division,
    kind: DigitFunctionKind,
    turned: Option<&Value>,
) -> Result<Vec<usize>, ExpandError> {
    let (digits, digit_bits) = match kind {
        DigitFunctionKind::WideQuotient { digits, digit_bits, .. } => (digits, digit_bits),
        DigitFunctionKind::NibbleQuotient { digits, .. } | DigitFunctionKind::Comparison { digits, .. } => {
            (digits, COMPARED_BITS)
        }
    };
    let magnitude = if negative_dividends { MAGNITUDE } else { SAME };
    let of_place = |at: usize| {
        let mut value = derived(e, name, a, digit(magnitude, at, digits, digit_bits))?;
        if let Some(turned) = turned {
            let negated = digit(NEGATED_MAGNITUDE, at, digits, digit_bits);
            let negated = derived(e, name, a, negated)?;
            value = chosen(e, turned, &negated, &value);
        }
        Ok(e.with_factor(&value, &BigRational::one()))
    };
    (0..digits).map(of_place).collect()
}

/// |b|, or its digits.
fn divisor(
    e: &mut Expander<'_, Exact<'_>>,
    Division { b, name, negative_divisors, .. }: Division,
    kind: DigitFunctionKind,
) -> Result<Vec<usize>, ExpandError> {
    let magnitude = if negative_divisors { ABSOLUTE } else { SAME };
    let one = BigRational::one();
    if let DigitFunctionKind::NibbleQuotient { divisor_digits, .. } = kind {
        let of_place = |at: usize| {
            let digit = digit(magnitude, at, divisor_digits, COMPARED_BITS);
            let digit = derived(e, name, b, digit)?;
            Ok(e.with_factor(&digit, &one))
        };
        return (0..divisor_digits).map(of_place).collect();
    }
    let divisor = if negative_divisors { derived(e, name, b, magnitude)? } else { e.value(b) };
    Ok(vec![e.with_factor(&divisor, &one)])
}

/// The division of a dividend by a divisor of a number of bits that costs the least.
fn cheapest_division(
    e: &Expander<'_, Exact<'_>>,
    dividend_bits: u64,
    divisor_bits: u64,
) -> Result<DigitFunction, ExpandError> {
    let digits = |width: u32| dividend_bits.div_ceil(width.into()) as usize;
    let nibbles = DigitFunctionKind::NibbleQuotient {
        digits: digits(COMPARED_BITS),
        divisor_digits: divisor_bits.div_ceil(COMPARED_BITS.into()) as usize,
    };
    let wide = DIVIDEND_BITS.into_iter().filter(|_| divisor_bits <= MAX_DIVISOR_BITS);
    let wide = wide.map(|digit_bits| DigitFunctionKind::WideQuotient {
        digits: digits(digit_bits),
        digit_bits,
        divisor_bits: divisor_bits as u32,
    });
    let mut cheapest: Option<DigitFunction> = None;
    let mut refused = None;
    for kind in wide.chain([nibbles]) {
        match DigitFunction::new(kind, e.target.modulus) {
            Ok(division) => {
                let better = |other: &DigitFunction| work(division.cost()) < work(other.cost());
                if cheapest.as_ref().is_none_or(better) {
                    cheapest = Some(division);
                }
            }
            Err(error) => refused = Some(error),
        }
    }
    cheapest.ok_or_else(|| refused.expect("one way or another was tried").into())
}

/// Products times the levels that they're at; what a product takes is mostly its key switch.
fn work(cost: &CircuitCost) -> f64 {
    let stage = |(at, stage): (usize, &StageCount)| {
        let operations = stage.products as f64
            + 0.1 * (stage.tensor_products + stage.switches) as f64
            + 0.002 * stage.constant_products as f64;
        operations * (cost.depth - at.min(cost.depth) + 2) as f64
    };
    cost.stages.iter().enumerate().map(stage).sum()
}
