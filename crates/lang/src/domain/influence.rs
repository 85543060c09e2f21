//! What a constant that the client takes away from every value of a column does to what is computed from it.

use std::{collections::BTreeMap, convert::Infallible};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{Arg, Argument, Domain, Outcome};
use crate::{function::Function, ids::NodeId, program::Program};

/// What a constant that is taken away from a column does to a value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Influence {
    /// The value is less by so many times the constant, in every row.
    pub(crate) factor: BigRational,
    /// Whether the value depends on the column.
    pub(crate) depends: bool,
    /// Whether the constant cancels on the way to it.
    pub(crate) is_moment: bool,
    /// Whether an operation on the way to it needs the constant.
    pub(crate) needs_constant: bool,
}

impl Influence {
    /// Of an operation on others, before it's known which.
    fn of<'a>(operands: impl IntoIterator<Item = &'a Self>) -> Self {
        operands.into_iter().fold(Self::default(), |all, one| Self {
            depends: all.depends || one.depends,
            is_moment: all.is_moment || one.is_moment,
            needs_constant: all.needs_constant || one.needs_constant,
            ..all
        })
    }
}

/// What taking a constant away from a column does to every value.
pub(crate) fn influences(program: &Program, column: &str, rows: usize) -> Vec<Influence> {
    let mut domain = Influences { column, rows: BigRational::from_integer(BigInt::from(rows)) };
    let Ok(influences) = super::all(program, &mut domain).map_err(|(_, never)| match never {});
    influences
}

/// By how much the encrypted outputs are less where constants are taken away from columns.
pub fn shifts(program: &Program, centres: &BTreeMap<String, BigRational>, rows: usize) -> Vec<BigRational> {
    let mut shifts = vec![BigRational::zero(); program.outputs().len()];
    for (column, centre) in centres {
        let influences = influences(program, column, rows);
        for ((_, id), shift) in program.outputs().iter().zip(&mut shifts) {
            *shift += &influences[id.0].factor * centre;
        }
    }
    shifts
}

struct Influences<'a> {
    column: &'a str,
    rows: BigRational,
}

type Of<'v> = Arg<'v, Influence>;

/// A multiple of a value, or of its sum or mean.
fn multiple(a: Of<'_>, factor: BigRational) -> Influence {
    Influence { factor, ..Influence::of([a.value]) }
}

/// An operation that needs the constant where its operands are off by any.
fn of_all<'v>(operands: impl IntoIterator<Item = &'v Influence> + Clone) -> Influence {
    let mut influence = Influence::of(operands.clone());
    influence.needs_constant |= operands.into_iter().any(|of| !of.factor.is_zero());
    influence
}

impl Domain for Influences<'_> {
    type Value = Influence;
    type Error = Infallible;

    fn input(&mut self, _: NodeId, name: &str) -> Outcome<Self> {
        if name != self.column {
            return Ok(Influence::default());
        }
        Ok(Influence { factor: BigRational::one(), depends: true, ..Influence::default() })
    }

    fn add(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        let mut influence = Influence::of([a.value, b.value]);
        influence.factor = &a.value.factor + &b.value.factor;
        influence.is_moment |= influence.factor.is_zero() && !a.value.factor.is_zero();
        Ok(influence)
    }

    fn mul(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        Ok(of_all([a.value, b.value]))
    }

    fn scale(&mut self, _: NodeId, a: Of<'_>, k: &BigRational) -> Outcome<Self> {
        Ok(multiple(a, k * &a.value.factor))
    }

    fn offset(&mut self, _: NodeId, a: Of<'_>, _: &BigRational) -> Outcome<Self> {
        Ok(Influence { factor: a.value.factor.clone(), ..Influence::of([a.value]) })
    }

    fn power(&mut self, _: NodeId, a: Of<'_>, _: u32) -> Outcome<Self> {
        Ok(of_all([a.value]))
    }

    fn sum(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(multiple(a, &self.rows * &a.value.factor))
    }

    fn mean(&mut self, _: NodeId, a: Of<'_>) -> Outcome<Self> {
        Ok(multiple(a, a.value.factor.clone()))
    }

    fn cov(&mut self, _: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        let mut influence = Influence::of([a.value, b.value]);
        influence.is_moment |= !a.value.factor.is_zero() || !b.value.factor.is_zero();
        Ok(influence)
    }

    fn dot(&mut self, at: NodeId, a: Of<'_>, b: Of<'_>) -> Outcome<Self> {
        self.mul(at, a, b)
    }

    fn assume(&mut self, _: NodeId, a: Of<'_>, _: [&BigRational; 2]) -> Outcome<Self> {
        Ok(of_all([a.value]))
    }

    fn quantile(&mut self, _: NodeId, a: Of<'_>, _: &BigRational) -> Outcome<Self> {
        Ok(of_all([a.value]))
    }

    fn function(&mut self, _: NodeId, _: &Function, of: &[Argument<'_, Influence>]) -> Outcome<Self> {
        Ok(of_all(of.iter().filter_map(|of| of.value())))
    }
}
