//! Plain computation, to hold encrypted results against.

pub(crate) mod checks;
pub(crate) mod columns;
pub(crate) mod error;
mod fraction;
pub(crate) mod words;

use std::{collections::BTreeMap, marker::PhantomData};

use asanoha_table::Table;
use num_rational::BigRational;

use self::{
    columns::{Kinded, Plain, Stop, Watch},
    error::EvaluationError,
    fraction::Fraction,
};
use crate::{
    arithmetic::{Arithmetic, Number},
    domain::{Keep, influence::shifts, walk},
    finish::finish_parts,
    program::Program,
    values::{Outputs, Values},
};

/// The outputs as exact fractions, or `None` when a column used is of real numbers or the program approximates.
///
/// ```
/// use asanoha_lang::{Program, evaluate_exact};
/// use asanoha_table::read_csv;
///
/// let table = read_csv("x\n0.10\n0.20\n".as_bytes(), "t.csv", &["x"])?;
/// let outputs = evaluate_exact(&Program::parse("y = sum(3 * x)")?, &table)?.expect("decimals are exact");
/// assert_eq!(outputs[0].1.as_slice()[0].to_string(), "9/10");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Tables without rows or without a column of the program, and values that are too long.
pub fn evaluate_exact(
    program: &Program,
    table: &Table,
) -> Result<Option<Outputs<BigRational>>, EvaluationError> {
    evaluate_exact_less(program, table, &BTreeMap::new())
}

/// As [`evaluate_exact`], of columns that are less by constants.
///
/// # Errors
/// Those of [`evaluate_exact`].
pub fn evaluate_exact_less(
    program: &Program,
    table: &Table,
    centres: &BTreeMap<String, BigRational>,
) -> Result<Option<Outputs<BigRational>>, EvaluationError> {
    let outputs = evaluate::<Fraction>(program, table, centres)?;
    let exact = |(name, values): (String, Values<Fraction>)| {
        (name, values.map(|value| value.to_exact().expect("fractions are")))
    };
    Ok(outputs.map(|outputs| outputs.into_iter().map(exact).collect()))
}

/// The outputs in double precision.
///
/// # Errors
/// Tables without rows or without a column of the program.
pub fn evaluate_real(program: &Program, table: &Table) -> Result<Outputs<f64>, EvaluationError> {
    evaluate_real_less(program, table, &BTreeMap::new())
}

/// As [`evaluate_real`], of columns that are less by constants.
///
/// # Errors
/// Those of [`evaluate_real`].
pub fn evaluate_real_less(
    program: &Program,
    table: &Table,
    centres: &BTreeMap<String, BigRational>,
) -> Result<Outputs<f64>, EvaluationError> {
    evaluate(program, table, centres).map(Option::unwrap_or_default)
}

/// The values of the outputs that are computed encrypted, before any is finished: exact, or else those of double precision.
/// `None` where one isn't a number.
///
/// # Errors
/// Those of [`evaluate_exact`].
pub fn encrypted_values(
    program: &Program,
    table: &Table,
) -> Result<Option<Vec<Vec<BigRational>>>, EvaluationError> {
    fn values<T: Number>(outputs: &Outputs<T>) -> Option<Vec<Vec<BigRational>>> {
        outputs.iter().map(|(_, values)| values.as_slice().iter().map(T::to_exact).collect()).collect()
    }
    if let (Some(exact), ()) = watched::<Fraction, ()>(program, table, ())? {
        return Ok(values(&exact));
    }
    let (real, ()) = watched::<f64, ()>(program, table, ())?;
    Ok(real.as_ref().and_then(values))
}

fn evaluate<T: Arithmetic>(
    program: &Program,
    table: &Table,
    centres: &BTreeMap<String, BigRational>,
) -> Result<Option<Outputs<T>>, EvaluationError> {
    let (Some(computed), ()) = watched::<T, ()>(program, table, ())? else { return Ok(None) };
    let constants = program
        .constants()
        .iter()
        .map(|constant| (constant.name.clone(), Values::of_constant(constant, table.rows, T::constant)));
    let all: Outputs<T> = computed.into_iter().chain(constants).collect();
    let error = |values: &Values<T>| values.as_slice().first().map_or(0.0, T::rounding);
    let errors: Vec<f64> = all.iter().map(|(_, values)| error(values)).collect();
    let shifts = shifts(program, centres, table.rows);
    Ok(Some(finish_parts(program, all, &errors, |_| false, table.rows, &shifts).0))
}

/// The outputs that are computed encrypted, and what a watch saw on the way; no outputs when numbers of this kind do not have an
/// operation.
fn watched<T: Arithmetic, W: Watch<T>>(
    program: &Program,
    table: &Table,
    watch: W,
) -> Result<(Option<Outputs<T>>, W), EvaluationError> {
    if table.rows == 0 {
        return Err(EvaluationError::NoRows);
    }
    let mut columns = Kinded(Plain::new(program, table, watch), PhantomData);
    let values = match walk(program, &mut columns, Keep::Outputs) {
        Ok(values) => values,
        Err((_, Stop::OtherKind)) => return Ok((None, columns.0.into_watch())),
        Err((_, Stop::Failed(error))) => return Err(error),
    };
    let output = |(name, id): &(String, crate::NodeId)| Some((name.clone(), values[id.0].clone()?));
    Ok((program.outputs().iter().map(output).collect(), columns.0.into_watch()))
}
