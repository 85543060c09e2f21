//! Whole numbers whose functions are operations of the scheme (TFHE).

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{Function, Given, Kind, NodeId, Operand, Range, ops::binary};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    error::ExpandError,
    expander::{Expander, Target, Value},
    factors::{common_factor, exactly},
    ir::{BLOCK_BITS, IntegerOperand, MAX_TABLE_BLOCKS, Op, Width},
};

/// Arithmetic on integers of few digits (TFHE): functions are operations.
pub(super) struct Integers;

impl Target for Integers {
    const HAS_SLOTS: bool = false;

    fn function(
        e: &mut Expander<'_, Self>,
        _at: NodeId,
        function: &Function,
        operands: &[Operand],
    ) -> Result<Value, ExpandError> {
        integer_function(e, &exactly(function)?, operands)
    }

    fn state(e: &mut Expander<'_, Self>, at: NodeId, value: &Value) {
        if !value.factor.is_zero() {
            e.graph.state(value.node, e.range(at).scale(&value.factor.recip()));
        }
    }
}

/// A function of whole numbers as an operation of its own. A condition that isn't 0 or 1 is compared with 0, and places
/// that are too far outside of a table are brought next to it.
pub(super) fn integer_function(
    e: &mut Expander<'_, Integers>,
    function: &Function,
    operands: &[Operand],
) -> Result<Value, ExpandError> {
    let one = BigRational::one();
    // What is chosen is of one unit, and may be fractions; all else is of whole numbers.
    let (units, unit) = if let (Kind::Choice, [condition, chosen @ ..]) = (function.kind(), operands) {
        e.of_whole_numbers(function, &[*condition])?;
        let unit = unit_of(e, chosen);
        (vec![one, unit.clone(), unit.clone()], unit)
    } else {
        e.of_whole_numbers(function, operands)?;
        (vec![one.clone(); operands.len()], one)
    };
    let mut of = Vec::with_capacity(operands.len());
    for (operand, unit) in operands.iter().zip(&units) {
        of.push(match *operand {
            Operand::Value(id) => IntegerOperand::Value(e.with_factor(&e.value(id), unit)),
            Operand::Constant(constant) => {
                let multiple = BigRational::from_integer(constant.into()) / unit;
                let multiple = multiple.to_integer().to_i64();
                IntegerOperand::Constant(multiple.ok_or(ExpandError::Fraction(function.name()))?)
            }
        });
    }
    match (function.kind(), function.given()) {
        (Kind::PowerModulo, _) => return Err(ExpandError::NotModular(function.name())),
        (Kind::Choice, _) => {
            let condition = operands[0].node().expect("the builder chooses by constants");
            let bit = Range::whole(0, 1).expect("in order");
            if e.range(condition).union(&bit) != bit {
                of[0] = integers(e, BinaryFunction::NotEqual, of[0], 0);
            }
        }
        (_, Given::Entries(entries)) => bring_near(e, &mut of, operands, &[entries.len()]),
        (_, Given::Rows(rows)) => bring_near(e, &mut of, operands, &[rows.len(), rows[0].len()]),
        _ => {}
    }
    if function.kind() == Kind::Lookup {
        // The reader of a plan computes them again.
        e.entries += 1 << (BLOCK_BITS * blocks(e, operands).min(MAX_TABLE_BLOCKS));
    }
    Ok(e.push(Op::Integers(function.clone(), of, ()), unit))
}

/// The blocks of all operands that aren't public.
fn blocks(e: &Expander<'_, Integers>, operands: &[Operand]) -> u64 {
    let nodes = operands.iter().filter_map(|operand| operand.node());
    nodes.map(|id| Width::of(e.range(id)).blocks).sum()
}

/// Brings places next to a table where they're too wide for it, all of them: from −1 to its length.
fn bring_near(
    e: &mut Expander<'_, Integers>,
    of: &mut [IntegerOperand],
    operands: &[Operand],
    lengths: &[usize],
) {
    if blocks(e, operands) <= MAX_TABLE_BLOCKS {
        return;
    }
    for ((place, operand), &length) in of.iter_mut().zip(operands).zip(lengths) {
        let Some(id) = operand.node() else { continue };
        let (least, most) = e.range(id).whole_ends();
        if most > length.into() {
            *place = integers(e, BinaryFunction::Minimum, *place, length as i64);
        }
        if least < (-1).into() {
            *place = integers(e, BinaryFunction::Maximum, *place, -1);
        }
    }
}

fn integers(
    e: &mut Expander<'_, Integers>,
    function: BinaryFunction,
    a: IntegerOperand,
    constant: i64,
) -> IntegerOperand {
    let operands = vec![a, IntegerOperand::Constant(constant)];
    IntegerOperand::Value(e.graph.push(Op::Integers(binary(function), operands, ())))
}

/// A fraction that all operands are whole multiples of.
fn unit_of(e: &Expander<'_, Integers>, operands: &[Operand]) -> BigRational {
    let unit = |operand: &Operand| match operand {
        Operand::Value(id) => e.value(*id).factor.abs(),
        Operand::Constant(_) => BigRational::one(),
    };
    operands.iter().map(unit).reduce(|a, b| common_factor(&a, &b)).unwrap_or_else(BigRational::one)
}
