//! Fractions of known denominators: which values of a program they are.

use std::convert::Infallible;

use asanoha_numeric::number::MAX_CONSTANT_BITS;
use asanoha_table::{ColumnSchema, Schema};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Pow};

use super::{Arg, Argument, Domain, Outcome};
use crate::{function::Function, ids::NodeId, node::Node, program::Program};

/// For every operation a d with all its values whole multiples of 1/d, whatever the number of rows; none where that isn't
/// known.
pub fn denominators(program: &Program, schema: &Schema) -> Vec<Option<BigInt>> {
    let Ok(known) = super::all(program, &mut Denominators(schema)).map_err(|(_, never)| match never {});
    known
}

/// For every operation, whether its values are whole numbers.
pub fn whole_nodes(program: &Program, schema: &Schema) -> Vec<bool> {
    denominators(program, schema).into_iter().map(|of| of.is_some_and(|of| of.is_one())).collect()
}

/// The denominator of a column's values; none of real numbers.
pub(crate) fn of_column(column: &ColumnSchema) -> Option<BigInt> {
    let is_exact = column.whole || column.places > 0;
    is_exact.then(|| Pow::pow(BigInt::from(10), column.places))
}

/// The least common multiple of denominators that are all known.
pub(crate) fn common(denominators: impl IntoIterator<Item = Option<BigInt>>) -> Option<BigInt> {
    denominators.into_iter().try_fold(BigInt::one(), |lcm, denominator| Some(lcm.lcm(&denominator?)))
}

/// Computes denominators from the kinds of columns.
pub(crate) struct Denominators<'a>(pub(crate) &'a Schema);

type Of<'v> = Arg<'v, Option<BigInt>>;

impl Domain for Denominators<'_> {
    type Value = Option<BigInt>;
    type Error = Infallible;

    fn input(&mut self, _: NodeId, name: &str) -> Outcome<Self> {
        Ok(self.0.column(name).and_then(of_column))
    }

    fn add(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(common([a.value.clone(), b.value.clone()]))
    }

    fn mul(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(a.value.as_ref().zip(b.value.as_ref()).map(|(a, b)| a * b))
    }

    fn scale(&mut self, _: NodeId, a: Of<'_>, k: &BigRational) -> Outcome<Self> {
        Ok(a.value.as_ref().map(|a| (k / a).denom().clone()))
    }

    fn offset(&mut self, _: NodeId, a: Of<'_>, c: &BigRational) -> Outcome<Self> {
        Ok(common([a.value.clone(), Some(c.denom().clone())]))
    }

    fn power(&mut self, _: NodeId, a: Of<'_>, exponent: u32) -> Outcome<Self> {
        let is_short = |a: &&BigInt| (a.bits() - 1).saturating_mul(exponent.into()) <= MAX_CONSTANT_BITS;
        Ok(a.value.as_ref().filter(is_short).map(|a| Pow::pow(a, exponent)))
    }

    fn sum(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(a.value.clone())
    }

    fn mean(&mut self, _: NodeId, _: Of<'_>) -> Outcome<Self> {
        Ok(None)
    }

    fn assume(&mut self, _: NodeId, a: Of<'_>, _: [&BigRational; 2]) -> Outcome<Self> {
        Ok(a.value.clone())
    }

    fn quantile(&mut self, _: NodeId, a: Of<'_>, _: &BigRational) -> Outcome<Self> {
        Ok(a.value.clone())
    }

    fn function(&mut self, _: NodeId, f: &Function, of: &[Argument<'_, Option<BigInt>>]) -> Outcome<Self> {
        let of: Vec<Option<BigInt>> =
            of.iter().map(|of| of.value().map_or(Some(BigInt::one()), Clone::clone)).collect();
        Ok(f.denominator(&of))
    }

    fn done(&mut self, _: NodeId, _: &Node, value: Option<BigInt>) -> Outcome<Self> {
        Ok(value.filter(|denominator| denominator.bits() <= MAX_CONSTANT_BITS))
    }
}
