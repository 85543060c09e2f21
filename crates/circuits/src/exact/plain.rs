//! Plain numbers: what encrypted results are held against.

use std::borrow::Cow;

use asanoha_ring::Modulus;
use num_bigint::BigUint;
use thiserror::Error;

use asanoha_scheme::capability::{Additive, ExactArithmetic, Levels, Multiplicative, ValueTypes};

/// Plain vectors modulo t with a level that every product lowers by one.
#[derive(Clone, Debug)]
pub struct PlainArithmetic {
    modulus: Modulus,
    slots: usize,
}

/// A plain vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainValue {
    /// Residues modulo t.
    pub slots: Vec<u64>,
    /// Products that can still follow.
    pub level: usize,
}

/// A product of values that have no level left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a product needs a level, and its operand has none left: begin at a higher level")]
pub struct TooDeep;

impl PlainArithmetic {
    /// Vectors of a number of slots modulo a prime.
    pub fn new(modulus: Modulus, slots: usize) -> Self {
        Self { modulus, slots }
    }

    /// A vector of integers, taken modulo t.
    ///
    /// # Panics
    /// If there aren't as many as slots.
    pub fn value(&self, slots: &[i64], level: usize) -> PlainValue {
        assert_eq!(slots.len(), self.slots);
        PlainValue { slots: slots.iter().map(|&slot| self.modulus.reduce_i64(slot)).collect(), level }
    }

    /// The integers in (−t/2, t/2) of a vector.
    pub fn integers(&self, value: &PlainValue) -> Vec<i64> {
        value.slots.iter().map(|&slot| self.modulus.centre(slot)).collect()
    }

    fn zip(&self, a: &PlainValue, b: &PlainValue, f: impl Fn(&Modulus, u64, u64) -> u64) -> PlainValue {
        let slots = a.slots.iter().zip(&b.slots).map(|(&a, &b)| f(&self.modulus, a, b)).collect();
        PlainValue { slots, level: a.level.min(b.level) }
    }

    fn sum(&self, values: &[&PlainValue], weights: &[u64]) -> PlainValue {
        assert!(!values.is_empty() && values.len() == weights.len());
        assert!(values.iter().all(|value| value.level == values[0].level));
        let q = &self.modulus;
        let slot = |slot: usize| {
            values
                .iter()
                .zip(weights)
                .fold(0, |sum, (value, &w)| q.add(sum, q.mul(value.slots[slot], q.reduce(w))))
        };
        PlainValue { slots: (0..self.slots).map(slot).collect(), level: values[0].level }
    }
}

impl ValueTypes for PlainArithmetic {
    type Value = PlainValue;
    type Error = TooDeep;
}

impl Additive for PlainArithmetic {
    fn add(&self, a: &PlainValue, b: &PlainValue) -> Result<PlainValue, TooDeep> {
        Ok(self.zip(a, b, Modulus::add))
    }

    fn sub(&self, a: &PlainValue, b: &PlainValue) -> Result<PlainValue, TooDeep> {
        Ok(self.zip(a, b, Modulus::sub))
    }
}

impl Multiplicative for PlainArithmetic {
    fn multiply(&self, a: &PlainValue, b: &PlainValue) -> Result<PlainValue, TooDeep> {
        let product = self.zip(a, b, Modulus::mul);
        Ok(PlainValue { level: product.level.checked_sub(1).ok_or(TooDeep)?, ..product })
    }
}

impl Levels for PlainArithmetic {
    fn level(&self, a: &PlainValue) -> usize {
        a.level
    }

    fn lowered<'a>(&self, a: &'a PlainValue, level: usize) -> Result<Cow<'a, PlainValue>, TooDeep> {
        if a.level <= level {
            return Ok(Cow::Borrowed(a));
        }
        Ok(Cow::Owned(PlainValue { slots: a.slots.clone(), level }))
    }
}

impl ExactArithmetic for PlainArithmetic {
    fn modulus(&self) -> BigUint {
        self.modulus.value().into()
    }

    fn constant(&self, constant: i64, level: usize) -> Result<PlainValue, TooDeep> {
        Ok(PlainValue { slots: vec![self.modulus.reduce_i64(constant); self.slots], level })
    }

    fn weighted_sum(&self, values: &[&PlainValue], weights: &[u64]) -> Result<PlainValue, TooDeep> {
        Ok(self.sum(values, weights))
    }

    fn bilinear_form(
        &self,
        left: &[&PlainValue],
        weights: &[u64],
        right: &[&PlainValue],
    ) -> Result<PlainValue, TooDeep> {
        assert!(!left.is_empty() && weights.len() == left.len() * right.len());
        assert!(left.iter().all(|value| value.level == right[0].level));
        let mut form = self.constant(0, right[0].level.checked_sub(1).ok_or(TooDeep)?)?;
        for (left, weights) in left.iter().zip(weights.chunks_exact(right.len())) {
            let product = self.zip(left, &self.sum(right, weights), Modulus::mul);
            form = self.zip(&form, &product, Modulus::add);
        }
        Ok(form)
    }
}
