//! Rotations, and the automorphism that swaps the rows or conjugates.

use asanoha_lattice::{EvaluationKeys, GaloisKey, MissingKey};
use asanoha_ring::GaloisElement;

use crate::{Ciphertext, Evaluator, Model, Operand, Operations, Scheme, SchemeError, State};

impl<S: Scheme> Model<S> {
    /// A relinearisation, rotation, row swap or conjugation: one key switch's noise is added.
    ///
    /// # Errors
    /// [`SchemeError::OutOfModulus`].
    pub fn key_switch(&self, a: &State<S>) -> Result<State<S>, SchemeError> {
        let added = self.scheme().rlwe().switch_sum_noise(self.lattice(), a.level, 1);
        self.check(a.with_noise(a.noise + self.noise(added)))
    }
}

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Each row of slots rotated to the left by k: slot j takes the value of slot j + k modulo the row's length. Negative k
    /// rotate to the right; multiples of the length need no key and cost nothing. In CKKS all slots are one row.
    ///
    /// Noise: one key switch's is added.
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

    /// The two rows of slots swapped, where there are two; in CKKS the complex conjugates of the slots.
    ///
    /// Noise: one key switch's is added.
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
        V::produce(self, &[a], state, |a, keys| {
            Ok(self.params().rlwe().automorphism(&a[0].rlwe, key(keys, a[0])?)?)
        })
    }

    /// The length of a row of slots.
    fn row(&self) -> Result<i64, SchemeError> {
        Ok(self.params().row_slots().ok_or(SchemeError::NoSlots)? as i64)
    }
}

impl<S: Scheme> Evaluator<S> {
    /// Several rotations of one ciphertext, which is decomposed only once ("hoisting"). Each result is the same as that of
    /// [`Operations::rotate`], bit by bit, and so are noise and errors.
    pub fn rotate_many(
        &self,
        a: &Ciphertext<S>,
        rotations: &[i64],
    ) -> Result<Vec<Ciphertext<S>>, SchemeError> {
        let (state, row) = (self.two_parts(a)?, self.row()?);
        let rlwe = self.params().rlwe();
        let key = |&rotation: &i64| match rotation.rem_euclid(row) {
            0 => Ok(None),
            places => self.keys().rotation(rlwe, places, a.level()).map(Some),
        };
        let keys: Vec<Option<&GaloisKey>> = rotations.iter().map(key).collect::<Result<_, _>>()?;
        let present: Vec<&GaloisKey> = keys.iter().flatten().copied().collect();
        if present.is_empty() {
            return Ok(vec![a.clone(); rotations.len()]);
        }
        let state = self.model().key_switch(state)?;
        let mut images = rlwe.automorphisms(&a.rlwe, &present)?.into_iter();
        let rotated = keys.iter().map(|key| match key {
            None => a.clone(),
            Some(_) => {
                Ciphertext::new(self.params(), images.next().expect("one for each key"), state.clone())
            }
        });
        Ok(rotated.collect())
    }
}
