//! Evaluation keys by purpose.

use asanoha_lattice::{DiagonalSteps, EvaluationKeys, KeyLevels, Level, SecretKey, Trace};
use asanoha_ring::{GaloisElement, Sampler};

use super::sum_trace;
use crate::{Scheme, SchemeError, not_above};

/// A builder of evaluation keys: collects the operations that need keys, then generates them.
///
/// Keys serve ciphertexts of all levels, or only up to the level of [`EvaluationKeysBuilder::up_to`]: such keys are smaller.
#[derive(Debug)]
pub struct EvaluationKeysBuilder<'k, S: Scheme> {
    scheme: &'k S,
    secret: &'k SecretKey,
    levels: Result<KeyLevels, SchemeError>,
    level: Level,
}

impl<'k, S: Scheme> EvaluationKeysBuilder<'k, S> {
    /// Creates a builder without any keys.
    pub fn new(scheme: &'k S, secret: &'k SecretKey) -> Self {
        Self { scheme, secret, levels: Ok(KeyLevels::default()), level: scheme.max_level() }
    }

    /// Limits the keys of all later requests to ciphertexts up to a level.
    pub fn up_to(mut self, level: Level) -> Self {
        self.levels =
            self.levels.and_then(|levels| not_above(level, self.scheme.max_level()).map(|()| levels));
        self.level = level;
        self
    }

    /// Requests the keys for products of ciphertexts ([`crate::Evaluator::multiply`]).
    pub fn relinearise(mut self) -> Self {
        if let Ok(levels) = &mut self.levels {
            levels.add_relinearisations(self.scheme.rlwe(), Level(0)..=self.level);
        }
        self
    }

    /// Requests the keys for rotations to the left by the given numbers of slots.
    ///
    /// Rotations by multiples of a row need no key, and rotations that differ by a multiple of a row share a key.
    pub fn rotate(self, rotations: impl IntoIterator<Item = i64>) -> Self {
        let scheme = self.scheme;
        self.automorphisms(rotations.into_iter().map(|rotation| rotation_element(scheme, rotation)))
    }

    /// Requests the key that swaps the rows, or conjugates in CKKS.
    pub fn swap_rows(self) -> Self {
        let element = self.scheme.row_swap().ok_or(SchemeError::NoSlots);
        self.automorphisms([element])
    }

    /// Requests the keys for sums of `count` neighbouring slots ([`crate::Evaluator::sum`]).
    pub fn sum(self, count: usize) -> Self {
        match sum_trace(self.scheme, count) {
            Ok(trace) => self.trace(&trace),
            Err(error) => Self { levels: self.levels.and(Err(error)), ..self },
        }
    }

    /// Requests the keys for the sum of all slots ([`crate::Evaluator::sum_all`]).
    pub fn sum_all(self) -> Self {
        match self.scheme.row_slots() {
            Some(row) if row < self.scheme.slots() => self.sum(row).swap_rows(),
            Some(row) => self.sum(row),
            None => Self { levels: self.levels.and(Err(SchemeError::NoSlots)), ..self },
        }
    }

    /// Requests the keys for rotations of all slots as one vector ([`crate::Evaluator::rotate_all`]).
    pub fn rotate_all(self, rotations: impl IntoIterator<Item = i64>) -> Self {
        let two_rows = self.scheme.row_slots().is_some_and(|row| row < self.scheme.slots());
        let keys = self.rotate(rotations);
        if two_rows { keys.swap_rows() } else { keys }
    }

    /// Requests the keys for a trace.
    pub fn trace(self, trace: &Trace) -> Self {
        self.automorphisms(trace.elements().map(Ok).collect::<Vec<_>>())
    }

    /// Requests the keys for a linear transform.
    pub fn transform(self, steps: &DiagonalSteps) -> Self {
        self.rotate(steps.rotations())
    }

    /// Generates the keys from the operating system's randomness.
    ///
    /// # Errors
    /// A request that can't be satisfied: [`SchemeError::NoSlots`], [`SchemeError::SumLength`], [`SchemeError::LevelTooHigh`],
    /// [`SchemeError::NoKeySwitching`].
    pub fn build(self) -> Result<EvaluationKeys, SchemeError> {
        self.build_with(&mut Sampler::from_os())
    }

    /// Generates the keys from a sampler's randomness.
    ///
    /// # Errors
    /// Those of [`EvaluationKeysBuilder::build`].
    pub fn build_with(self, sampler: &mut Sampler) -> Result<EvaluationKeys, SchemeError> {
        let (rlwe, levels) = (self.scheme.rlwe(), self.levels?);
        if rlwe.literal().digits == 0 && levels.iter().len() > 0 {
            return Err(SchemeError::NoKeySwitching);
        }
        Ok(EvaluationKeys::generate_levels(rlwe, self.secret, &levels, sampler))
    }

    fn automorphisms(
        mut self,
        elements: impl IntoIterator<Item = Result<GaloisElement, SchemeError>>,
    ) -> Self {
        let (rlwe, highest) = (self.scheme.rlwe(), self.level);
        self.levels = self.levels.and_then(|mut levels| {
            for element in elements {
                let element = element?;
                (0..=highest.0).for_each(|level| levels.add_automorphism(rlwe, element, Level(level)));
            }
            Ok(levels)
        });
        self
    }
}

/// The automorphism that rotates the rows to the left, for any number of places: the identity for multiples of a row.
///
/// # Errors
/// [`SchemeError::NoSlots`].
fn rotation_element<S: Scheme>(scheme: &S, rotation: i64) -> Result<GaloisElement, SchemeError> {
    let row = scheme.row_slots().ok_or(SchemeError::NoSlots)? as i64;
    Ok(GaloisElement::rotation(scheme.rlwe().ring_degree(), rotation.rem_euclid(row)))
}
