//! Columns less a constant: whether a constant that the client takes away from every value of a column can be taken back.

use std::collections::HashSet;

use asanoha_table::{Centre, Schema};
use num_rational::BigRational;

use crate::{
    builder::terms::Terms,
    domain::{influence::influences, ranges::RangeError},
    finished::{Finish, Finished},
    ids::Term,
    program::Program,
    rebuild::{Replace, rebuild},
};

/// Whether a column may be computed on less a constant that only the client knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Centring {
    /// It may, and no result would be nearer.
    Pointless,
    /// It may, and results become nearer in which the constant cancels.
    Useful,
    /// An output needs the constant in the middle of its arithmetic.
    Impossible {
        /// The first such output.
        output: String,
        /// An output in which the constant cancels, if there's any.
        moment: Option<String>,
    },
}

/// The names of outputs that are sums of products for least squares, whose sums say all that matters.
fn products_of_least_squares(program: &Program) -> HashSet<&str> {
    let of = |finished: &Finished| finished.function == Finish::LeastSquares;
    let parts = program.finished().iter().filter(|finished| of(finished));
    parts
        .flat_map(|finished| finished.parts.iter().skip(finished.results.len()))
        .map(String::as_str)
        .collect()
}

/// Whether a column may be computed on less a constant of the client's own, which is taken back after decryption, and what for.
pub fn centring(program: &Program, column: &str, rows: usize) -> Centring {
    let influences = influences(program, column, rows);
    let products = products_of_least_squares(program);
    let shown = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    let (mut needed, mut moment, mut useful) = (None, None, false);
    for (name, id) in program.outputs() {
        let influence = &influences[id.0];
        let is_product = products.contains(name.as_str());
        if influence.needs_constant && !is_product {
            needed = needed.or_else(|| Some(shown(name)));
        }
        if influence.is_moment || is_product && influence.depends {
            moment = moment.or_else(|| Some(shown(name)));
        }
        useful |= influence.depends;
    }
    match needed {
        Some(output) => Centring::Impossible { output, moment },
        None if useful => Centring::Useful,
        None => Centring::Pointless,
    }
}

/// Refuses data with a secret constant that an output needs in the middle of its arithmetic.
///
/// # Errors
/// [`RangeError::NeedsCentre`].
pub fn check_centres(program: &Program, schema: &Schema) -> Result<(), RangeError> {
    let secret = schema.columns.iter().filter(|column| column.centre == Some(Centre::Secret));
    for column in secret.filter(|column| program.input_names().contains(&column.name)) {
        if let Centring::Impossible { output, .. } = centring(program, &column.name, schema.rows) {
            return Err(RangeError::NeedsCentre { column: column.name.clone(), output });
        }
    }
    Ok(())
}

/// The same program of columns that are less by constants of the schema's, which it adds again.
///
/// # Errors
/// Those of the builder.
pub fn about_centres(program: &Program, schema: &Schema) -> Result<Program, RangeError> {
    let centre = |name: &str| match schema.column(name)?.centre {
        Some(Centre::Public(ref value)) => Some(value.clone()),
        _ => None,
    };
    if program.input_names().iter().all(|name| centre(name).is_none()) {
        return Ok(program.clone());
    }
    rebuild(program, &mut AboutCentres(centre))
}

/// Adds what columns are less by.
struct AboutCentres<F>(F);

impl<F: Fn(&str) -> Option<BigRational>> Replace for AboutCentres<F> {
    type Error = RangeError;

    fn input(&mut self, terms: &mut Terms, name: &str) -> Result<Term, RangeError> {
        let column = terms.input(name)?;
        match (self.0)(name) {
            Some(centre) => {
                let centre = terms.constant(centre)?;
                Ok(terms.add(column, centre)?)
            }
            None => Ok(column),
        }
    }
}
