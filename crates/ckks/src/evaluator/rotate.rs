//! Rotations and the conjugation.

use asanoha_lattice::{GaloisKey, Trace};

use super::Evaluator;
use crate::{CkksCiphertext, CkksError};

impl Evaluator {
    /// Slots rotated by so many places to the left; negative rotations go to the right.
    ///
    /// # Errors
    /// [`CkksError::MissingKey`], [`CkksError::NotRelinearised`], [`CkksError::OutOfModulus`].
    pub fn rotate(&self, a: &CkksCiphertext, rotation: i64) -> Result<CkksCiphertext, CkksError> {
        self.two_parts(a)?;
        match self.rotation_key(rotation)? {
            None => Ok(a.clone()),
            Some(key) => self.automorphism(a, key),
        }
    }

    /// The ciphertext rotated by each of the given places: the same as one [`Evaluator::rotate`] each, but the
    /// ciphertext is decomposed once for all ("hoisting").
    ///
    /// # Errors
    /// Those of [`Evaluator::rotate`].
    pub fn rotate_many(
        &self,
        a: &CkksCiphertext,
        rotations: &[i64],
    ) -> Result<Vec<CkksCiphertext>, CkksError> {
        let state = self.two_parts(a)?;
        let keys =
            rotations.iter().map(|&rotation| self.rotation_key(rotation)).collect::<Result<Vec<_>, _>>()?;
        if keys.iter().all(Option::is_none) {
            return Ok(vec![a.clone(); rotations.len()]);
        }
        let state = self.noise.key_switch(state)?;
        let present: Vec<&GaloisKey> = keys.iter().flatten().copied().collect();
        let mut images = self.params.rlwe().automorphisms(&a.rlwe, &present)?.into_iter();
        let rotated = keys.iter().map(|key| match key {
            None => a.clone(),
            Some(_) => self.with_state(images.next().expect("one for each key"), state),
        });
        Ok(rotated.collect())
    }

    /// The sum of a ciphertext's images under many rotations and conjugations, in stages.
    ///
    /// Noise: at every stage the noises add up, and its key switches' noise is added, which is less than one's for
    /// each image where the mod-down is lazy.
    ///
    /// # Errors
    /// [`CkksError::MissingKey`], [`CkksError::NotRelinearised`], [`CkksError::OutOfModulus`].
    pub fn trace(&self, a: &CkksCiphertext, trace: &Trace) -> Result<CkksCiphertext, CkksError> {
        let rlwe = self.params.rlwe();
        let state = self.noise.trace(self.two_parts(a)?, trace)?;
        Ok(self.with_state(rlwe.trace(&a.rlwe, trace, &self.keys)?, state))
    }

    /// The complex conjugates of the slots.
    ///
    /// # Errors
    /// [`CkksError::MissingKey`], [`CkksError::NotRelinearised`], [`CkksError::OutOfModulus`].
    pub fn conjugate(&self, a: &CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        self.two_parts(a)?;
        self.automorphism(a, self.keys.conjugation(self.params.rlwe())?)
    }

    fn automorphism(&self, a: &CkksCiphertext, key: &GaloisKey) -> Result<CkksCiphertext, CkksError> {
        let state = self.noise.key_switch(self.state(a)?)?;
        Ok(self.with_state(self.params.rlwe().automorphism(&a.rlwe, key)?, state))
    }

    /// The key of a rotation; `None` for rotations by a multiple of the slots, which do nothing.
    fn rotation_key(&self, rotation: i64) -> Result<Option<&GaloisKey>, CkksError> {
        if rotation.rem_euclid(self.params.slots() as i64) == 0 {
            return Ok(None);
        }
        Ok(Some(self.keys.rotation(self.params.rlwe(), rotation)?))
    }
}
