//! `pow(a, e, p)`: a power modulo a constant, of which `a % p` with a wide p is one.

use asanoha_numeric::{Range, number::MAX_CONSTANT_BITS};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{binary::with_constant, entry::Line, entry::line};
use crate::{
    builder::{apply::apply, terms::Terms},
    error::BuildError,
    function::{Function, Given, Kind, Meaning},
    ids::Term,
};
use asanoha_numeric::BinaryFunction;

/// The row of the table of operations.
pub(super) const LINE: Line = line(
    &["pow(a, e, p)"],
    "whole numbers; constants e, from 1 on or -1, and p",
    "a ** e % p, of any width; for e = -1 the inverse modulo p, and 0 where there is none",
);

/// a^e modulo p from 0 to p − 1; for e = −1 the inverse, which is 0 where there is none.
///
/// # Errors
/// [`BuildError::BadConstants`], and those of [`apply`].
pub fn power_modulo(
    terms: &mut Terms,
    a: Term,
    exponent: &BigRational,
    modulus: &BigRational,
) -> Result<Term, BuildError> {
    let whole = |value: &BigRational, least: i64| {
        let is_whole = value.is_integer() && *value.numer() >= least.into();
        (is_whole && value.numer().bits() <= MAX_CONSTANT_BITS).then(|| value.to_integer())
    };
    let exponent = whole(exponent, -1).filter(|exponent| !exponent.is_zero());
    let (Some(exponent), Some(modulus)) = (exponent, whole(modulus, 2)) else {
        let wanted = "an exponent of 1 or more, or -1, and a modulus of 2 or more, both whole constants";
        return Err(BuildError::BadConstants { function: "pow", wanted });
    };
    match modulus.to_i64() {
        Some(narrow) if exponent.is_one() => with_constant(terms, BinaryFunction::Remainder, a, narrow),
        _ => apply(terms, Function::new(&PowerModulo, Given::Power { exponent, modulus }), &[a]),
    }
}

/// The exponent and the modulus of what a function is given.
fn power_of(given: &Given) -> (&BigInt, &BigInt) {
    let Given::Power { exponent, modulus } = given else { unreachable!("powers are given both") };
    (exponent, modulus)
}

struct PowerModulo;

impl Meaning for PowerModulo {
    fn name(&self) -> &'static str {
        "pow"
    }

    fn kind(&self) -> Kind {
        Kind::PowerModulo
    }

    fn value(&self, given: &Given, of: &[BigRational]) -> Option<BigRational> {
        let (exponent, modulus) = power_of(given);
        let a = of[0].floor().to_integer().mod_floor(modulus);
        let power = if exponent.is_negative() {
            a.modinv(modulus).unwrap_or_default()
        } else {
            a.modpow(exponent, modulus)
        };
        Some(power.into())
    }

    fn range(&self, given: &Given, of: &[Range]) -> Option<Range> {
        let (exponent, modulus) = power_of(given);
        let all = Range::between(BigRational::zero(), (modulus - 1u32).into());
        let is_reduced = exponent.is_one() && all.contains(of[0].lo()) && all.contains(of[0].hi());
        Some(if is_reduced { of[0].clone() } else { all })
    }

    fn denominator(&self, _: &Given, _: &[Option<BigInt>]) -> Option<BigInt> {
        Some(BigInt::one())
    }

    fn written(&self, given: &Given, of: Vec<String>) -> String {
        let (exponent, modulus) = power_of(given);
        if exponent.is_one() {
            format!("{} % {modulus}", of[0])
        } else {
            format!("pow({}, {exponent}, {modulus})", of[0])
        }
    }
}
