//! What is made of rows that miss values.

use std::collections::{BTreeSet, HashMap};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;

use crate::{
    column::Partial,
    error::{DataError, Problem},
    reading::Missing,
    table::{Column, ColumnValues, Table},
};

/// The columns of a table with the rows that are left out of it, from 0, in their order.
pub(crate) type Settled = (Table, Vec<usize>);

/// Deals with the missing values of columns with their places in the file.
pub(crate) fn settle(
    columns: Vec<(usize, Partial)>,
    rows: usize,
    missing: Missing,
    file: &str,
) -> Result<Settled, DataError> {
    let missing_values = columns.iter().filter(|(_, column)| !column.missing.is_empty());
    let first = missing_values.min_by_key(|(place, column)| (column.first_missing, *place));
    if let (Missing::Refuse, Some((place, column))) = (missing, first) {
        let (name, found) = (column.name().to_owned(), column.missing.len());
        let problem = if column.is_text() {
            Problem::MissingText { name, found, rows }
        } else {
            Problem::Missing { name, found, rows }
        };
        return Err(problem.at(file, column.first_missing, place + 1));
    }
    let mut left_out: Vec<usize> = Vec::new();
    if missing == Missing::Mask {
        left_out = columns.iter().flat_map(|(_, column)| &column.missing).copied().collect();
        left_out.sort_unstable();
        left_out.dedup();
        if left_out.len() == rows {
            let (place, column) = first.expect("a row is left out");
            return Err(Problem::NothingLeft.at(file, column.first_missing, place + 1));
        }
    }
    let columns = columns.into_iter().map(|(place, column)| {
        let (gaps, line) = (column.missing.clone(), column.first_missing);
        let is_planned = column.is_planned();
        let mut column = column.finish();
        if missing == Missing::Mask {
            leave_out(&mut column.values, &left_out);
            if !left_out.is_empty() && !is_planned {
                forget_others(&mut column.values);
            }
        } else if !gaps.is_empty() {
            fill(&mut column, &gaps, missing).map_err(|problem| problem.at(file, line, place + 1))?;
        }
        Ok(column)
    });
    let columns = columns.collect::<Result<_, DataError>>()?;
    Ok((Table { columns, rows: rows - left_out.len() }, left_out))
}

/// Leaves rows out that are given in their order.
fn leave_out(values: &mut ColumnValues, rows: &[usize]) {
    fn leave_out<T>(values: &mut Vec<T>, rows: &[usize]) {
        let (mut row, mut rest) = (0, rows.iter().peekable());
        values.retain(|_| {
            row += 1;
            rest.next_if_eq(&&(row - 1)).is_none()
        });
    }
    match values {
        ColumnValues::Whole(values)
        | ColumnValues::Decimal { values, .. }
        | ColumnValues::Categories { values, .. } => {
            leave_out(values, rows);
        }
        ColumnValues::Integers(values) | ColumnValues::WideDecimal { values, .. } => leave_out(values, rows),
        ColumnValues::Real(values) => leave_out(values, rows),
    }
}

/// Texts that no value is, and places that no value needs, which become public, are those of rows that were left out.
fn forget_others(of: &mut ColumnValues) {
    match of {
        ColumnValues::Categories { values, names } => {
            let used: BTreeSet<i64> = values.iter().copied().collect();
            let numbers: HashMap<i64, i64> = used.iter().copied().zip(0..).collect();
            *names = used.iter().map(|&old| std::mem::take(&mut names[old as usize])).collect();
            values.iter_mut().for_each(|value| *value = numbers[value]);
        }
        ColumnValues::Decimal { values, places } => {
            while *places > 0 && values.iter().all(|value| value % 10 == 0) {
                values.iter_mut().for_each(|value| *value /= 10);
                *places -= 1;
            }
            if *places == 0 {
                *of = ColumnValues::Whole(std::mem::take(values));
            }
        }
        ColumnValues::WideDecimal { values, places } => {
            let ten = BigInt::from(10);
            while *places > 0 && values.iter().all(|value| value.is_multiple_of(&ten)) {
                values.iter_mut().for_each(|value| *value /= &ten);
                *places -= 1;
            }
            let words: Option<Vec<i64>> = values.iter().map(|value| value.try_into().ok()).collect();
            *of = match (words, *places) {
                (Some(words), 0) => ColumnValues::Whole(words),
                (None, 0) => ColumnValues::Integers(std::mem::take(values)),
                (Some(values), places) => ColumnValues::Decimal { values, places },
                (None, _) => return,
            };
        }
        ColumnValues::Integers(values) => {
            let words: Option<Vec<i64>> = values.iter().map(|value| value.try_into().ok()).collect();
            if let Some(words) = words {
                *of = ColumnValues::Whole(words);
            }
        }
        ColumnValues::Whole(_) | ColumnValues::Real(_) => {}
    }
}

/// Puts what stands for missing values in their places, where zeros are.
fn fill(column: &mut Column, gaps: &[usize], missing: Missing) -> Result<(), Problem> {
    let name = || column.name.clone();
    if let ColumnValues::Categories { .. } = column.values {
        return Err(Problem::NoNumber { name: name() });
    }
    if missing != Missing::Mean {
        return Ok(());
    }
    let count = column.values.len() - gaps.len();
    if count == 0 {
        return Err(Problem::NoMean { name: name() });
    }
    match &mut column.values {
        ColumnValues::Whole(values)
        | ColumnValues::Decimal { values, .. }
        | ColumnValues::Categories { values, .. } => {
            let sum: BigInt = values.iter().map(|&value| i128::from(value)).sum::<i128>().into();
            let mean = rounded_quotient(&sum, count);
            let mean = i64::try_from(mean).expect("a mean is between the values");
            gaps.iter().for_each(|&row| values[row] = mean);
        }
        ColumnValues::Integers(values) | ColumnValues::WideDecimal { values, .. } => {
            let mean = rounded_quotient(&values.iter().sum(), count);
            gaps.iter().for_each(|&row| values[row].clone_from(&mean));
        }
        ColumnValues::Real(values) => {
            // Divided before they're added, so that no sum is beyond all doubles.
            let mean: f64 = values.iter().map(|value| value / count as f64).sum();
            gaps.iter().for_each(|&row| values[row] = mean);
        }
    }
    Ok(())
}

/// The whole number nearest to sum/count; halves away from zero.
fn rounded_quotient(sum: &BigInt, count: usize) -> BigInt {
    let count = BigInt::from(count);
    let magnitude = (sum.abs() * 2u8 + &count).div_floor(&(count * 2u8));
    if sum.is_negative() { -magnitude } else { magnitude }
}
