//! Parts of programs.

use super::builder::{ProgramBuilder, Term};
use super::error::BuildError;
use super::function::Function;
use super::node::{Node, NodeId, Program};

impl Program {
    /// The program of one output `f`.
    ///
    /// # Errors
    /// Those of the builder.
    pub fn of(
        make: impl FnOnce(&mut ProgramBuilder) -> Result<Term, BuildError>,
    ) -> Result<Self, BuildError> {
        let mut builder = ProgramBuilder::new();
        let term = make(&mut builder)?;
        builder.output("f", term)?;
        builder.finish()
    }

    /// What computes `root` out of other operations, as a program of its own whose columns have the given names, and what
    /// `then` makes of that. Those operations are the first before `root` on every way to the data.
    ///
    /// # Errors
    /// Those of the builder: none for short names and what can be made of any number.
    pub fn part(
        &self,
        root: NodeId,
        variables: &[(NodeId, &str)],
        then: impl FnOnce(&mut ProgramBuilder, Term) -> Result<Term, BuildError>,
    ) -> Result<Self, BuildError> {
        let variable =
            |id: usize| variables.iter().find(|(variable, _)| variable.0 == id).map(|(_, name)| *name);
        let mut needed = vec![false; root.0 + 1];
        needed[root.0] = true;
        for at in (0..=root.0).rev() {
            if needed[at] && variable(at).is_none() {
                self.nodes[at].operands().for_each(|operand| needed[operand.0] = true);
            }
        }
        Self::of(|builder| {
            let mut terms: Vec<Option<Term>> = vec![None; root.0 + 1];
            for at in (0..=root.0).filter(|&at| needed[at]) {
                let term = |id: NodeId| terms[id.0].expect("operands precede what takes them");
                terms[at] = Some(match variable(at) {
                    Some(name) => builder.input(name)?,
                    None => builder.node_of(&self.nodes[at], term)?,
                });
            }
            then(builder, terms[root.0].expect("the root is needed"))
        })
    }

    /// For every operation, the columns and sums over rows that it is computed from row by row, and whether a table of
    /// two variables is on the way.
    pub fn supports(&self) -> Vec<Support> {
        let mut supports: Vec<Support> = Vec::with_capacity(self.nodes.len());
        for (id, node) in self.iter() {
            let mut support = Support::default();
            match node {
                Node::Input(_)
                | Node::Sum(_)
                | Node::Mean(_)
                | Node::Var(_)
                | Node::Cov(..)
                | Node::Dot(..)
                | Node::Quantile(..) => {
                    support.add(id);
                }
                _ => {
                    for operand in node.operands() {
                        supports[operand.0].variables.iter().for_each(|&variable| support.add(variable));
                        support.joint |= supports[operand.0].joint;
                        support.tabular |= supports[operand.0].tabular;
                    }
                }
            }
            if let Node::Function(function, _) = node {
                let joins = function.is_division() || matches!(function, Function::Table2(_));
                support.joint |= joins && node.operands().count() == 2;
                support.tabular |= joins || matches!(function, Function::Table(_));
            }
            supports.push(support);
        }
        supports
    }
}

/// What an operation is computed from.
#[derive(Clone, Debug, Default)]
pub struct Support {
    /// In the order of the program; of more than two only three are listed.
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
