//! Operations on many ciphertexts, or on all slots.

use std::{borrow::Borrow, collections::BTreeMap};

use crate::{Encodes, Operand, Operations, Scheme, SchemeError};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Adds any number of ciphertexts.
    ///
    /// # Errors
    /// [`SchemeError::NoOperands`] if there are none; those of [`Operations::add`].
    pub fn add_many<B: Borrow<V>>(&self, values: &[B]) -> Result<V, SchemeError> {
        let (first, rest) = values.split_first().ok_or(SchemeError::NoOperands)?;
        self.state(first.borrow())?;
        rest.iter().try_fold(first.borrow().clone(), |mut sum, value| {
            self.add_assign(&mut sum, value.borrow())?;
            Ok(sum)
        })
    }

    /// Multiplies n ciphertexts, with a depth of ⌈log₂ n⌉ products.
    ///
    /// # Errors
    /// [`SchemeError::NoOperands`] if there are none; those of [`Operations::multiply`].
    pub fn multiply_many<B: Borrow<V>>(&self, values: &[B]) -> Result<V, SchemeError> {
        match values {
            [] => Err(SchemeError::NoOperands),
            [value] => {
                self.state(value.borrow())?;
                Ok(value.borrow().clone())
            }
            _ => {
                let (left, right) = values.split_at(values.len().div_ceil(2));
                self.multiply(&self.multiply_many(left)?, &self.multiply_many(right)?)
            }
        }
    }

    /// Returns aⁿ, with a depth of ⌈log₂ n⌉ and at most 2·log₂ n products.
    ///
    /// # Errors
    /// [`SchemeError::NoOperands`] for n = 0, where the result is 1 for every a; those of [`Operations::multiply`].
    pub fn power(&self, a: &V, exponent: u32) -> Result<V, SchemeError> {
        self.state(a)?;
        if exponent == 0 {
            return Err(SchemeError::NoOperands);
        }
        let mut powers = BTreeMap::from([(1, a.clone())]);
        self.reach(&mut powers, exponent)?;
        Ok(powers.remove(&exponent).expect("it was reached"))
    }

    /// Adds aⁿ to the powers of a that are known, as the product of the powers of both halves of n.
    fn reach(&self, powers: &mut BTreeMap<u32, V>, exponent: u32) -> Result<(), SchemeError> {
        if powers.contains_key(&exponent) {
            return Ok(());
        }
        let (low, high) = (exponent / 2, exponent.div_ceil(2));
        self.reach(powers, high)?;
        self.reach(powers, low)?;
        let power = if low == high {
            self.square(&powers[&low])?
        } else {
            self.multiply(&powers[&high], &powers[&low])?
        };
        powers.insert(exponent, power);
        Ok(())
    }

    /// Sums all slots into every slot. Needs the keys of [`crate::EvaluationKeysBuilder::sum_all`].
    ///
    /// # Errors
    /// [`SchemeError::NoSlots`], and those of [`Operations::trace`].
    pub fn sum_all(&self, a: &V) -> Result<V, SchemeError> {
        let row = self.row()? as usize;
        let sum = self.sum(a, row)?;
        if self.params().slots() == row {
            return Ok(sum);
        }
        self.add_exact(&sum, &self.swap_rows(&sum)?)
    }

    /// Rotates all slots to the left by k as one vector: slot j takes the value of slot j + k modulo the number of slots.
    ///
    /// This holds for slots in two rows too. There it costs a product with a plaintext, unless k is a multiple of a row. Needs
    /// the keys of [`crate::EvaluationKeysBuilder::rotate_all`].
    ///
    /// # Errors
    /// [`SchemeError::NoSlots`], and those of [`Operations::rotate`], [`Operations::swap_rows`], [`Operations::multiply_by`].
    pub fn rotate_all(&self, a: &V, rotation: i64) -> Result<V, SchemeError>
    where
        S: Encodes<i64>,
    {
        let (row, slots) = (self.row()?, self.params().slots() as i64);
        let places = rotation.rem_euclid(slots);
        let within = places % row;
        let rotated = self.rotate(a, within)?;
        if slots == row {
            return Ok(rotated);
        }
        let swapped = self.swap_rows(&rotated)?;
        let (own, other) = if places < row { (rotated, swapped) } else { (swapped, rotated) };
        if within == 0 {
            return Ok(own);
        }
        let mask = |of_own: bool| -> Vec<i64> {
            (0..slots).map(|slot| i64::from((slot % row < row - within) == of_own)).collect()
        };
        self.add(&self.multiply_by(&own, mask(true))?, &self.multiply_by(&other, mask(false))?)
    }
}
