//! Comparisons of a column with public numbers, and what is made of them, which the client encrypts: a bit in place of a table.

use super::expand::{ExpandError, Expander, Value, Values};
use crate::program::{Kind, Node, NodeId, Operand};

/// The most conditions of single columns that the client encrypts, each a column of its own: tables of a column share most of
/// their work.
const MOST_CONDITIONS: usize = 128;

impl Expander<'_> {
    /// Whether a value is made of comparisons with constants alone, such as `x > 3 and not x > 7`.
    fn is_condition(&self, id: NodeId) -> bool {
        let is_constant = |operand: &Operand| operand.node().is_none();
        match self.program.node(id) {
            Node::Function(function, operands) if function.is_comparison() => {
                operands.iter().any(is_constant)
                    && operands
                        .iter()
                        .filter_map(|operand| operand.node())
                        .all(|id| self.analysed.is_whole(id))
            }
            Node::Function(function, operands) if function.kind() == Kind::Choice => {
                operands.iter().filter_map(|operand| operand.node()).all(|id| self.is_condition(id))
            }
            Node::Mul(a, b) => self.is_condition(*a) && self.is_condition(*b),
            _ => false,
        }
    }

    /// Whether a value is a condition of one column.
    fn is_viewed(&self, id: NodeId) -> bool {
        self.analysed.is_whole(id) && self.column_of(id).is_some() && self.is_condition(id)
    }

    /// Whether the conditions of single columns are few enough for the client to encrypt them.
    pub(super) fn views_conditions(&self, needed: &[bool]) -> bool {
        let conditions = || self.program.iter().filter(|(id, _)| needed[id.0] && self.is_viewed(*id));
        self.exact() && !self.on_integers() && conditions().count() <= MOST_CONDITIONS
    }

    /// A condition of one column as the client encrypts it; `None` for other values, or where those are many.
    pub(super) fn viewed(
        &mut self,
        name: &'static str,
        id: NodeId,
        values: &Values,
    ) -> Result<Option<Value>, ExpandError> {
        if !self.views || !self.is_viewed(id) {
            return Ok(None);
        }
        self.derived(name, id, |_, x| Ok(x), values).map(Some)
    }
}
