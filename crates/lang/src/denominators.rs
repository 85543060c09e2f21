//! Fractions of known denominators: which values of a program they are, and the same program in whole numbers.

use std::borrow::Cow;

use asanoha_numeric::BinaryFunction;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Pow};

use super::MAX_CONSTANT_BITS;
use super::Range;
use super::builder::{ProgramBuilder, Term};
use super::error::BuildError;
use super::function::{Function, Operand};
use super::node::{Node, NodeId, Program};
use asanoha_table::Schema;

impl Program {
    /// For every operation a d with all its values whole multiples of 1/d, whatever the number of rows; none where that isn't
    /// known.
    pub fn denominators(&self, schema: &Schema) -> Vec<Option<BigInt>> {
        let mut known: Vec<Option<BigInt>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let of = |id: &NodeId| known[id.0].clone();
            let denominator = match node {
                Node::Input(name) => {
                    let column = schema.column(name).filter(|column| column.whole || column.places > 0);
                    column.map(|column| Pow::pow(BigInt::from(10), column.places))
                }
                Node::Neg(a) | Node::Sum(a) | Node::Assume(a, ..) | Node::Quantile(a, _) => of(a),
                Node::Add(a, b) | Node::Sub(a, b) => common([of(a), of(b)]),
                Node::Mul(a, b) | Node::Dot(a, b) => of(a).zip(of(b)).map(|(a, b)| a * b),
                Node::Scale(a, k) => of(a).map(|a| (k / a).denom().clone()),
                Node::Offset(a, c) => common([of(a), Some(c.denom().clone())]),
                Node::Power(a, exponent) => of(a)
                    .filter(|a| (a.bits() - 1).saturating_mul((*exponent).into()) <= MAX_CONSTANT_BITS)
                    .map(|a| Pow::pow(a, *exponent)),
                Node::Mean(_) | Node::Var(_) | Node::Cov(..) | Node::Smooth(..) => None,
                Node::Function(function, operands) => {
                    let of = |operand: &Operand| match operand {
                        Operand::Value(id) => of(id),
                        Operand::Constant(_) => Some(BigInt::one()),
                    };
                    match function {
                        Function::Floor => Some(BigInt::one()),
                        _ if function.is_comparison() => Some(BigInt::one()),
                        // The condition may be anything.
                        Function::Where => common(operands[1..].iter().map(of)),
                        Function::Binary(BinaryFunction::Quotient) => {
                            common(operands.iter().map(of)).map(|_| BigInt::one())
                        }
                        _ => common(operands.iter().map(of)),
                    }
                }
            };
            known.push(denominator.filter(|denominator| denominator.bits() <= MAX_CONSTANT_BITS));
        }
        known
    }

    /// Whether some output is known to be a decimal of at most so many places.
    pub fn gives_decimals(&self, schema: &Schema, places: u32) -> bool {
        let power: BigInt = Pow::pow(BigInt::from(10), places);
        let denominators = self.denominators(schema);
        let is_decimal = |of: &Option<BigInt>| of.as_ref().is_some_and(|of| power.is_multiple_of(of));
        self.outputs.iter().any(|(_, id)| is_decimal(&denominators[id.0]))
    }

    /// For every operation, whether its values are whole numbers.
    pub fn whole_nodes(&self, schema: &Schema) -> Vec<bool> {
        self.denominators(schema).into_iter().map(|of| of.is_some_and(|of| of.is_one())).collect()
    }

    /// The same outputs computed from whole numbers only: columns of decimals are their digits divided by a power of ten, and
    /// functions of fractions are of these times their denominators.
    ///
    /// # Errors
    /// Constants that become too large.
    pub fn in_whole_numbers<'a>(
        &'a self,
        schema: &'a Schema,
    ) -> Result<(Cow<'a, Self>, Cow<'a, Schema>), BuildError> {
        let denominators = self.denominators(schema);
        let is_fraction = |denominator: &Option<BigInt>| denominator.as_ref().is_some_and(|it| !it.is_one());
        if !denominators.iter().any(is_fraction) {
            return Ok((Cow::Borrowed(self), Cow::Borrowed(schema)));
        }
        let mut builder = ProgramBuilder::new();
        let mut terms: Vec<Term> = Vec::with_capacity(self.nodes.len());
        for (id, node) in self.iter() {
            builder.set_origin(self.origin(id).cloned());
            let term = match node {
                Node::Input(name) => {
                    let digits = builder.input(name)?;
                    let places = schema.column(name).map_or(0, |column| column.places);
                    let unit = builder.constant(unit(places))?;
                    builder.mul(digits, unit)?
                }
                Node::Function(function, operands) => {
                    let snapped = self.snapped(function, operands, &denominators);
                    let (arguments, denominator) = if let Some(Snapped { sides, constant, unit }) = snapped {
                        let zero = builder.integer(0)?;
                        let [left, right] = sides.map(|side| side.map_or(zero, |id| terms[id.0]));
                        let constant = builder.constant(constant)?;
                        (vec![left, builder.add(right, constant)?], Some(unit))
                    } else {
                        let scaled = &operands[..scaled(function, operands.len())];
                        let denominator = common(scaled.iter().map(|operand| match operand {
                            Operand::Value(id) => denominators[id.0].clone(),
                            Operand::Constant(_) => Some(BigInt::one()),
                        }));
                        (builder.arguments(operands, |id| terms[id.0])?, denominator)
                    };
                    times(&mut builder, function, arguments, denominator.unwrap_or_else(BigInt::one))?
                }
                node => builder.same(node, |id| terms[id.0])?,
            };
            terms.push(term);
        }
        for (name, id) in &self.outputs {
            builder.encrypted_output(name, terms[id.0]);
        }
        let whole = builder.finish()?;
        debug_assert_eq!(whole.outputs.len(), self.outputs.len(), "what depends on the data still does");
        let mut schema = schema.clone();
        for column in schema.columns.iter_mut().filter(|column| column.places > 0) {
            let power = unit(column.places).recip();
            column.range = Range::between(column.range.lo() * &power, column.range.hi() * &power);
            (column.whole, column.places) = (true, 0);
        }
        Ok((Cow::Owned(whole), Cow::Owned(schema)))
    }
}

/// An order of two sides, of multiples of a unit's inverse, against a constant that is one too.
struct Snapped {
    sides: [Option<NodeId>; 2],
    constant: BigRational,
    unit: BigInt,
}

impl Program {
    /// `x < y + c` with the nearest c that says the same of all values, where x and y are multiples of 1/d and c isn't: thresholds of
    /// trees have many more digits than what they're compared with. None for other functions.
    fn snapped(
        &self,
        function: &Function,
        operands: &[Operand],
        denominators: &[Option<BigInt>],
    ) -> Option<Snapped> {
        let upwards = match function {
            Function::Less(_) | Function::Binary(BinaryFunction::Less | BinaryFunction::GreaterOrEqual) => {
                true
            }
            Function::Binary(BinaryFunction::LessOrEqual | BinaryFunction::Greater) => false,
            _ => return None,
        };
        let &[left, right] = operands else { return None };
        // What a side is beside a constant.
        let apart = |operand: Operand| match operand {
            Operand::Constant(constant) => (None, BigRational::from_integer(constant.into())),
            Operand::Value(id) => match self.node(id) {
                Node::Offset(a, constant) => (Some(*a), constant.clone()),
                _ => (Some(id), BigRational::from_integer(BigInt::ZERO)),
            },
        };
        let ((left, of_left), (right, of_right)) = (apart(left), apart(right));
        let unit = common([left, right].into_iter().flatten().map(|id| denominators[id.0].clone()))?;
        let distance = (of_right - of_left) * &unit;
        if distance.is_integer() {
            return None;
        }
        let distance = if upwards { distance.ceil() } else { distance.floor() };
        Some(Snapped { sides: [left, right], constant: distance / &unit, unit })
    }
}

/// 10^−places.
fn unit(places: u32) -> BigRational {
    BigRational::new(BigInt::one(), Pow::pow(BigInt::from(10), places))
}

/// The least common multiple of denominators that are all known.
pub(super) fn common(denominators: impl IntoIterator<Item = Option<BigInt>>) -> Option<BigInt> {
    denominators.into_iter().try_fold(BigInt::one(), |lcm, denominator| Some(lcm.lcm(&denominator?)))
}

/// How many of the arguments of a function must be whole, from the first on: what a condition chooses isn't looked into.
fn scaled(function: &Function, arguments: usize) -> usize {
    if *function == Function::Where { 1 } else { arguments }
}

/// A function of arguments that are whole once they're multiplied by a denominator.
fn times(
    builder: &mut ProgramBuilder,
    function: &Function,
    mut arguments: Vec<Term>,
    denominator: BigInt,
) -> Result<Term, BuildError> {
    // Places in tables aren't magnitudes.
    let is_of_magnitudes = function.takes_fractions() || function.is_division();
    if denominator.is_one() || !is_of_magnitudes {
        return builder.function(function.clone(), &arguments);
    }
    let denominator = BigRational::from_integer(denominator);
    let factor = builder.constant(denominator.clone())?;
    let scaled = scaled(function, arguments.len());
    for argument in &mut arguments[..scaled] {
        *argument = builder.mul(*argument, factor)?;
    }
    let is_scaled = !matches!(function, Function::Where | Function::Binary(BinaryFunction::Quotient));
    match function {
        Function::Floor => {
            builder.function(Function::Binary(BinaryFunction::Quotient), &[arguments[0], factor])
        }
        // In the normal form that it has already: to divide a common factor out would make fractions again, where that factor
        // is what makes a product of decimals whole.
        Function::Less(gap) => {
            builder.compared(&Function::Less(gap * denominator), [arguments[0], arguments[1]])
        }
        function if function.is_comparison() => builder.compared(function, [arguments[0], arguments[1]]),
        function => {
            let result = builder.function(function.clone(), &arguments)?;
            if is_scaled { builder.div(result, factor) } else { Ok(result) }
        }
    }
}
