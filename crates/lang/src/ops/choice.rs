//! `where(c, a, b)`: a choice of two numbers.

use asanoha_numeric::Range;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::entry::{Call, CallError, Entry, Lowered, line};
use crate::{
    builder::apply::apply,
    domain::denominators::common,
    function::{Function, Given, Kind, Meaning},
};

pub(super) static ENTRY: Entry = Entry::new(
    "where",
    (3, 3),
    &[
        line(&["where(c, a, b)"], "any numbers; c a condition if a or b is real", "a if c is not 0, else b"),
        line(&["a if c else b"], "as `where(c, a, b)`", "the same"),
    ],
    lower,
)
.elsewhere(&["if_else", "select", "ifelse", "iif"]);

/// a where c is not 0, else b.
pub const CHOICE: Function = Function::of(&Choice);

struct Choice;

impl Meaning for Choice {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn kind(&self) -> Kind {
        Kind::Choice
    }

    fn value(&self, _: &Given, of: &[BigRational]) -> Option<BigRational> {
        Some(if of[0].is_zero() { &of[2] } else { &of[1] }.clone())
    }

    fn word(&self, _: &Given, of: &[i64]) -> Option<i64> {
        Some(if of[0] == 0 { of[2] } else { of[1] })
    }

    fn range(&self, _: &Given, of: &[Range]) -> Option<Range> {
        let [c, a, b] = of else { return None };
        Some(if !c.contains(&BigRational::zero()) {
            a.clone()
        } else if c.lo() == c.hi() {
            b.clone()
        } else {
            a.union(b)
        })
    }

    fn chosen_from(&self) -> Option<usize> {
        Some(1)
    }

    /// The condition may be anything.
    fn denominator(&self, _: &Given, of: &[Option<BigInt>]) -> Option<BigInt> {
        common(of[1..].iter().cloned())
    }
}

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    let arguments: [_; 3] = call.values()?;
    Ok(apply(call.terms, CHOICE, &arguments)?.into())
}
