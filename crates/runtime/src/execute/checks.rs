//! What is checked of data, keys and ciphertexts before work begins.

use std::borrow::Cow;

use asanoha_backends::InputColumn;
use asanoha_lattice::KeyId;

use super::{Centres, error::ExecuteError};
use crate::{
    data::{Centre, Column, ColumnSchema, ColumnValues, Table, outside},
    plan::{OnZero, Plan, RowsError},
    program::{OutsideAssumed, Undecided, Undefined, first_outside, first_undecided, first_undefined},
};

/// Refuses data that [`encrypt`](super::encrypt) would refuse, without encrypting them.
///
/// # Errors
/// Those of [`encrypt`](super::encrypt).
pub fn check(plan: &Plan, table: &Table) -> Result<(), ExecuteError> {
    let centres = Centres::of(&plan.program, &plan.schema, table)?;
    checked_columns(plan, &*centres.apart(&plan.schema, table)?).map(|_| ())
}

/// As [`check`], of some of the rows.
pub(super) fn check_values(plan: &Plan, table: &Table) -> Result<(), ExecuteError> {
    let centres = Centres::of(&plan.program, &plan.schema, table)?;
    valid_columns(plan, &*centres.apart(&plan.schema, table)?).map(|_| ())
}

/// The values of a plan's inputs in a table that has been prepared by [`Centres::apart`].
pub(super) fn checked_columns<'a>(
    plan: &'a Plan,
    table: &Table,
) -> Result<Vec<InputColumn<'a>>, ExecuteError> {
    if table.rows != plan.schema.rows {
        return Err(RowsError::Other { found: table.rows, planned: plan.schema.rows }.into());
    }
    valid_columns(plan, table)
}

/// As [`checked_columns`], of any number of rows.
fn valid_columns<'a>(plan: &'a Plan, table: &Table) -> Result<Vec<InputColumn<'a>>, ExecuteError> {
    // Also of columns of which the ranges tell all that's computed.
    plan.program.input_names().iter().try_for_each(|name| column_in_range(plan, table, name).map(|_| ()))?;
    let columns = plan
        .circuit
        .inputs
        .iter()
        .map(|input| {
            let name = &input.column;
            let (column, ColumnSchema { range, places, .. }) = column_in_range(plan, table, name)?;
            let not_whole =
                || ExecuteError::NotWhole { column: name.clone(), first: column.values.first_fraction() };
            let is_viewed_real = input.view.is_some() && matches!(column.values, ColumnValues::Real(_));
            let values = if plan.params.backend().is_exact() && !is_viewed_real {
                column.values.digits(*places).ok_or_else(not_whole)?
            } else {
                Cow::Borrowed(&column.values)
            };
            let values = Cow::Owned(input.values(&values)?.ok_or_else(not_whole)?);
            Ok(InputColumn { name, values, range: input.range(range) })
        })
        .collect::<Result<Vec<_>, ExecuteError>>()?;
    check_defined(plan, table)?;
    Ok(columns)
}

/// A column of a table, all of whose values are in the range that's planned for.
fn column_in_range<'p, 't>(
    plan: &'p Plan,
    table: &'t Table,
    name: &str,
) -> Result<(&'t Column, &'p ColumnSchema), ExecuteError> {
    let column = table.column(name).ok_or_else(|| ExecuteError::MissingColumn(name.to_owned()))?;
    let planned = plan.schema.column(name).expect("checked with the plan");
    if let Some((row, _)) = outside(&column.values, &planned.range) {
        let range = match &planned.centre {
            None => planned.range.to_string(),
            Some(Centre::Public(centre)) => planned.range.offset(centre).to_string(),
            Some(Centre::Secret) => format!("{} around the middle of its values", planned.range),
        };
        return Err(ExecuteError::OutsideRange { column: name.to_owned(), row, range });
    }
    Ok((column, planned))
}

/// Refuses rows on which the program's functions have no value but what the circuits define.
fn check_defined(plan: &Plan, table: &Table) -> Result<(), ExecuteError> {
    if let Some(OutsideAssumed { row, value, assumed }) = first_outside(&plan.program, table)? {
        return Err(ExecuteError::OutsideAssumed { row, value, assumed });
    }
    if !plan.params.backend().is_exact()
        && let Some(undecided) = first_undecided(&plan.program, table, &plan.gaps())?
    {
        let Undecided { function, row, difference, gap } = undecided;
        return Err(ExecuteError::Undecided { row, function, difference, gap });
    }
    let zero_divides = plan.on_zero == OnZero::Value;
    let Some(undefined) = first_undefined(&plan.program, table, zero_divides)? else { return Ok(()) };
    let Undefined { function, row, column, value } = undefined;
    let operand =
        column.map_or_else(|| format!("an operand of `{function}`"), |name| format!("column `{name}`"));
    Err(if matches!(function, "//" | "%") {
        ExecuteError::DivisorZero { row, operand, function }
    } else {
        ExecuteError::OutsideTable { row, operand, value, function }
    })
}

/// Refuses keys and ciphertexts of two key generations.
pub(super) fn same_keys(which: &'static str, key: KeyId, ciphertexts: KeyId) -> Result<(), ExecuteError> {
    if key == ciphertexts { Ok(()) } else { Err(ExecuteError::OtherKeys { which, key, ciphertexts }) }
}
