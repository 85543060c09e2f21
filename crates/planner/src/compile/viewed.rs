//! Comparisons of a column with public numbers, which the client encrypts: a bit in place of a table.

use super::expand::{ExpandError, Expander, Value, Values};
use crate::program::{Function, Node, NodeId, Operand};

/// The most comparisons that the client encrypts, each a column of its own: tables of a column share most of their work.
const MOST_COMPARISONS: usize = 64;

impl Expander<'_> {
    /// What a comparison with a constant compares, if it's computed from one column.
    fn compared_column(&self, function: &Function, operands: &[Operand]) -> Option<NodeId> {
        let id = match *operands {
            [Operand::Value(id), Operand::Constant(_)] | [Operand::Constant(_), Operand::Value(id)] => id,
            _ => return None,
        };
        (function.is_comparison() && self.whole[id.0] && self.column_of(id).is_some()).then_some(id)
    }

    /// Whether the comparisons of columns with constants are few enough for the client to encrypt them.
    pub(super) fn views_comparisons(&self, needed: &[bool]) -> bool {
        let is_compared = |(id, node): &(NodeId, &Node)| match node {
            Node::Function(function, operands) => {
                needed[id.0] && self.compared_column(function, operands).is_some()
            }
            _ => false,
        };
        self.exact()
            && !self.on_integers()
            && self.program.iter().filter(is_compared).count() <= MOST_COMPARISONS
    }

    /// A comparison with a constant as the client encrypts it; `None` for other functions, or where those are many.
    pub(super) fn viewed_comparison(
        &mut self,
        function: &Function,
        operands: &[Operand],
        values: &Values,
    ) -> Result<Option<Value>, ExpandError> {
        let Some(id) = self.compared_column(function, operands).filter(|_| self.views) else {
            return Ok(None);
        };
        let viewed = self.derived(
            function.name(),
            id,
            |p, x| {
                let mut term = |operand: &Operand| match *operand {
                    Operand::Value(_) => Ok(x),
                    Operand::Constant(constant) => p.integer(constant),
                };
                let arguments = operands.iter().map(&mut term).collect::<Result<Vec<_>, _>>()?;
                p.function(function.clone(), &arguments)
            },
            values,
        )?;
        Ok(Some(viewed))
    }
}
