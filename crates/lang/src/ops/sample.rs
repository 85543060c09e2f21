//! Variances and deviations of samples, and of the rows of a condition.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::{
    count::{count, rows},
    entry::{Call, CallError, Entry, Lowered, line},
    logic::truth,
    ratio::{self, ratio},
    reciprocal::div,
};
use crate::{builder::terms::Terms, error::BuildError, ids::Term};

pub(super) static ENTRY_VAR: Entry = Entry::new(
    "var_samp",
    (1, 1),
    &[line(
        &["var_samp(x)", "stdev(x)"],
        "columns; finished after decryption",
        "the variance and the deviation of a sample, which divide by the rows less 1",
    )],
    |call| {
        let x = call.value(0)?;
        let [squares, divisor] = of_sample(call.terms, x, ENTRY_VAR.name)?;
        let value = div(call.terms, squares, divisor)?;
        Ok(Lowered::Finished(ratio(call.terms, squares, divisor)?, Some(value)))
    },
);

pub(super) static ENTRY_STD: Entry = Entry::new("stdev", (1, 1), &[], |call| {
    let x = call.value(0)?;
    let [squares, divisor] = of_sample(call.terms, x, ENTRY_STD.name)?;
    ratio::lower_root(call, squares, divisor)
});

/// The sum of the squares of the rows' distances from their mean, and one less than the number of rows.
fn of_sample(terms: &mut Terms, x: Term, function: &'static str) -> Result<[Term; 2], BuildError> {
    terms.check_column(x, function)?;
    let (variance, rows) = (terms.var(x)?, rows(terms, Some(x))?);
    let less = terms.offset(rows, &BigRational::from_integer(BigInt::from(-1)))?;
    Ok([terms.mul(variance, rows)?, less])
}

/// The variance over the rows where a condition holds, as a quotient: (n·Σ c·x² − (Σ c·x)²) / n².
pub(super) fn of_rows(terms: &mut Terms, x: Term, condition: Term) -> Result<[Term; 2], BuildError> {
    let rows = count(terms, condition)?;
    let condition = truth(terms, condition)?;
    let square = terms.power_whole(x, 2)?;
    let [sum, squares] = [terms.dot(condition, x)?, terms.dot(condition, square)?];
    let [above, below] = [terms.mul(rows, squares)?, terms.power_whole(sum, 2)?];
    Ok([terms.sub(above, below)?, terms.power_whole(rows, 2)?])
}

/// `var(x, c)`, or with `is_root` `std(x, c)`.
pub(super) fn lower_of_rows(call: &mut Call<'_>, is_root: bool) -> Result<Lowered, CallError> {
    let [x, condition] = call.values()?;
    let [dividend, divisor] = of_rows(call.terms, x, condition)?;
    if is_root {
        return ratio::lower_root(call, dividend, divisor);
    }
    let value = div(call.terms, dividend, divisor)?;
    Ok(Lowered::Finished(ratio(call.terms, dividend, divisor)?, Some(value)))
}
