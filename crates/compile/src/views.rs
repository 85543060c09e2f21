//! Conditions of single columns, which the client computes before encryption.

use std::borrow::Cow;

use asanoha_lang::{self as lang, Analysed, Node, NodeId, RangeError};
use num_bigint::Sign;
use num_traits::One;

use crate::ir::VARIABLES;

/// The most conditions that the client encrypts, each a column of its own. Programs with more of them are computed without views.
pub(crate) const MOST_CONDITIONS: usize = 128;

/// The columns whose conditions become columns of their own before a program is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewedColumns {
    /// All of them.
    All,
    /// Columns of real numbers: the expansion for slots of whole numbers has a way of its own for all others.
    Real,
}

/// A program in which the client computes the conditions of single columns, such as `x >= 7.5` or `x > 3 and not x > 7`: exactly,
/// whatever the column holds, and for the bytes of one more column each. Programs without such conditions, or with very many of
/// them, are returned unchanged.
///
/// # Errors
/// A refusal of the builder: none is known, as it made the same operations before.
pub fn with_views<'a>(
    analysed: &'a Analysed<'_>,
    columns: ViewedColumns,
) -> Result<Cow<'a, Analysed<'a>>, RangeError> {
    let is_view = conditions(analysed, columns);
    let found = is_view.iter().zip(analysed.needed_beside(&is_view));
    if found.filter(|(is_view, is_needed)| **is_view && *is_needed).count() > MOST_CONDITIONS {
        return Ok(Cow::Borrowed(analysed));
    }
    lang::with_views(analysed, &is_view, VARIABLES[0])
}

/// Marks the operations that the server computes in a program with views; the client computes those inside of views.
pub fn is_computed(analysed: &Analysed<'_>, columns: ViewedColumns) -> Vec<bool> {
    let is_view = conditions(analysed, columns);
    let needed = analysed.needed_beside(&is_view);
    needed.into_iter().zip(is_view).map(|(is_needed, is_view)| is_needed && !is_view).collect()
}

/// Marks the conditions of one column: values 0 and 1, made of a comparison, and computed exactly and row by row.
fn conditions(analysed: &Analysed<'_>, columns: ViewedColumns) -> Vec<bool> {
    let program = analysed.program();
    // Per operation: computed exactly and row by row; made of a comparison.
    let mut known: Vec<(bool, bool)> = Vec::with_capacity(program.nodes().len());
    for node in program.nodes() {
        let is_exact = !node.is_over_rows()
            && !node.is_approximate()
            && node.operands().all(|operand| known[operand.0].0);
        let compares = node.function().is_some_and(|(function, _)| function.is_comparison())
            || node.operands().any(|operand| known[operand.0].1);
        known.push((is_exact, compares));
    }
    let is_condition = |(id, _): (NodeId, &Node)| {
        known[id.0] == (true, true) && is_bit(analysed, id) && is_of_one_column(analysed, id, columns)
    };
    program.iter().map(is_condition).collect()
}

fn is_bit(analysed: &Analysed<'_>, id: NodeId) -> bool {
    let range = analysed.range(id);
    let is_point = range.lo() == range.hi();
    analysed.is_whole(id) && !is_point && range.lo().numer().sign() != Sign::Minus && range.hi().is_one()
}

fn is_of_one_column(analysed: &Analysed<'_>, id: NodeId, columns: ViewedColumns) -> bool {
    let [variable] = analysed.support(id).variables[..] else { return false };
    let column = analysed.program().column(variable).and_then(|name| analysed.schema().column(name));
    column.is_some_and(|column| columns == ViewedColumns::All || !column.is_exact())
}
