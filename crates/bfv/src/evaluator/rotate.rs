//! Rotations of the rows and their swap.

use asanoha_lattice::{GaloisKey, Trace};
use asanoha_ring::GaloisElement;

use super::Evaluator;
use crate::{BfvCiphertext, BfvError};

impl Evaluator {
    /// Each row rotated to the left by k slots: slot j takes the value of slot j + k modulo the row's length. Negative k
    /// rotate to the right; multiples of the length need no key and cost nothing.
    ///
    /// Noise: one key switch's is added.
    ///
    /// # Errors
    /// [`BfvError::NoSlots`], [`BfvError::MissingKey`], [`BfvError::NotRelinearised`], [`BfvError::OutOfModulus`].
    pub fn rotate(&self, a: &BfvCiphertext, rotation: i64) -> Result<BfvCiphertext, BfvError> {
        self.state(a)?;
        match self.rotation_key(rotation)? {
            None => Ok(a.clone()),
            Some(key) => self.automorphism(a, key),
        }
    }

    /// Several rotations of one ciphertext, which is decomposed only once. Each result is the same as that of
    /// [`Evaluator::rotate`], bit by bit.
    ///
    /// # Errors
    /// [`BfvError::NoSlots`], [`BfvError::MissingKey`], [`BfvError::NotRelinearised`], [`BfvError::OutOfModulus`].
    pub fn rotate_many(&self, a: &BfvCiphertext, rotations: &[i64]) -> Result<Vec<BfvCiphertext>, BfvError> {
        let state = self.state(a)?;
        let keys: Vec<_> = rotations.iter().map(|&k| self.rotation_key(k)).collect::<Result<_, _>>()?;
        if keys.iter().all(Option::is_none) {
            return Ok(vec![a.clone(); rotations.len()]);
        }
        a.two_parts()?;
        let state = self.noise.key_switch(state)?;
        let present: Vec<&GaloisKey> = keys.iter().flatten().copied().collect();
        let mut images = self.params.rlwe().automorphisms(&a.rlwe, &present)?.into_iter();
        let rotated = keys.iter().map(|key| match key {
            None => a.clone(),
            Some(_) => self.with_state(images.next().expect("one for each key"), state),
        });
        Ok(rotated.collect())
    }

    /// The sum of a ciphertext's images under many rotations and row swaps, in stages.
    ///
    /// Noise: at every stage the noises add up, and its key switches' noise is added, which is less than one's for
    /// each image where the mod-down is lazy.
    ///
    /// # Errors
    /// [`BfvError::MissingKey`], [`BfvError::NotRelinearised`], [`BfvError::OutOfModulus`].
    pub fn trace(&self, a: &BfvCiphertext, trace: &Trace) -> Result<BfvCiphertext, BfvError> {
        a.two_parts()?;
        let rlwe = self.params.rlwe();
        let state = self.noise.trace(self.state(a)?, trace)?;
        Ok(self.with_state(rlwe.trace(&a.rlwe, trace, &self.keys)?, state))
    }

    /// The two rows swapped.
    ///
    /// Noise: one key switch's is added.
    ///
    /// # Errors
    /// [`BfvError::NoSlots`], [`BfvError::MissingKey`], [`BfvError::NotRelinearised`], [`BfvError::OutOfModulus`].
    pub fn swap_rows(&self, a: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        self.state(a)?;
        if self.params.row_swap().ok_or(BfvError::NoSlots)? == GaloisElement(1) {
            return Ok(a.clone());
        }
        self.automorphism(a, self.keys.conjugation(self.params.rlwe())?)
    }

    /// The key of a rotation, `None` for the one that does nothing.
    fn rotation_key(&self, rotation: i64) -> Result<Option<&GaloisKey>, BfvError> {
        let row = self.params.row_slots().ok_or(BfvError::NoSlots)?;
        match rotation.rem_euclid(row as i64) {
            0 => Ok(None),
            places => Ok(Some(self.keys.rotation(self.params.rlwe(), places)?)),
        }
    }

    fn automorphism(&self, a: &BfvCiphertext, key: &GaloisKey) -> Result<BfvCiphertext, BfvError> {
        a.two_parts()?;
        let state = self.noise.key_switch(self.state(a)?)?;
        Ok(self.with_state(self.params.rlwe().automorphism(&a.rlwe, key)?, state))
    }
}
