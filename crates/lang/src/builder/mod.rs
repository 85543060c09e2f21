//! Putting a program together, operation by operation.

pub(crate) mod apply;
pub(crate) mod normal_form;
pub(crate) mod terms;

use std::{
    collections::HashSet,
    ops::{Deref, DerefMut},
};

use crate::{
    error::{BuildError, shown},
    finished::{Finished, Unfinished},
    ids::{NodeId, Term},
    limits::MAX_NAME_LENGTH,
    names,
    node::Node,
    program::{Constant, Program},
};
use terms::Terms;

/// Builds a [`Program`].
///
/// ```
/// use asanoha_lang::{BuildError, ProgramBuilder};
///
/// let mut builder = ProgramBuilder::new();
/// let price = builder.input("price")?;
/// let count = builder.input("count")?;
/// let total = builder.dot(price, count)?;
/// builder.output("total", total)?;
/// let program = builder.finish()?;
/// assert_eq!(program.nodes().len(), 3);
/// # Ok::<(), BuildError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProgramBuilder {
    terms: Terms,
    outputs: Vec<(String, Term)>,
    /// Those that aren't shown.
    parts: Vec<(String, Term)>,
    finished: Vec<Finished>,
    output_names: HashSet<String>,
    /// The same in the order of their making.
    order: Vec<String>,
}

/// A builder is its terms, and what is made of these.
impl Deref for ProgramBuilder {
    type Target = Terms;

    fn deref(&self) -> &Terms {
        &self.terms
    }
}

impl DerefMut for ProgramBuilder {
    fn deref_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }
}

impl ProgramBuilder {
    /// A builder with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names `a` as an output.
    ///
    /// # Errors
    /// [`BuildError::ForeignTerm`], and names that outputs can't have or that are taken.
    pub fn output(&mut self, name: &str, a: Term) -> Result<(), BuildError> {
        self.terms.check(a)?;
        self.claim(name)?;
        self.outputs.push((name.to_owned(), a));
        Ok(())
    }

    /// Names outputs that the holder of the secret key finishes. Their parts become outputs too, which aren't shown.
    ///
    /// # Errors
    /// Names that outputs can't have.
    pub fn finish_output(&mut self, name: &str, unfinished: Unfinished) -> Result<(), BuildError> {
        unfinished.parts.iter().try_for_each(|(_, term)| self.terms.check(*term))?;
        let results: Vec<String> =
            unfinished.results.iter().map(|result| format!("{name}{result}")).collect();
        // The name stands in the program's text, also where no output has it.
        let names = std::iter::once(name).filter(|name| results[0] != *name);
        names.chain(results.iter().map(String::as_str)).try_for_each(|name| self.claim(name))?;
        let parts = unfinished.parts.into_iter().map(|(part, term)| (format!("{name}.{part}"), term));
        let parts: Vec<(String, Term)> = parts.collect();
        let names = parts.iter().map(|(part, _)| part.clone()).collect();
        self.parts.extend(parts);
        self.finished.push(Finished {
            name: name.to_owned(),
            function: unfinished.function,
            results,
            parts: names,
        });
        Ok(())
    }

    /// Takes a name for an output.
    fn claim(&mut self, name: &str) -> Result<(), BuildError> {
        check_name(name)?;
        if name.starts_with('_') {
            return Err(BuildError::HiddenOutput { name: name.to_owned() });
        }
        if !self.output_names.insert(name.to_owned()) {
            return Err(BuildError::DuplicateOutput { name: name.to_owned() });
        }
        self.order.push(name.to_owned());
        Ok(())
    }

    /// Gives the outputs, which are there already, an order.
    pub(crate) fn set_order(&mut self, order: Vec<String>) {
        self.order = order;
    }

    /// Names `a` as an output of a program that is never printed: under any name, such as that of a part.
    pub(crate) fn encrypted_output(&mut self, name: &str, a: Term) {
        self.outputs.push((name.to_owned(), a));
    }

    /// The program: what the outputs need, renumbered in the order of a walk from the outputs. Outputs that are the same for
    /// all data aren't computed from any.
    ///
    /// # Errors
    /// [`BuildError::NoOutputs`], outputs named like columns, and parts that are the same for all data where they must depend on it.
    pub fn finish(self) -> Result<Program, BuildError> {
        if self.outputs.is_empty() && self.finished.is_empty() {
            return Err(BuildError::NoOutputs);
        }
        let mut program =
            Program { finished: self.finished.clone(), order: self.order.clone(), ..Program::default() };
        let mut renumbered: Vec<Option<NodeId>> = vec![None; self.terms.term_count()];
        for (at, (name, root)) in self.outputs.iter().chain(&self.parts).enumerate() {
            if let Some(value) = self.terms.fixed_value(*root).filter(|_| at < self.outputs.len()) {
                let column = self.terms.column_under(*root);
                program.constants.push(Constant { name: name.clone(), value, column });
                continue;
            }
            self.walk(*root, &mut renumbered, &mut program)?;
            let id = renumbered[root.index()].unwrap_or(NodeId(0));
            program.outputs.push((name.clone(), id));
        }
        let results: HashSet<&String> = self
            .outputs
            .iter()
            .map(|(name, _)| name)
            .chain(self.finished.iter().flat_map(|finished| &finished.results))
            .collect();
        program.order.retain(|name| results.contains(name));
        if let Some(name) = program.inputs.iter().find(|name| self.output_names.contains(*name)) {
            return Err(BuildError::OutputIsInput { name: name.clone() });
        }
        program.rounded = self.terms.rounded.of(program.numbers());
        Ok(program)
    }

    /// Moves what `root` needs into `program`, operands first.
    fn walk(
        &self,
        root: Term,
        renumbered: &mut [Option<NodeId>],
        program: &mut Program,
    ) -> Result<(), BuildError> {
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            let Some(node) = self.terms.node(term).filter(|_| renumbered[term.index()].is_none()) else {
                pending.pop();
                continue;
            };
            if let Some(value) = self.terms.fixed_value(term) {
                return Err(BuildError::AlwaysConstant { term, value: shown(&value) });
            }
            let before = pending.len();
            pending.extend(
                node.operands().filter(|id| renumbered[id.0].is_none()).map(|id| self.terms.term(id)),
            );
            if pending.len() > before {
                pending[before..].reverse();
                continue;
            }
            pending.pop();
            let node = node.with_operands(|id| renumbered[id.0].unwrap_or(id));
            if let Node::Input(name) = &node {
                program.inputs.push(name.clone());
            }
            renumbered[term.index()] = Some(NodeId(program.nodes.len()));
            program.shapes.push(node.shape(|id| program.shapes[id.0]));
            program.nodes.push(node);
            program.origins.0.push(self.terms.origins[term.index()].clone());
        }
        Ok(())
    }
}

fn check_name(name: &str) -> Result<(), BuildError> {
    if !names::is_identifier(name) || name.len() > MAX_NAME_LENGTH {
        return Err(BuildError::BadName { name: name.chars().take(60).collect() });
    }
    match names::is_reserved_word(name).then_some("a word of the language") {
        Some(what) => Err(BuildError::ReservedName { name: name.to_owned(), what }),
        None => Ok(()),
    }
}
