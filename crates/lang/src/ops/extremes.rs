//! `min` and `max`: of numbers of a row, and over the rows of a column.

use asanoha_numeric::{BinaryFunction, Range};
use num_bigint::BigInt;
use num_rational::BigRational;

use super::entry::{Call, CallError, Entry, Line, Lowered, line};
use crate::{
    builder::apply::apply,
    domain::denominators::common,
    function::{Function, Given, Kind, Meaning},
};

const COLUMNS: &str = "columns with a range of at most 128 whole numbers or decimals";
const NUMBERS: &str = "any numbers";
const MIN: &[Line] = &[
    line(&["min(a, b, …)"], NUMBERS, "the least"),
    line(&["min(x)"], COLUMNS, "the least value of all rows"),
];
const MAX: &[Line] = &[
    line(&["max(a, b, …)"], NUMBERS, "the largest"),
    line(&["max(x)"], COLUMNS, "the largest value of all rows"),
];

pub(super) static ENTRY_MIN: Entry =
    Entry::new("min", (1, usize::MAX), MIN, |call| lower(call, &MINIMUM, 0)).elsewhere(&["minimum"]);
pub(super) static ENTRY_MAX: Entry =
    Entry::new("max", (1, usize::MAX), MAX, |call| lower(call, &MAXIMUM, 1)).elsewhere(&["maximum"]);

/// The lesser of two numbers.
pub const MINIMUM: Function = Function::of(&Extreme::Least);
/// The larger of two numbers.
pub const MAXIMUM: Function = Function::of(&Extreme::Largest);

enum Extreme {
    Least,
    Largest,
}

impl Extreme {
    fn of<T: Ord>(&self, values: impl Iterator<Item = T>) -> Option<T> {
        match self {
            Self::Least => values.min(),
            Self::Largest => values.max(),
        }
    }
}

impl Meaning for Extreme {
    fn name(&self) -> &'static str {
        match self {
            Self::Least => ENTRY_MIN.name,
            Self::Largest => ENTRY_MAX.name,
        }
    }

    fn kind(&self) -> Kind {
        Kind::Binary(match self {
            Self::Least => BinaryFunction::Minimum,
            Self::Largest => BinaryFunction::Maximum,
        })
    }

    fn value(&self, _: &Given, of: &[BigRational]) -> Option<BigRational> {
        self.of(of.iter()).cloned()
    }

    fn word(&self, _: &Given, of: &[i64]) -> Option<i64> {
        self.of(of.iter()).copied()
    }

    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        let ends = [self.of(of.iter().map(Range::lo))?, self.of(of.iter().map(Range::hi))?];
        Range::new(ends[0].clone(), ends[1].clone())
    }

    fn denominator(&self, _: &Given, of: &[Option<BigInt>]) -> Option<BigInt> {
        common(of.iter().cloned())
    }
}

/// Of one column it's over the rows; of several numbers, that of each with the next.
fn lower(call: &mut Call<'_>, function: &Function, quantile: u8) -> Result<Lowered, CallError> {
    if call.arguments.len() == 1 {
        let column = call.value(0)?;
        return Ok(call.terms.quantile(column, &BigRational::from_integer(quantile.into()))?.into());
    }
    let values = call.arguments.iter().map(super::entry::Passed::value).collect::<Result<Vec<_>, _>>()?;
    let mut rest = values[1..].iter();
    let extreme =
        rest.try_fold(values[0], |extreme, &value| apply(call.terms, function.clone(), &[extreme, value]))?;
    Ok(extreme.into())
}
