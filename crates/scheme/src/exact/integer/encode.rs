//! Numbers to plaintext polynomials and back.

use std::hint::select_unpredictable;

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use rayon::prelude::*;

use super::{PlainPoly, PlaintextError, PlaintextSpace};

/// Values that one thread takes at a time.
pub(super) const VALUES: usize = 1 << 10;

impl PlaintextSpace {
    /// Encodes numbers in (−t/2, t/2], missing ones as zero: slots, the first row first, or coefficients.
    ///
    /// # Errors
    /// [`PlaintextError::TooManyValues`], [`PlaintextError::ValueOutOfRange`].
    pub fn encode(&self, values: &[BigInt]) -> Result<PlainPoly, PlaintextError> {
        let (smallest, largest) = (self.smallest_value(), self.largest_value());
        let outside = values.iter().position(|value| *value < smallest || *value > largest);
        self.check(values.len(), outside.map(|at| (at, values[at].clone())), || (smallest, largest))?;
        Ok(self.encode_rows(values, |value| self.0.modulus.row(value)))
    }

    /// Encodes numbers in [0, t); see [`PlaintextSpace::encode`].
    ///
    /// # Errors
    /// [`PlaintextError::TooManyValues`], [`PlaintextError::ValueOutOfRange`].
    pub fn encode_unsigned(&self, values: &[BigUint]) -> Result<PlainPoly, PlaintextError> {
        let outside = values.iter().position(|value| value >= self.modulus());
        let range = || (BigInt::ZERO, BigInt::from(self.modulus() - 1u32));
        self.check(values.len(), outside.map(|at| (at, values[at].clone().into())), range)?;
        Ok(self.encode_rows(values, |value| self.0.modulus.row(&value.clone().into())))
    }

    /// Encodes words in (−t/2, t/2]; see [`PlaintextSpace::encode`].
    ///
    /// # Errors
    /// [`PlaintextError::TooManyValues`], [`PlaintextError::ValueOutOfRange`].
    pub fn encode_words(&self, values: &[i64]) -> Result<PlainPoly, PlaintextError> {
        let (smallest, largest) = (self.smallest_value(), self.largest_value());
        // Bounds beyond a word hold all words.
        let least = smallest.to_i64().unwrap_or(i64::MIN);
        let greatest = largest.to_i64().unwrap_or(i64::MAX);
        let outside = values.iter().position(|value| !(least..=greatest).contains(value));
        self.check(values.len(), outside.map(|at| (at, values[at].into())), || (smallest, largest))?;
        Ok(match self.modulus().to_u64() {
            // t is added to negative words: all ones where the sign bit is set.
            Some(t) => {
                self.encode_rows(values, |&value| [(value as u64).wrapping_add(t & (value >> 63) as u64)])
            }
            None => self.encode_rows(values, |&value| self.0.modulus.row(&value.into())),
        })
    }

    /// The plaintext of one number, modulo t: the constant polynomial, which holds it in all slots.
    pub fn constant(&self, value: &BigInt) -> PlainPoly {
        let row = self.0.modulus.row(value);
        let mut rows = vec![0; self.ring_degree() * row.len()];
        rows[..row.len()].copy_from_slice(&row);
        PlainPoly { rows }
    }

    /// The numbers of a plaintext in (−t/2, t/2].
    pub fn decode(&self, plain: PlainPoly) -> Vec<BigInt> {
        self.decode_rows(plain, |row| self.0.modulus.centred(row))
    }

    /// The numbers of a plaintext in [0, t).
    pub fn decode_unsigned(&self, plain: PlainPoly) -> Vec<BigUint> {
        self.decode_rows(plain, |row| self.0.modulus.integer(row))
    }

    /// The numbers of a plaintext in (−t/2, t/2] as words; `None` for t of more than 64 bits.
    pub fn decode_words(&self, plain: PlainPoly) -> Option<Vec<i64>> {
        let t = self.modulus().to_u64()?;
        // The centred value is below 2^63 in size: t is taken off residues in the upper half.
        // Without a branch, as values are secret.
        let centred = |word: u64| select_unpredictable(word > t / 2, word.wrapping_sub(t), word) as i64;
        Some(self.decode_rows(plain, |row| centred(row[0])))
    }

    fn check(
        &self,
        count: usize,
        outside: Option<(usize, BigInt)>,
        range: impl FnOnce() -> (BigInt, BigInt),
    ) -> Result<(), PlaintextError> {
        if count > self.values() {
            return Err(PlaintextError::TooManyValues { found: count, values: self.values() });
        }
        outside.map_or(Ok(()), |(index, value)| {
            let (smallest, largest) = range();
            Err(PlaintextError::ValueOutOfRange { index, value, smallest, largest })
        })
    }

    fn encode_rows<V: Sync, R: AsRef<[u64]>>(&self, values: &[V], row: impl Fn(&V) -> R + Sync) -> PlainPoly {
        let limbs = self.0.modulus.limbs();
        let mut rows = vec![0; self.values() * limbs];
        rows.par_chunks_mut(VALUES * limbs).zip(values.par_chunks(VALUES)).for_each(|(rows, values)| {
            rows.chunks_exact_mut(limbs).zip(values).for_each(|(out, value)| {
                out.copy_from_slice(row(value).as_ref());
            });
        });
        match &self.0.slots {
            Some(slots) => PlainPoly { rows: slots.encode(&rows) },
            None => PlainPoly { rows },
        }
    }

    fn decode_rows<V: Send>(&self, plain: PlainPoly, value: impl Fn(&[u64]) -> V + Send + Sync) -> Vec<V> {
        match &self.0.slots {
            Some(slots) => slots.decode(plain.rows, value),
            None => {
                plain.rows.par_chunks_exact(self.0.modulus.limbs()).with_min_len(VALUES).map(value).collect()
            }
        }
    }
}
