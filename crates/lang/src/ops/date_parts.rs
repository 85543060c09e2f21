//! `year(d)` and `month(d)` of a date.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::entry::{Call, CallError, Entry, Lowered, line};
use crate::{
    builder::apply::apply,
    date_part::Part,
    function::{Function, Given, Kind, Meaning},
};

pub(super) static ENTRY_YEAR: Entry = Entry::new(
    "year",
    (1, 1),
    &[line(
        &["year(d)", "month(d)"],
        "columns of dates; beside a comparison the client computes it",
        "the year, and the month from 1 to 12",
    )],
    |call| lower(call, &YEAR),
);
pub(super) static ENTRY_MONTH: Entry = Entry::new("month", (1, 1), &[], |call| lower(call, &MONTH));

const YEAR: Function = Function::of(&Part::Year);
const MONTH: Function = Function::of(&Part::Month);

impl Meaning for Part {
    fn name(&self) -> &'static str {
        match self {
            Self::Year => ENTRY_YEAR.name,
            Self::Month => ENTRY_MONTH.name,
        }
    }

    fn kind(&self) -> Kind {
        Kind::DatePart(*self)
    }

    fn value(&self, _: &Given, of: &[BigRational]) -> Option<BigRational> {
        let days = of[0].is_integer().then(|| of[0].to_integer().to_i64()).flatten()?;
        Some(BigRational::from_integer(self.of(days)?.into()))
    }

    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        match self {
            Self::Month => Range::whole(1, 12),
            Self::Year => {
                let [lo, hi] = [of[0].lo(), of[0].hi()].map(|end| end.floor().to_integer().to_i64());
                Range::whole(self.of(lo?)?, self.of(hi?)?)
            }
        }
    }

    fn denominator(&self, _: &Given, _: &[Option<BigInt>]) -> Option<BigInt> {
        Some(BigInt::one())
    }
}

fn lower(call: &mut Call<'_>, part: &Function) -> Result<Lowered, CallError> {
    let day = call.value(0)?;
    Ok(apply(call.terms, part.clone(), &[day])?.into())
}
