//! Rows of a table on which a program isn't what it's meant to be.

use asanoha_numeric::number;
use asanoha_table::Table;
use num_rational::BigRational;
use num_traits::Signed;

use super::{
    columns::{Arguments, Watch, exact},
    error::EvaluationError,
    fraction::Fraction,
    watched,
};
use crate::{
    arithmetic::Arithmetic, domain::Argument, function::Function, ids::NodeId, node::Node, program::Program,
    values::Values,
};

/// A row with a value that isn't what's assumed of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideAssumed {
    /// The row, from 1.
    pub row: usize,
    /// The value.
    pub value: String,
    /// The range that's assumed.
    pub assumed: String,
}

/// A row on which a comparison of approximate numbers doesn't tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Undecided {
    /// The comparison.
    pub function: &'static str,
    /// The row, from 1.
    pub row: usize,
    /// How far the numbers are apart.
    pub difference: f64,
    /// How far they have to be.
    pub gap: f64,
}

/// A row on which a function has no value but what the circuits define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undefined {
    /// The function.
    pub function: &'static str,
    /// The row, from 1.
    pub row: usize,
    /// The column that is its argument; `None` when the argument is computed.
    pub column: Option<String>,
    /// The argument's value.
    pub value: String,
}

/// The first function in the program with a row on which only the circuits define it: a divisor of zero (unless
/// `zero_divides`), or a place outside of a table. `None` when there's none, or a column used is not whole.
///
/// # Errors
/// Those of an evaluation.
pub fn first_undefined(
    program: &Program,
    table: &Table,
    zero_divides: bool,
) -> Result<Option<Undefined>, EvaluationError> {
    let matters =
        |function: &Function| function.may_be_undefined() && !(zero_divides && function.is_division());
    let is_any = |node: &Node| node.function().is_some_and(|(function, _)| matters(function));
    if !program.nodes().iter().any(is_any) {
        return Ok(None);
    }
    let watch = Definedness { program, zero_divides, found: None };
    Ok(watched::<Fraction, _>(program, table, watch)?.1.found)
}

struct Definedness<'a> {
    program: &'a Program,
    zero_divides: bool,
    found: Option<Undefined>,
}

impl Watch<Fraction> for Definedness<'_> {
    fn function(&mut self, _: NodeId, function: &Function, of: &[Argument<'_, Values<Fraction>>]) {
        let matters = function.may_be_undefined() && !(self.zero_divides && function.is_division());
        if self.found.is_some() || !matters {
            return;
        }
        self.found = Arguments::new(of).rows().enumerate().find_map(|(row, arguments)| {
            let arguments = exact(&arguments)?;
            let at = function.undefined_at(&arguments)?;
            let column = of[at].node().and_then(|id| self.program.column(id)).map(str::to_owned);
            let value = number::format(&arguments[at]);
            Some(Undefined { function: function.name(), row: row + 1, column, value })
        });
    }
}

/// The first comparison in the program with a row whose numbers differ by less than its gap, of those that have one.
///
/// # Errors
/// Those of an evaluation.
pub fn first_undecided(
    program: &Program,
    table: &Table,
    gaps: &[Option<f64>],
) -> Result<Option<Undecided>, EvaluationError> {
    if gaps.iter().all(Option::is_none) {
        return Ok(None);
    }
    Ok(watched::<f64, _>(program, table, Decidedness { gaps, found: None })?.1.found)
}

struct Decidedness<'a> {
    gaps: &'a [Option<f64>],
    found: Option<Undecided>,
}

impl Watch<f64> for Decidedness<'_> {
    fn function(&mut self, at: NodeId, function: &Function, of: &[Argument<'_, Values<f64>>]) {
        let (Some(gap), None) = (self.gaps[at.0], &self.found) else { return };
        self.found = Arguments::new(of).rows().enumerate().find_map(|(row, arguments)| {
            let arguments = exact(&arguments)?;
            let difference = number::to_f64(&(&arguments[0] - &arguments[1])).abs();
            // What double precision loses of a gap is nothing beside what is left to noise.
            let is_near = difference < gap * (1.0 - 1e-9);
            is_near.then(|| Undecided { function: function.name(), row: row + 1, difference, gap })
        });
    }
}

/// What doubles may be off by from assumed ends, relative to these.
const ROUNDING: f64 = 1e-9;

/// The first value in the program that isn't what's assumed of it. Where doubles are computed with, it may be off by what
/// they round.
///
/// # Errors
/// Those of an evaluation.
pub fn first_outside(program: &Program, table: &Table) -> Result<Option<OutsideAssumed>, EvaluationError> {
    if !program.nodes().iter().any(|node| matches!(node, Node::Assume(..))) {
        return Ok(None);
    }
    let (outputs, exactly) = watched::<Fraction, _>(program, table, Ends { slack: 0.0, found: None })?;
    if outputs.is_some() || exactly.found.is_some() {
        return Ok(exactly.found);
    }
    Ok(watched::<f64, _>(program, table, Ends { slack: ROUNDING, found: None })?.1.found)
}

struct Ends {
    slack: f64,
    found: Option<OutsideAssumed>,
}

impl<T: Arithmetic> Watch<T> for Ends {
    fn assume(&mut self, values: &Values<T>, [lo, hi]: [&BigRational; 2]) {
        self.found = self.found.take().or_else(|| outside(values, [lo, hi], self.slack));
    }
}

fn outside<T: Arithmetic>(
    values: &Values<T>,
    [lo, hi]: [&BigRational; 2],
    slack: f64,
) -> Option<OutsideAssumed> {
    let slack = lo.abs().max(hi.abs()) * BigRational::from_float(slack)?;
    let (least, most) = (lo - &slack, hi + slack);
    let rows = values.as_slice().iter().map(T::to_exact);
    let is_outside =
        |value: &Option<BigRational>| !value.as_ref().is_some_and(|it| *it >= least && *it <= most);
    let (row, value) = rows.enumerate().find(|(_, value)| is_outside(value))?;
    let value = value.map_or_else(|| "no number".to_owned(), |value| number::to_f64(&value).to_string());
    Some(OutsideAssumed {
        row: row + 1,
        value,
        assumed: format!("{}..{}", number::format(lo), number::format(hi)),
    })
}
