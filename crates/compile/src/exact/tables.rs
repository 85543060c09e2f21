//! Functions of few values by tables, several of the same operands together.

use asanoha_circuits::{BinaryFunction, MAX_TABLE_SIDE};
use asanoha_lang::{Program, Range, ops::with_constant, program_of};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::Exact;
use crate::{
    error::ExpandError,
    expander::{Expander, Value},
    ir::{Op, SmallFunction, VARIABLES, WholeOperation},
};

/// The most values of the only variable of a table.
pub(super) const MAX_VALUES: u64 = (1 << 16) + 1;

/// The table of a program of one or two variables.
pub(super) fn tabulated(
    e: &mut Expander<'_, Exact<'_>>,
    name: &'static str,
    program: Program,
    ranges: &[Range],
    operands: &[Value],
) -> Result<Value, ExpandError> {
    let too_wide =
        || ExpandError::TooWide { function: name, values: ranges.iter().map(Range::whole_count).collect() };
    let most: BigInt = if ranges.len() == 1 { MAX_VALUES.into() } else { MAX_TABLE_SIDE.into() };
    let words = ranges.iter().map(|range| {
        let (first, last) = range.whole_ends();
        let narrow = &last - &first < most;
        narrow.then(|| Some((first.to_i64()?, last.to_i64()?))).flatten().ok_or_else(too_wide)
    });
    let words = words.collect::<Result<Vec<_>, _>>()?;
    // Counted before they're computed.
    let entries: BigInt = ranges.iter().map(Range::whole_count).product();
    e.entries = e.entries.saturating_add(entries.to_u64().unwrap_or(u64::MAX));
    e.check_work()?;
    let function = SmallFunction::sharing(program, words, e.target.modulus, e.target.prepared)?;
    let one = BigRational::one();
    let nodes: Vec<usize> = operands.iter().map(|operand| e.with_factor(operand, &one)).collect();
    Ok(tables(e, nodes, function))
}

/// A table's result, together with those of other tables of the same operands.
fn tables(e: &mut Expander<'_, Exact<'_>>, operands: Vec<usize>, function: SmallFunction) -> Value {
    let shared = e.graph.nodes.iter_mut().enumerate().find_map(|(at, node)| match &mut node.operation {
        Op::Functions(others, WholeOperation::Tables(functions))
            if *others == operands && functions[0].goes_with(&function) =>
        {
            Some((at, functions))
        }
        _ => None,
    });
    let Some((at, functions)) = shared else {
        let operation = WholeOperation::Tables(vec![function]);
        let at = e.graph.push(Op::Functions(operands, operation));
        return result(e, at, 0);
    };
    let index = functions.iter().position(|other| *other == function).unwrap_or(functions.len());
    if index == functions.len() {
        functions.push(function);
    }
    result(e, at, index)
}

/// One of the results of functions.
pub(super) fn result(e: &mut Expander<'_, Exact<'_>>, functions: usize, index: usize) -> Value {
    let operation = Op::Result(functions, index);
    let node = e.graph.find(&operation).unwrap_or_else(|| e.graph.push(operation));
    Value { node, factor: BigRational::one() }
}

/// The program of a function of the first variable and zero.
pub(super) fn against_zero(function: BinaryFunction) -> Program {
    let program = program_of(|p| {
        let a = p.input(VARIABLES[0])?;
        with_constant(p, function, a, 0)
    });
    program.expect("it's a program")
}
