//! What circuits ask of those who carry them out.
//!
//! A circuit (a polynomial, a division, a table) is written over these traits, and runs on whatever has them: an
//! [`crate::Evaluator`] with ciphertexts of any scheme, a [`crate::Model`] with what is known of them, a counter of costs, or
//! plain numbers. Circuits don't plan levels: operands of an operation may have any levels and scales, and products are
//! switched or rescaled by what carries them out. Who has a schedule uses [`crate::Operations`] instead.

use std::borrow::Cow;

use asanoha_lattice::{Level, Trace};
use num_bigint::BigUint;

use crate::{Approximate, Exact, Operations, Scheme, SchemeError};

/// What values are.
pub trait Values {
    /// A ciphertext, what stands for one, or plain numbers.
    type Value: Clone + Send + Sync;
    /// What can go wrong in an operation.
    type Error: Send;

    /// The same value, whose numbers are known to be within a bound that its operands' bounds may not show.
    fn bounded(&self, a: Self::Value, _bound: f64) -> Result<Self::Value, Self::Error> {
        Ok(a)
    }
}

/// Sums and differences.
pub trait Additive: Values {
    /// a + b.
    fn add(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a − b.
    fn sub(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
}

/// Products.
pub trait Multiplicative: Values {
    /// a·b.
    fn multiply(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
}

/// Sums and products with one constant for all slots.
pub trait Constants<C>: Values {
    /// a + c.
    fn add_constant(&self, a: &Self::Value, constant: C) -> Result<Self::Value, Self::Error>;
    /// k·a.
    fn mul_constant(&self, a: &Self::Value, factor: C) -> Result<Self::Value, Self::Error>;
}

/// Levels, which products use up: they only say which of two values more can be done with, and what one is worth is the
/// scheme's to say.
pub trait Levels: Values {
    /// The level of a value.
    fn level(&self, a: &Self::Value) -> usize;
    /// The same values at a level; as they are if theirs isn't above it.
    fn lowered<'v>(&self, a: &'v Self::Value, level: usize) -> Result<Cow<'v, Self::Value>, Self::Error>;
}

/// Rotations of slots.
pub trait Rotate: Values {
    /// Each row rotated to the left.
    fn rotate(&self, a: &Self::Value, rotation: i64) -> Result<Self::Value, Self::Error>;
}

/// Sums over slots.
pub trait Sums: Values {
    /// The number of coefficients N.
    fn ring_degree(&self) -> usize;
    /// The sum of a value's images.
    fn trace(&self, a: &Self::Value, trace: &Trace) -> Result<Self::Value, Self::Error>;
}

/// Arithmetic on real numbers.
pub trait RealArithmetic: Additive + Multiplicative + Constants<f64> {}

impl<A: Additive + Multiplicative + Constants<f64>> RealArithmetic for A {}

/// Slot by slot arithmetic modulo t, in levels: every product costs one or more, and nothing else does.
pub trait ExactArithmetic: Additive + Multiplicative + Levels + Sync {
    /// The plaintext modulus t.
    fn modulus(&self) -> BigUint;
    /// A constant, taken modulo t, in every slot, which hides nothing.
    fn constant(&self, constant: i64, level: usize) -> Result<Self::Value, Self::Error>;
    /// Σ wₖ·aₖ with weights modulo t, of values of one level: costs no level.
    ///
    /// # Panics
    /// If there are no values, or not as many weights.
    fn weighted_sum(&self, values: &[&Self::Value], weights: &[u64]) -> Result<Self::Value, Self::Error>;
    /// Σⱼₖ wⱼₖ·leftⱼ·rightₖ with weights modulo t, row j after row, of values of one level: costs as many levels as one
    /// product, and one relinearisation.
    ///
    /// # Panics
    /// If there are no values, or other than left·right weights.
    fn bilinear_form(
        &self,
        left: &[&Self::Value],
        weights: &[u64],
        right: &[&Self::Value],
    ) -> Result<Self::Value, Self::Error>;
}

impl<O: Operations> Values for O {
    type Value = O::Value;
    type Error = SchemeError;

    fn bounded(&self, a: O::Value, bound: f64) -> Result<O::Value, SchemeError> {
        O::Scheme::bounded(self, a, bound)
    }
}

impl<O: Operations> Additive for O {
    fn add(&self, a: &O::Value, b: &O::Value) -> Result<O::Value, SchemeError> {
        let (a, b) = O::Scheme::meet(self, a, b)?;
        Operations::add(self, &a, &b)
    }
    fn sub(&self, a: &O::Value, b: &O::Value) -> Result<O::Value, SchemeError> {
        let (a, b) = O::Scheme::meet(self, a, b)?;
        Operations::sub(self, &a, &b)
    }
}

impl<O: Operations> Multiplicative for O {
    fn multiply(&self, a: &O::Value, b: &O::Value) -> Result<O::Value, SchemeError> {
        O::Scheme::multiply_and_settle(self, a, b)
    }
}

/// A product with a constant that isn't whole takes a level.
impl<O: Operations> Constants<f64> for O
where
    O::Scheme: Approximate,
{
    fn add_constant(&self, a: &O::Value, constant: f64) -> Result<O::Value, SchemeError> {
        Operations::add_constant(self, a, &constant.into())
    }
    fn mul_constant(&self, a: &O::Value, factor: f64) -> Result<O::Value, SchemeError> {
        if factor.fract() == 0.0 && factor.abs() <= LARGEST_UNSCALED_FACTOR {
            return Operations::mul_constant(self, a, &(factor, 1.0).into());
        }
        let scale = O::Scheme::constant_scale(self.model(), self.state_of(a))?;
        self.rescale(&Operations::mul_constant(self, a, &(factor, scale).into())?)
    }
}

/// Whole factors up to this size multiply without a scale of their own.
const LARGEST_UNSCALED_FACTOR: f64 = (1 << 20) as f64;

impl<O: Operations> Levels for O {
    fn level(&self, a: &O::Value) -> usize {
        self.state_of(a).level.0
    }
    fn lowered<'v>(&self, a: &'v O::Value, level: usize) -> Result<Cow<'v, O::Value>, SchemeError> {
        Operations::lowered(self, a, Level(level).min(self.state_of(a).level))
    }
}

impl<O: Operations> Rotate for O {
    fn rotate(&self, a: &O::Value, rotation: i64) -> Result<O::Value, SchemeError> {
        Operations::rotate(self, a, rotation)
    }
}

impl<O: Operations> Sums for O {
    fn ring_degree(&self) -> usize {
        self.model().scheme().rlwe().ring_degree()
    }
    fn trace(&self, a: &O::Value, trace: &Trace) -> Result<O::Value, SchemeError> {
        Operations::trace(self, a, trace)
    }
}

impl<O: Operations> ExactArithmetic for O
where
    O::Scheme: Exact,
{
    fn modulus(&self) -> BigUint {
        self.model().scheme().plaintext_modulus().clone()
    }
    fn constant(&self, constant: i64, level: usize) -> Result<O::Value, SchemeError> {
        Operations::constant(self, constant, Level(level))
    }
    fn weighted_sum(&self, values: &[&O::Value], weights: &[u64]) -> Result<O::Value, SchemeError> {
        Operations::weighted_sum(self, values, weights)
    }
    fn bilinear_form(
        &self,
        left: &[&O::Value],
        weights: &[u64],
        right: &[&O::Value],
    ) -> Result<O::Value, SchemeError> {
        Operations::bilinear_form(self, left, weights, right)
    }
}
