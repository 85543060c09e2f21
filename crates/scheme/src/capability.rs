//! The traits that circuits are written over.
//!
//! A circuit (a polynomial, a division, a table) is written over these traits and runs on every implementation: an
//! [`crate::Evaluator`] with ciphertexts of any scheme, a [`crate::Predictor`] with predicted states, a counter of costs, or plain
//! numbers. Circuits don't plan levels: operands may have any levels and scales, and the implementation switches or rescales
//! products. To schedule levels yourself, use the methods of [`Operations`] instead.

use std::borrow::Cow;

use asanoha_lattice::{Level, Trace};
use num_bigint::BigUint;

use crate::{Approximate, Exact, Operand, Operations, Scheme, SchemeError, State};

/// What values are.
pub trait ValueTypes {
    /// A ciphertext, its model, or plain numbers.
    type Value: Clone + Send + Sync;
    /// What can go wrong in an operation.
    type Error: Send;

    /// The same value, whose numbers are known to be within a bound that its operands' bounds may not show. Nothing checks
    /// it: the caller answers for the bound.
    fn bounded(&self, a: Self::Value, _bound: f64) -> Result<Self::Value, Self::Error> {
        Ok(a)
    }
}

/// Sums and differences.
pub trait Additive: ValueTypes {
    /// a + b.
    fn add(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// a − b.
    fn sub(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
}

/// Products.
pub trait Multiplicative: ValueTypes {
    /// a·b.
    fn multiply(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Self::Error>;
}

/// Sums and products with one real constant for all slots.
pub trait Constants: ValueTypes {
    /// a + c.
    fn add_constant(&self, a: &Self::Value, constant: f64) -> Result<Self::Value, Self::Error>;
    /// k·a.
    fn mul_constant(&self, a: &Self::Value, factor: f64) -> Result<Self::Value, Self::Error>;
}

/// Levels, which products use up: they only say which of two values more can be done with, and what one is worth is the
/// scheme's to say.
pub trait Levels: ValueTypes {
    /// The level of a value.
    fn level(&self, a: &Self::Value) -> usize;
    /// The same values at a level; as they are if theirs isn't above it.
    fn lowered<'v>(&self, a: &'v Self::Value, level: usize) -> Result<Cow<'v, Self::Value>, Self::Error>;
}

/// Sums over slots.
pub trait Sums: ValueTypes {
    /// The number of coefficients N.
    fn ring_degree(&self) -> usize;
    /// The sum of a value's images.
    fn trace(&self, a: &Self::Value, trace: &Trace) -> Result<Self::Value, Self::Error>;
}

/// Arithmetic on real numbers, whose magnitudes have bounds.
pub trait RealArithmetic: Additive + Multiplicative + Constants {
    /// Refuses a value y, which stands for the number middle + half·y of an interval, unless its bound is at most 1.
    ///
    /// # Errors
    /// One that names the numbers that the bound allows, and the interval.
    fn check_interval(&self, y: &Self::Value, middle: f64, half: f64) -> Result<(), Self::Error>;
}

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

impl<S: Scheme, V: Operand<S>> ValueTypes for Operations<S, V> {
    type Value = V;
    type Error = SchemeError;

    fn bounded(&self, mut a: V, bound: f64) -> Result<V, SchemeError> {
        let message = S::narrowed(&a.state().message, bound)?;
        let state = State { message, ..a.state().clone() };
        self.set_state(&mut a, state);
        Ok(a)
    }
}

impl<S: Scheme, V: Operand<S>> Additive for Operations<S, V> {
    fn add(&self, a: &V, b: &V) -> Result<V, SchemeError> {
        self.add(a, b)
    }
    fn sub(&self, a: &V, b: &V) -> Result<V, SchemeError> {
        self.sub(a, b)
    }
}

impl<S: Scheme, V: Operand<S>> Multiplicative for Operations<S, V> {
    fn multiply(&self, a: &V, b: &V) -> Result<V, SchemeError> {
        self.multiply_settled(a, b)
    }
}

/// A product with a constant that isn't whole takes a level.
impl<S: Approximate, V: Operand<S>> Constants for Operations<S, V> {
    fn add_constant(&self, a: &V, constant: f64) -> Result<V, SchemeError> {
        self.add_constant(a, constant)
    }
    fn mul_constant(&self, a: &V, factor: f64) -> Result<V, SchemeError> {
        self.mul_constant(a, factor)
    }
}

impl<S: Approximate, V: Operand<S>> RealArithmetic for Operations<S, V> {
    fn check_interval(&self, y: &V, middle: f64, half: f64) -> Result<(), SchemeError> {
        let bound = y.state().bound();
        let is_within = bound <= 1.0;
        if is_within {
            return Ok(());
        }
        let ends = |half: f64| (middle - half, middle + half);
        Err(SchemeError::OutsideInterval { allowed: ends(bound * half), interval: ends(half) })
    }
}

impl<S: Scheme, V: Operand<S>> Levels for Operations<S, V> {
    fn level(&self, a: &V) -> usize {
        a.state().level.0
    }
    fn lowered<'v>(&self, a: &'v V, level: usize) -> Result<Cow<'v, V>, SchemeError> {
        self.lowered(a, Level(level).min(a.state().level))
    }
}

impl<S: Scheme, V: Operand<S>> Sums for Operations<S, V> {
    fn ring_degree(&self) -> usize {
        self.params().rlwe().ring_degree()
    }
    fn trace(&self, a: &V, trace: &Trace) -> Result<V, SchemeError> {
        self.trace(a, trace)
    }
}

impl<S: Exact, V: Operand<S>> ExactArithmetic for Operations<S, V> {
    fn modulus(&self) -> BigUint {
        self.params().plaintext_modulus().clone()
    }
    fn constant(&self, constant: i64, level: usize) -> Result<V, SchemeError> {
        self.constant(constant, Level(level))
    }
    fn weighted_sum(&self, values: &[&V], weights: &[u64]) -> Result<V, SchemeError> {
        self.weighted_sum(values, weights)
    }
    fn bilinear_form(&self, left: &[&V], weights: &[u64], right: &[&V]) -> Result<V, SchemeError> {
        self.bilinear_form(left, weights, right)
    }
}
