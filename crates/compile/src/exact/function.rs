//! Functions of whole numbers in the arithmetic graph: which table of which variables computes each.

use asanoha_circuits::{BinaryFunction, MAX_TABLE_SIDE};
use asanoha_lang::{Analysed, Function, Kind, NodeId, Operand, Range, Support, subprogram};
use num_rational::BigRational;

use super::{
    Exact,
    digits::comparison,
    few_divisors::{division_by_few, few_divisors},
    long_division::long_division,
    tables::{MAX_VALUES, against_zero, tabulated},
    views::viewed,
};
use crate::{
    choice,
    error::ExpandError,
    expander::{Expander, Value},
    ir::{Op, VARIABLES},
};

/// The most values of the only variable of a table that spares comparisons: more are compared by their digits.
const MAX_FOLDED: u64 = MAX_TABLE_SIDE as u64;

/// A function of whole numbers, by the cheapest of the ways that its variables' ranges allow:
///
/// 0. A comparison of a column with a constant: a bit that the client encrypts, if these are few.
/// 1. Computed from one column (or sum): one table of that column, whatever stands between; of a wide column only
///    where a division or a table is on the way.
/// 2. Computed from two, with a division or a table of two on the way: one table of both.
/// 3. Comparisons, minimum, maximum: a table of the difference, or by digits.
/// 4. `where`: b + c·(a − b) for a condition c of 0 and 1; |a| = a − 2·\[a < 0\]·a for a wide range.
/// 5. Division by one of few divisors: the sum over them, where the client encrypts what is multiplied. Division of values that are too
///    wide for a table: long division by digits.
/// 6. All others: a table of the operands as they are.
pub(super) fn whole_function(
    e: &mut Expander<'_, Exact<'_>>,
    id: NodeId,
    function: &Function,
    operands: &[Operand],
) -> Result<Value, ExpandError> {
    if !e.analysed.is_whole(id) {
        return match (function.kind(), operands) {
            (Kind::Choice, &[Operand::Value(condition), a, b]) if e.analysed.is_whole(condition) => {
                chosen(e, operands[0], [a, b])
            }
            _ => Err(ExpandError::Fraction(function.name())),
        };
    }
    if let Some(viewed) = viewed(e, function.name(), id)? {
        return Ok(viewed);
    }
    let is_folded = is_folded(e.analysed, id);
    if let (Kind::Binary(binary), &[Operand::Value(a), Operand::Value(b)]) = (function.kind(), operands)
        && function.is_division()
    {
        let has_table =
            is_folded || [a, b].iter().all(|&node| e.range(node).whole_count() <= MAX_TABLE_SIDE.into());
        if let Some(divisors) =
            few_divisors(e.analysed, a, b, has_table).filter(|divisors| !divisors.is_empty())
        {
            return division_by_few(e, binary, (a, b), &divisors);
        }
    }
    if is_folded {
        let variables = e.analysed.support(id).variables.clone();
        return table(e, function, id, &variables);
    }
    e.of_whole_numbers(function, operands)?;
    let mut nodes: Vec<NodeId> = operands.iter().filter_map(|operand| operand.node()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let fits = |most: u64| nodes.iter().all(|&node| e.range(node).whole_count() <= most.into());
    let small = fits(MAX_TABLE_SIDE as u64);
    match (function.kind(), operands) {
        (Kind::Choice, &[condition, a, b]) => chosen(e, condition, [a, b]),
        (Kind::Binary(binary), &[a, b])
            if !function.is_division() && a != b && (nodes.len() == 2 || !small) =>
        {
            comparison(e, binary, a, b)
        }
        (Kind::Binary(binary), &[Operand::Value(a), Operand::Value(b)]) if !small && a != b => {
            long_division(e, binary, a, b)
        }
        (Kind::Absolute, &[Operand::Value(a)]) if !small => {
            let negative = comparison(e, BinaryFunction::Less, operands[0], Operand::Constant(0))?;
            let product = e.mul(&negative, &e.value(a));
            let twice = Value { factor: product.factor * BigRational::from_integer(2.into()), ..product };
            Ok(e.sum_of_two(&e.value(a), &twice, Op::Sub))
        }
        (Kind::PowerModulo, _) if !small => Err(ExpandError::NotModular(function.name())),
        _ => table(e, function, id, &nodes),
    }
}

/// Whether a function is one table of all that it's computed from.
pub(crate) fn is_folded(analysed: &Analysed<'_>, id: NodeId) -> bool {
    let Support { variables, joint, tabular } = analysed.support(id);
    if !analysed.is_whole(id) {
        return false;
    }
    let fits = |most: u64| {
        variables.iter().all(|&variable| {
            analysed.is_whole(variable) && analysed.range(variable).whole_count() <= most.into()
        })
    };
    match variables.len() {
        1 => fits(if *tabular { MAX_VALUES } else { MAX_FOLDED }),
        2 => *joint && fits(MAX_TABLE_SIDE as u64),
        _ => false,
    }
}

/// The table of an operation by some before it.
fn table(
    e: &mut Expander<'_, Exact<'_>>,
    function: &Function,
    root: NodeId,
    variables: &[NodeId],
) -> Result<Value, ExpandError> {
    let names: Vec<(NodeId, &str)> = variables.iter().copied().zip(VARIABLES).collect();
    let program = subprogram(e.analysed.program(), root, &names, |_, root| Ok(root));
    let program = program.expect("subprograms are programs");
    let ranges: Vec<Range> = variables.iter().map(|variable| e.range(*variable).clone()).collect();
    let operands: Vec<Value> = variables.iter().map(|variable| e.value(*variable)).collect();
    tabulated(e, function.name(), program, &ranges, &operands)
}

/// One of two operands, by a condition, which needs a table unless it's 0 or 1.
fn chosen(
    e: &mut Expander<'_, Exact<'_>>,
    condition: Operand,
    operands: [Operand; 2],
) -> Result<Value, ExpandError> {
    let condition = condition.node().expect("the builder chooses by constants");
    let (mut bit, range) = (e.value(condition), e.range(condition));
    if !Range::whole(0, 1).is_some_and(|bit| bit.contains(range.lo()) && bit.contains(range.hi())) {
        let program = against_zero(BinaryFunction::NotEqual);
        bit = tabulated(e, "where", program, std::slice::from_ref(range), &[bit])?;
    }
    Ok(choice::choice(e, &bit, operands))
}
