//! `less_than(a, b, gap)`: a comparison with a gap of its own.

use asanoha_numeric::{BinaryFunction, Range};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

use super::{
    comparison::{compared, truth},
    entry::{Call, CallError, Entry, Lowered, line},
};
use crate::{
    builder::{
        apply::apply,
        terms::{Entry as Made, Terms},
    },
    error::BuildError,
    function::{Function, Given, Kind, Meaning},
    ids::Term,
};

pub(super) static ENTRY: Entry = Entry::new(
    "less_than",
    (3, 3),
    &[line(&["less_than(a, b, gap)"], "any numbers", "a < b, with its own gap")],
    lower,
);

struct LessThan;

impl Meaning for LessThan {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn kind(&self) -> Kind {
        Kind::Less
    }

    fn value(&self, _: &Given, of: &[BigRational]) -> Option<BigRational> {
        Some(truth(of[0] < of[1]))
    }

    fn word(&self, _: &Given, of: &[i64]) -> Option<i64> {
        Some((of[0] < of[1]).into())
    }

    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        compared(BinaryFunction::Less, of)
    }

    fn denominator(&self, _: &Given, _: &[Option<BigInt>]) -> Option<BigInt> {
        Some(BigInt::one())
    }
}

/// 1 where `a < b`, else 0, where the two differ by no less than a constant gap: nearer ones are refused before they're
/// encrypted for approximate arithmetic.
///
/// # Errors
/// [`BuildError::BadGap`].
pub fn less_than(terms: &mut Terms, a: Term, b: Term, gap: Term) -> Result<Term, BuildError> {
    match terms.entry(gap)? {
        Made::Constant(gap) if gap.is_positive() => {
            let function = Function::new(&LessThan, Given::Gap(gap.clone()));
            apply(terms, function, &[a, b])
        }
        _ => Err(BuildError::BadGap),
    }
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let [a, b, gap] = call.values()?;
    Ok(less_than(call.terms, a, b, gap)?.into())
}
