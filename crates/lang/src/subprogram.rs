//! Parts of programs.

use crate::{
    builder::ProgramBuilder,
    error::BuildError,
    ids::{NodeId, Term},
    program::Program,
};

/// The program of one output `f`.
///
/// # Errors
/// Those of the builder.
pub fn program_of(
    make: impl FnOnce(&mut ProgramBuilder) -> Result<Term, BuildError>,
) -> Result<Program, BuildError> {
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
pub fn subprogram(
    program: &Program,
    root: NodeId,
    variables: &[(NodeId, &str)],
    then: impl FnOnce(&mut ProgramBuilder, Term) -> Result<Term, BuildError>,
) -> Result<Program, BuildError> {
    let variable = |id: usize| variables.iter().find(|(variable, _)| variable.0 == id).map(|(_, name)| *name);
    let mut needed = vec![false; root.0 + 1];
    needed[root.0] = true;
    for at in (0..=root.0).rev() {
        if needed[at] && variable(at).is_none() {
            program.nodes[at].operands().for_each(|operand| needed[operand.0] = true);
        }
    }
    program_of(|builder| {
        let mut terms: Vec<Option<Term>> = vec![None; root.0 + 1];
        for at in (0..=root.0).filter(|&at| needed[at]) {
            let term = |id: NodeId| terms[id.0].expect("operands precede what takes them");
            terms[at] = Some(match variable(at) {
                Some(name) => builder.input(name)?,
                None => builder.node_of(&program.nodes[at], term)?,
            });
        }
        then(builder, terms[root.0].expect("the root is needed"))
    })
}
