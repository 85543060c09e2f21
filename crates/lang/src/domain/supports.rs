//! What operations are computed from, row by row.

use crate::{
    function::{Given, Kind},
    ids::NodeId,
    node::Node,
    program::Program,
};

/// What an operation is computed from.
#[derive(Clone, Debug, Default)]
pub struct Support {
    /// Columns and numbers over all rows, in the order of the program; of more than two only three are listed.
    pub variables: Vec<NodeId>,
    /// Whether there's a division or a table of two values on the way, which no polynomial of one value gives.
    pub joint: bool,
    /// Whether there's any division or table on the way.
    pub tabular: bool,
}

impl Support {
    fn add(&mut self, variable: NodeId) {
        if self.variables.len() < 3 && !self.variables.contains(&variable) {
            self.variables.push(variable);
            self.variables.sort_unstable();
        }
    }
}

/// For every operation, the columns and sums over rows that it is computed from row by row, and whether a table of
/// two variables is on the way.
pub fn supports(program: &Program) -> Vec<Support> {
    let mut supports: Vec<Support> = Vec::with_capacity(program.nodes().len());
    for (id, node) in program.iter() {
        let mut support = Support::default();
        if node.is_over_rows() || matches!(node, Node::Input(_)) {
            support.add(id);
        } else {
            for operand in node.operands() {
                supports[operand.0].variables.iter().for_each(|&variable| support.add(variable));
                support.joint |= supports[operand.0].joint;
                support.tabular |= supports[operand.0].tabular;
            }
        }
        if let Node::Function(function, _) = node {
            let joins = function.is_division() || matches!(function.given(), Given::Rows(_));
            support.joint |= joins && node.operands().count() == 2;
            support.tabular |= joins || function.kind() == Kind::Lookup;
        }
        supports.push(support);
    }
    supports
}
