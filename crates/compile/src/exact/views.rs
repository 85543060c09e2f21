//! Comparisons of a column with public numbers, and what is made of them, which the client encrypts: a bit in place of a table.

use asanoha_lang::{Analysed, BuildError, Kind, Node, NodeId, Operand, ProgramBuilder, Term, subprogram};
use num_rational::BigRational;
use num_traits::One;

use super::{Exact, tables::tabulated};
use crate::{
    error::ExpandError,
    expander::{Expander, Value},
    ir::{CircuitInput, Op, VARIABLES},
    views::MOST_CONDITIONS,
};

/// Whether a value is made of comparisons with constants alone, such as `x > 3 and not x > 7`.
fn is_condition(analysed: &Analysed<'_>, id: NodeId) -> bool {
    let is_constant = |operand: &Operand| operand.node().is_none();
    match analysed.program().node(id) {
        Node::Function(function, operands) if function.is_comparison() => {
            operands.iter().any(is_constant)
                && operands.iter().filter_map(|operand| operand.node()).all(|id| analysed.is_whole(id))
        }
        Node::Function(function, operands) if function.kind() == Kind::Choice => {
            operands.iter().filter_map(|operand| operand.node()).all(|id| is_condition(analysed, id))
        }
        Node::Mul(a, b) => is_condition(analysed, *a) && is_condition(analysed, *b),
        _ => false,
    }
}

/// Whether a value is a condition of one column.
fn is_viewed(analysed: &Analysed<'_>, id: NodeId) -> bool {
    analysed.is_whole(id) && column_of(analysed, id).is_some() && is_condition(analysed, id)
}

/// Returns true if the client encrypts the conditions of single columns: few of them, as tables of a column share most of their work.
pub(super) fn are_few(analysed: &Analysed<'_>, needed: &[bool]) -> bool {
    let conditions = || analysed.program().iter().filter(|(id, _)| needed[id.0] && is_viewed(analysed, *id));
    conditions().count() <= MOST_CONDITIONS
}

/// A condition of one column as the client encrypts it; `None` for other values, or where those are many.
pub(super) fn viewed(
    e: &mut Expander<'_, Exact<'_>>,
    name: &'static str,
    id: NodeId,
) -> Result<Option<Value>, ExpandError> {
    if !e.target.views || !is_viewed(e.analysed, id) {
        return Ok(None);
    }
    derived(e, name, id, |_, x| Ok(x)).map(Some)
}

/// What is made of an operation's value: encrypted by the client if that's computed from one column, else by a table.
pub(super) fn derived(
    e: &mut Expander<'_, Exact<'_>>,
    name: &'static str,
    id: NodeId,
    make: impl FnOnce(&mut ProgramBuilder, Term) -> Result<Term, BuildError>,
) -> Result<Value, ExpandError> {
    let column = column_of(e.analysed, id);
    let variable = column.as_ref().map_or(id, |(node, _)| *node);
    let program = subprogram(e.analysed.program(), id, &[(variable, VARIABLES[0])], make);
    let program = program.expect("subprograms are programs");
    let Some((_, column)) = column else {
        let (range, value) = (e.range(id).clone(), e.value(id));
        return tabulated(e, name, program, &[range], &[value]);
    };
    let input = CircuitInput { column, view: Some(program) };
    let index = e.graph.inputs.iter().position(|other| *other == input).unwrap_or_else(|| {
        e.graph.inputs.push(input);
        e.graph.inputs.len() - 1
    });
    let operation = Op::Input(index);
    let node = e.graph.find(&operation).unwrap_or_else(|| e.graph.push(operation));
    Ok(Value { node, factor: BigRational::one() })
}

/// The only column that an operation is computed from row by row, if it's whole.
pub(super) fn column_of(analysed: &Analysed<'_>, id: NodeId) -> Option<(NodeId, String)> {
    match analysed.support(id).variables[..] {
        [variable] if analysed.is_whole(variable) => match analysed.program().node(variable) {
            Node::Input(name) if analysed.view(name).is_none() => Some((variable, name.clone())),
            _ => None,
        },
        _ => None,
    }
}
