//! `a ** n` and `pow(a, n)`: a constant whole power.

use num_traits::{Signed, ToPrimitive};

use super::{
    entry::{Call, CallError, Entry as FunctionEntry, Line, Lowered, line},
    power_modulo::{self, power_modulo},
    reciprocal::{RECIPROCAL, div},
};
use crate::{
    builder::{
        apply::apply,
        terms::{Entry, Terms},
    },
    error::{BuildError, shown},
    ids::Term,
    limits::MAX_EXPONENT,
};

pub(super) static ENTRY: FunctionEntry =
    FunctionEntry::new("pow", (2, 3), LINES, lower).elsewhere(&["power"]);

const LINES: &[Line] = &[line(&["pow(a, n)"], "as `a ** n`", "the same"), power_modulo::LINE];

fn lower(call: &mut Call<'_>) -> Result<Lowered, CallError> {
    if call.arguments.len() == 2 {
        let [a, exponent] = call.values()?;
        return Ok(power(call.terms, a, exponent)?.into());
    }
    let [a, exponent, modulus] = call.values()?;
    let constant = |term| call.terms.constant_value(term);
    let (Some(exponent), Some(modulus)) = (constant(exponent)?, constant(modulus)?) else {
        return Err(
            BuildError::BadConstants { function: "pow", wanted: "a constant exponent and modulus" }.into()
        );
    };
    Ok(power_modulo(call.terms, a, &exponent, &modulus)?.into())
}

/// `a ** exponent`: the exponent is a constant whole number, of magnitude up to [`MAX_EXPONENT`] on data, where a
/// negative one is a power of the approximated `1 / a`. As in Python, anything to the power of 0 is 1.
///
/// # Errors
/// Exponents that aren't such.
pub fn power(terms: &mut Terms, a: Term, exponent: Term) -> Result<Term, BuildError> {
    let base_is_constant = matches!(terms.entry(a)?, Entry::Constant(_));
    let Entry::Constant(exponent) = terms.entry(exponent)? else {
        return Err(BuildError::ExponentNotConstant);
    };
    let text = shown(exponent);
    if !exponent.is_integer() {
        return Err(BuildError::ExponentNotWhole { exponent: text });
    }
    let magnitude = exponent.numer().abs().to_u32();
    let negative = exponent.is_negative();
    let Some(magnitude) = magnitude else {
        return Err(BuildError::ExponentTooLarge { exponent: text, limit: MAX_EXPONENT });
    };
    if negative && !base_is_constant {
        let reciprocal = apply(terms, RECIPROCAL, &[a])?;
        return terms.power_whole(reciprocal, magnitude);
    }
    let powered = terms.power_whole(a, magnitude)?;
    if negative {
        let one = terms.integer(1)?;
        return div(terms, one, powered);
    }
    Ok(powered)
}
