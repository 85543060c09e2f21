//! Rotations, and the automorphism that swaps the rows or conjugates.

use asanoha_lattice::{EvaluationKeys, GaloisKey, MissingKey, automorphism, automorphisms};
use asanoha_ring::GaloisElement;

use crate::{Ciphertext, Operand, Operations, Scheme, SchemeError};

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Rotates each row of slots to the left by k: slot j takes the value of slot j + k modulo the row's length.
    ///
    /// Negative k rotate to the right. Multiples of the row's length need no key and cost nothing. In CKKS all slots are one
    /// row.
    ///
    /// Noise: adds that of one key switch.
    ///
    /// # Errors
    /// [`SchemeError::NoSlots`], [`SchemeError::MissingKey`], [`SchemeError::NotRelinearised`],
    /// [`SchemeError::OutOfModulus`].
    pub fn rotate(&self, a: &V, rotation: i64) -> Result<V, SchemeError> {
        match rotation.rem_euclid(self.row()?) {
            0 => self.two_parts(a).map(|_| a.clone()),
            places => self.automorphism(a, |keys, a| keys.rotation(a.scheme().rlwe(), places, a.level())),
        }
    }

    /// Rotates one ciphertext by several amounts and decomposes it only once ("hoisting"). Each result, its noise and its
    /// errors equal those of [`Operations::rotate`] bit by bit.
    pub fn rotate_many(&self, a: &V, rotations: &[i64]) -> Result<Vec<V>, SchemeError> {
        let (state, row) = (self.two_parts(a)?, self.row()?);
        let places = || rotations.iter().map(|rotation| rotation.rem_euclid(row));
        let moved: Vec<i64> = places().filter(|&places| places != 0).collect();
        if moved.is_empty() {
            return Ok(vec![a.clone(); rotations.len()]);
        }
        let states = vec![self.model().key_switch(state)?; moved.len()];
        let mut images = V::produce_many(&self.means, &[a], states, |a, keys| {
            let rlwe = self.params().rlwe();
            let key = |&places: &i64| keys.rotation(rlwe, places, a[0].level());
            let keys: Vec<&GaloisKey> = moved.iter().map(key).collect::<Result<_, _>>()?;
            Ok(automorphisms(rlwe, &a[0].rlwe, &keys)?)
        })?
        .into_iter();
        let rotated = places().map(|places| match places {
            0 => a.clone(),
            _ => images.next().expect("one for each rotation"),
        });
        Ok(rotated.collect())
    }

    /// Swaps the two rows of slots, if there are two; in CKKS returns the complex conjugates of the slots.
    ///
    /// Noise: adds that of one key switch.
    ///
    /// # Errors
    /// [`SchemeError::NoSlots`], [`SchemeError::MissingKey`], [`SchemeError::NotRelinearised`],
    /// [`SchemeError::OutOfModulus`].
    pub fn swap_rows(&self, a: &V) -> Result<V, SchemeError> {
        match self.params().row_swap().ok_or(SchemeError::NoSlots)? {
            GaloisElement(1) => self.two_parts(a).map(|_| a.clone()),
            _ => self.automorphism(a, |keys, a| keys.conjugation(a.scheme().rlwe(), a.level())),
        }
    }

    fn automorphism(
        &self,
        a: &V,
        key: impl for<'k> FnOnce(&'k EvaluationKeys, &Ciphertext<S>) -> Result<&'k GaloisKey, MissingKey>,
    ) -> Result<V, SchemeError> {
        let state = self.model().key_switch(self.two_parts(a)?)?;
        V::produce(&self.means, &[a], state, |a, keys| {
            Ok(automorphism(self.params().rlwe(), &a[0].rlwe, key(keys, a[0])?)?)
        })
    }

    /// Returns the length of a row of slots.
    pub(super) fn row(&self) -> Result<i64, SchemeError> {
        Ok(self.params().row_slots().ok_or(SchemeError::NoSlots)? as i64)
    }
}
