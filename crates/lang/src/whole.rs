//! The same program in whole numbers.

use std::borrow::Cow;

use asanoha_numeric::{BinaryFunction, Range};
use asanoha_table::Schema;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow};

use crate::{
    builder::{ProgramBuilder, apply::apply, normal_form::compared, terms::Terms},
    domain::{
        Argument,
        denominators::{common, denominators},
    },
    error::BuildError,
    function::{Function, Kind},
    ids::{NodeId, Operand, Term},
    node::Node,
    ops::{QUOTIENT, div},
    program::Program,
    rebuild::{Replace, arguments, terms_of},
};

/// The same outputs computed from whole numbers only: columns of decimals are their digits divided by a power of ten, and
/// functions of fractions are of these times their denominators.
///
/// # Errors
/// Constants that become too large.
pub fn in_whole_numbers<'a>(
    program: &'a Program,
    schema: &'a Schema,
) -> Result<(Cow<'a, Program>, Cow<'a, Schema>), BuildError> {
    let denominators = denominators(program, schema);
    let is_fraction = |denominator: &Option<BigInt>| denominator.as_ref().is_some_and(|it| !it.is_one());
    if !denominators.iter().any(is_fraction) {
        return Ok((Cow::Borrowed(program), Cow::Borrowed(schema)));
    }
    let mut builder = ProgramBuilder::new();
    let mut whole = Whole { program, schema, denominators, terms: Vec::with_capacity(program.nodes().len()) };
    let terms = terms_of(program, &mut builder, &mut whole).map_err(|(_, error)| error)?;
    for (name, id) in program.outputs() {
        builder.encrypted_output(name, terms[id.0]);
    }
    let whole = builder.finish()?;
    debug_assert_eq!(whole.outputs().len(), program.outputs().len(), "what depends on the data still does");
    let mut schema = schema.clone();
    for column in schema.columns.iter_mut().filter(|column| column.places > 0) {
        let power = unit(column.places).recip();
        column.range = Range::between(column.range.lo() * &power, column.range.hi() * &power);
        (column.whole, column.places) = (true, 0);
    }
    Ok((Cow::Owned(whole), Cow::Owned(schema)))
}

/// Operations on whole numbers in the place of those on fractions.
struct Whole<'a> {
    program: &'a Program,
    schema: &'a Schema,
    denominators: Vec<Option<BigInt>>,
    /// What the operations so far became.
    terms: Vec<Term>,
}

impl Replace for Whole<'_> {
    type Error = BuildError;

    fn input(&mut self, terms: &mut Terms, name: &str) -> Result<Term, BuildError> {
        let digits = terms.input(name)?;
        let places = self.schema.column(name).map_or(0, |column| column.places);
        let unit = terms.constant(unit(places))?;
        terms.mul(digits, unit)
    }

    fn function(
        &mut self,
        terms: &mut Terms,
        at: NodeId,
        function: &Function,
        of: &[Argument<'_, Term>],
    ) -> Result<Term, BuildError> {
        if function.is_approximate() {
            let arguments = arguments(terms, of)?;
            return apply(terms, function.clone(), &arguments);
        }
        let Node::Function(_, operands) = self.program.node(at) else { unreachable!("it's a function") };
        let snapped = snapped(self.program, function, operands, &self.denominators);
        let (arguments, denominator) = if let Some(Snapped { sides, constant, unit }) = snapped {
            let zero = terms.integer(0)?;
            let [left, right] = sides.map(|side| side.map_or(zero, |id| self.terms[id.0]));
            let constant = terms.constant(constant)?;
            (vec![left, terms.add(right, constant)?], Some(unit))
        } else {
            let scaled = &operands[..scaled(function, operands.len())];
            let denominator = common(scaled.iter().map(|operand| match operand {
                Operand::Value(id) => self.denominators[id.0].clone(),
                Operand::Constant(_) => Some(BigInt::one()),
            }));
            (arguments(terms, of)?, denominator)
        };
        times(terms, function, arguments, denominator.unwrap_or_else(BigInt::one))
    }

    fn done(&mut self, _: &mut Terms, _: NodeId, term: Term) -> Result<Term, BuildError> {
        self.terms.push(term);
        Ok(term)
    }
}

/// An order of two sides, of multiples of a unit's inverse, against a constant that is one too.
struct Snapped {
    sides: [Option<NodeId>; 2],
    constant: BigRational,
    unit: BigInt,
}

/// `x < y + c` with the nearest c that says the same of all values, where x and y are multiples of 1/d and c isn't: thresholds of
/// trees have many more digits than what they're compared with. None for other functions.
fn snapped(
    program: &Program,
    function: &Function,
    operands: &[Operand],
    denominators: &[Option<BigInt>],
) -> Option<Snapped> {
    let upwards = matches!(function.order()?, BinaryFunction::Less | BinaryFunction::GreaterOrEqual);
    let &[left, right] = operands else { return None };
    // What a side is beside a constant.
    let apart = |operand: Operand| match operand {
        Operand::Constant(constant) => (None, BigRational::from_integer(constant.into())),
        Operand::Value(id) => match program.node(id) {
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

/// 10^−places.
fn unit(places: u32) -> BigRational {
    BigRational::new(BigInt::one(), Pow::pow(BigInt::from(10), places))
}

/// How many of the arguments of a function must be whole, from the first on: what a condition chooses isn't looked into.
fn scaled(function: &Function, arguments: usize) -> usize {
    function.chosen_from().unwrap_or(arguments)
}

/// A function of arguments that are whole once they're multiplied by a denominator.
fn times(
    terms: &mut Terms,
    function: &Function,
    mut arguments: Vec<Term>,
    denominator: BigInt,
) -> Result<Term, BuildError> {
    // Places in tables aren't magnitudes.
    if denominator.is_one() || matches!(function.kind(), Kind::Lookup | Kind::PowerModulo) {
        return apply(terms, function.clone(), &arguments);
    }
    let denominator = BigRational::from_integer(denominator);
    let factor = terms.constant(denominator.clone())?;
    let scaled = scaled(function, arguments.len());
    for argument in &mut arguments[..scaled] {
        *argument = terms.mul(*argument, factor)?;
    }
    match function.kind() {
        Kind::Floor => apply(terms, QUOTIENT, &[arguments[0], factor]),
        // In the normal form that it has already: to divide a common factor out would make fractions again, where that factor
        // is what makes a product of decimals whole.
        _ if function.is_comparison() => {
            compared(terms, &function.with_gap_times(&denominator), [arguments[0], arguments[1]])
        }
        kind => {
            let result = apply(terms, function.clone(), &arguments)?;
            let is_as_before =
                kind == Kind::Binary(BinaryFunction::Quotient) || function.chosen_from().is_some();
            if is_as_before { Ok(result) } else { div(terms, result, factor) }
        }
    }
}
