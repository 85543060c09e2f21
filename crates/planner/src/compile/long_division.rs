//! Division of whole numbers that are too wide for a table, in the arithmetic graph.

use asanoha_circuits::{BinaryFunction, CircuitCost, StageCount};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{
    DigitFunction, DigitFunctionKind,
    digits::{COMPARED_BITS, digit},
    expand::{ExpandError, Expander, Value, Values},
    graph::Operation,
};
use crate::program::{
    BuildError, NodeId, ProgramBuilder, Range, Term,
    ops::{ABSOLUTE as ABS, CHOICE, apply, binary, with_constant},
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
struct Division<'a> {
    a: NodeId,
    b: NodeId,
    name: &'static str,
    values: &'a Values,
    negative_dividends: bool,
    negative_divisors: bool,
}

impl Expander<'_> {
    /// ⌊a/b⌋ or a − b·⌊a/b⌋ by the cheapest long division.
    ///
    /// With a* = a for a ≥ 0 and −1 − a else, and s = \[a < 0\], the quotient q of a* by b > 0 makes that of a: q or −1 − q,
    /// which is q − s·(2·q + 1). For b < 0 it's the quotient of −a by −b. The client encrypts the digits of both a* and
    /// (−a)*. For b = 0, q is 0 and s has to be, too.
    pub(super) fn long_division(
        &mut self,
        function: BinaryFunction,
        a: NodeId,
        b: NodeId,
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let quotient = if let Some(quotient) = self.quotients.get(&(a, b)) {
            quotient.clone()
        } else {
            let negative = |node: NodeId| self.ranges[node.0].lo().is_negative();
            let (negative_dividends, negative_divisors) = (negative(a), negative(b));
            let name = binary(function).name();
            let division = Division { a, b, name, values, negative_dividends, negative_divisors };
            let quotient = self.long_quotient(division)?;
            self.quotients.insert((a, b), quotient.clone());
            quotient
        };
        if function == BinaryFunction::Quotient {
            return Ok(quotient);
        }
        let product = self.mul(&values[&b].clone(), &quotient);
        Ok(self.sum_of_two(&values[&a].clone(), &product, Operation::Sub))
    }

    fn long_quotient(&mut self, division: Division) -> Result<Value, ExpandError> {
        let Division { a, b, name, values, negative_dividends, negative_divisors } = division;
        let bits = |range: &Range| range.max_abs().ceil().to_integer().bits().max(1);
        let chosen = self.cheapest_division(bits(&self.ranges[a.0]), bits(&self.ranges[b.0]))?;
        let turned = if negative_divisors { Some(self.derived(name, b, NEGATIVE, values)?) } else { None };
        let mut operands = self.dividend(division, chosen.kind(), turned.as_ref())?;
        operands.extend(self.divisor(division, chosen.kind())?);
        let divided = self.digit_function(chosen, operands);
        let quotient = self.result(divided, 0);
        if !negative_dividends && !negative_divisors {
            return Ok(quotient);
        }
        let mut negative = self.derived(name, a, NEGATIVE, values)?;
        if let Some(turned) = &turned {
            let positive = self.derived(name, a, POSITIVE, values)?;
            negative = self.chosen(turned, &positive, &negative);
        }
        if self.ranges[b.0].contains(&BigRational::zero()) {
            let nonzero = self.derived(name, b, NONZERO, values)?;
            negative = self.mul(&negative, &nonzero);
        }
        let twice = &quotient.factor * BigRational::from_integer(2.into());
        let odd = self.offset(&Value { factor: twice, ..quotient.clone() }, &BigRational::one());
        let odd = self.mul(&negative, &odd);
        Ok(self.sum_of_two(&quotient, &odd, Operation::Sub))
    }

    /// The digits of a*, or of (−a)* where the divisor is negative.
    fn dividend(
        &mut self,
        Division { a, name, values, negative_dividends, .. }: Division,
        kind: DigitFunctionKind,
        turned: Option<&Value>,
    ) -> Result<Vec<usize>, ExpandError> {
        let (digits, digit_bits) = match kind {
            DigitFunctionKind::WideQuotient { digits, digit_bits, .. } => (digits, digit_bits),
            DigitFunctionKind::NibbleQuotient { digits, .. }
            | DigitFunctionKind::Comparison { digits, .. } => (digits, COMPARED_BITS),
        };
        let magnitude = if negative_dividends { MAGNITUDE } else { SAME };
        let of_place = |at: usize| {
            let mut value = self.derived(name, a, digit(magnitude, at, digits, digit_bits), values)?;
            if let Some(turned) = turned {
                let negated = digit(NEGATED_MAGNITUDE, at, digits, digit_bits);
                let negated = self.derived(name, a, negated, values)?;
                value = self.chosen(turned, &negated, &value);
            }
            Ok(self.with_factor(&value, &BigRational::one()))
        };
        (0..digits).map(of_place).collect()
    }

    /// |b|, or its digits.
    fn divisor(
        &mut self,
        Division { b, name, values, negative_divisors, .. }: Division,
        kind: DigitFunctionKind,
    ) -> Result<Vec<usize>, ExpandError> {
        let magnitude = if negative_divisors { ABSOLUTE } else { SAME };
        let one = BigRational::one();
        if let DigitFunctionKind::NibbleQuotient { divisor_digits, .. } = kind {
            let of_place = |at: usize| {
                let digit = digit(magnitude, at, divisor_digits, COMPARED_BITS);
                let digit = self.derived(name, b, digit, values)?;
                Ok(self.with_factor(&digit, &one))
            };
            return (0..divisor_digits).map(of_place).collect();
        }
        let divisor =
            if negative_divisors { self.derived(name, b, magnitude, values)? } else { values[&b].clone() };
        Ok(vec![self.with_factor(&divisor, &one)])
    }

    /// The division of a dividend by a divisor of a number of bits that costs the least.
    fn cheapest_division(&self, dividend_bits: u64, divisor_bits: u64) -> Result<DigitFunction, ExpandError> {
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
            match DigitFunction::new(kind, self.modulus()) {
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
