//! Plain numbers: what encrypted results are held against, and what counts operations.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use asanoha_ring::Modulus;
use num_bigint::BigUint;
use thiserror::Error;

use super::ExactArithmetic;

/// Plain vectors modulo t with a level that every product lowers by one.
#[derive(Debug)]
pub struct PlainArithmetic {
    modulus: Modulus,
    slots: usize,
    products: AtomicUsize,
    constant_products: AtomicUsize,
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
    /// Vectors of so many slots modulo a prime.
    pub fn new(modulus: Modulus, slots: usize) -> Self {
        Self { modulus, slots, products: AtomicUsize::new(0), constant_products: AtomicUsize::new(0) }
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

    /// How many products of two values there were: each is relinearised, and a bilinear form is one.
    pub fn products(&self) -> usize {
        self.products.load(Ordering::Relaxed)
    }

    /// How many products with constants there were.
    pub fn constant_products(&self) -> usize {
        self.constant_products.load(Ordering::Relaxed)
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

impl ExactArithmetic for PlainArithmetic {
    type Value = PlainValue;
    type Error = TooDeep;

    fn modulus(&self) -> BigUint {
        self.modulus.value().into()
    }

    fn level(&self, a: &PlainValue) -> usize {
        a.level
    }

    fn lowered<'a>(&self, a: &'a PlainValue, level: usize) -> Result<Cow<'a, PlainValue>, TooDeep> {
        if a.level <= level {
            return Ok(Cow::Borrowed(a));
        }
        Ok(Cow::Owned(PlainValue { slots: a.slots.clone(), level }))
    }

    fn constant(&self, constant: i64, level: usize) -> Result<PlainValue, TooDeep> {
        Ok(PlainValue { slots: vec![self.modulus.reduce_i64(constant); self.slots], level })
    }

    fn add(&self, a: &PlainValue, b: &PlainValue) -> Result<PlainValue, TooDeep> {
        Ok(self.zip(a, b, Modulus::add))
    }

    fn sub(&self, a: &PlainValue, b: &PlainValue) -> Result<PlainValue, TooDeep> {
        Ok(self.zip(a, b, Modulus::sub))
    }

    fn multiply(&self, a: &PlainValue, b: &PlainValue) -> Result<PlainValue, TooDeep> {
        self.products.fetch_add(1, Ordering::Relaxed);
        let product = self.zip(a, b, Modulus::mul);
        Ok(PlainValue { level: product.level.checked_sub(1).ok_or(TooDeep)?, ..product })
    }

    fn weighted_sum(&self, values: &[&PlainValue], weights: &[u64]) -> Result<PlainValue, TooDeep> {
        self.constant_products.fetch_add(weights.len(), Ordering::Relaxed);
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
        self.products.fetch_add(1, Ordering::Relaxed);
        self.constant_products.fetch_add(weights.len(), Ordering::Relaxed);
        let mut form = self.constant(0, right[0].level.checked_sub(1).ok_or(TooDeep)?)?;
        for (left, weights) in left.iter().zip(weights.chunks_exact(right.len())) {
            let product = self.zip(left, &self.sum(right, weights), Modulus::mul);
            form = self.zip(&form, &product, Modulus::add);
        }
        Ok(form)
    }
}
