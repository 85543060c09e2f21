//! Columns that the client computes from one column of the data before encryption.

use std::borrow::Cow;

use asanoha_table::{ColumnSchema, Schema};

use crate::{
    analysed::{Analysed, View},
    builder::{ProgramBuilder, terms::Terms},
    domain::ranges::RangeError,
    error::BuildError,
    ids::{NodeId, Term},
    rebuild::{Replace, terms_of},
    subprogram::subprogram,
};

/// The same outputs with a [`View`] in place of every operation that `is_view` marks and that no other marked one contains.
/// Marked operations are computed from one column, row by row. `variable` names that column in the programs of the views.
///
/// # Errors
/// A refusal of the builder: none is known, as it made the same operations before.
pub fn with_views<'a>(
    analysed: &'a Analysed<'_>,
    is_view: &[bool],
    variable: &str,
) -> Result<Cow<'a, Analysed<'a>>, RangeError> {
    let replaced = outermost(analysed, is_view);
    if replaced.is_empty() {
        return Ok(Cow::Borrowed(analysed));
    }
    let mut views = Views { schema: analysed.schema(), of: Vec::with_capacity(replaced.len()) };
    let mut columns = analysed.schema().columns.clone();
    for id in replaced {
        let input = analysed.support(id).variables[0];
        let column = analysed.program().column(input).expect("marked operations are computed from a column");
        let program = subprogram(analysed.program(), id, &[(input, variable)], |_, root| Ok(root))?;
        let view = View { name: views.free_name(), column: column.to_owned(), program };
        columns.push(ColumnSchema {
            name: view.name.clone(),
            whole: true,
            places: 0,
            date: false,
            categories: Vec::new(),
            range: analysed.range(id).clone(),
            centre: None,
            half_width: None,
        });
        views.of.push((id, view));
    }
    let mut builder = ProgramBuilder::new();
    let terms = terms_of(analysed.program(), &mut builder, &mut views).map_err(|(_, error)| error)?;
    for (name, id) in analysed.program().outputs() {
        builder.encrypted_output(name, terms[id.0]);
    }
    let mut program = builder.finish()?;
    let before = analysed.program();
    program.constants.clone_from(&before.constants);
    program.finished.clone_from(&before.finished);
    program.order.clone_from(&before.order);
    let schema = Schema { rows: analysed.rows(), columns };
    let mut with_views = Analysed::of(Cow::Owned(program), Cow::Owned(schema))?;
    with_views.views = views.of.into_iter().map(|(_, view)| view).collect();
    Ok(Cow::Owned(with_views))
}

/// The marked operations that the outputs need and no other marked operation contains, in the order of the program.
fn outermost(analysed: &Analysed<'_>, is_marked: &[bool]) -> Vec<NodeId> {
    let needed = analysed.needed_beside(is_marked);
    analysed.program().iter().map(|(id, _)| id).filter(|id| needed[id.0] && is_marked[id.0]).collect()
}

/// The views in place of the operations that they compute.
struct Views<'a> {
    schema: &'a Schema,
    of: Vec<(NodeId, View)>,
}

impl Views<'_> {
    /// A name that no column has.
    fn free_name(&self) -> String {
        let is_free = |name: &String| {
            self.schema.column(name).is_none() && self.of.iter().all(|(_, view)| view.name != *name)
        };
        let numbers = 0..=self.schema.columns.len() + self.of.len();
        let mut names = numbers.map(|number| format!("view {number}"));
        names.find(is_free).expect("there are more numbers than names")
    }
}

impl Replace for Views<'_> {
    type Error = BuildError;

    fn done(&mut self, terms: &mut Terms, at: NodeId, term: Term) -> Result<Term, BuildError> {
        match self.of.iter().find(|(id, _)| *id == at) {
            Some((_, view)) => terms.input(&view.name),
            None => Ok(term),
        }
    }
}
