//! Sums of rotations times plaintexts.

use asanoha_lattice::{Level, MaskedImage, MissingKey, RlweCiphertext, sums_of_masked_images};

use crate::{
    Exact, Mask, Operand, Operations, SchemeError, State, checks::same_level, not_above, same_parameters,
};

/// A term of a masked sum: a rotation of a source, multiplied by a mask.
#[derive(Clone, Copy, Debug)]
pub struct MaskedRotation<'m, S: Exact> {
    /// The index of the source.
    pub source: usize,
    /// The rotation to the left, in slots.
    pub rotation: i64,
    /// The mask that multiplies the rotated source.
    pub mask: &'m Mask<S>,
}

impl<S: Exact, V: Operand<S>> Operations<S, V> {
    /// Sums rotations of ciphertexts multiplied by masks, at the ciphertexts' level or a lower one.
    ///
    /// Decomposes every source once, and forms each sum before the mod-down, which divides by the primes above the level too.
    ///
    /// Noise: that of each image times its mask's norm, added up, divided, and a rounding's.
    ///
    /// # Errors
    /// [`SchemeError::LevelMismatch`] of the sources and the masks, [`SchemeError::LevelTooHigh`],
    /// [`SchemeError::NotRelinearised`], [`SchemeError::MissingKey`], [`SchemeError::OutOfModulus`].
    ///
    /// # Panics
    /// If there are no sources or an empty sum, or sources of different messages (correction factors).
    pub fn masked_rotations(
        &self,
        sources: &[&V],
        sums: &[Vec<MaskedRotation<'_, S>>],
        level: Level,
    ) -> Result<Vec<V>, SchemeError> {
        let (scheme, row) = (self.params(), self.row()?);
        let states: Vec<&State<S>> =
            sources.iter().map(|source| self.two_parts(source)).collect::<Result<_, _>>()?;
        not_above(level, states[0].level)?;
        for state in &states {
            same_level(states[0].level, state.level)?;
            assert!(states[0].message == state.message, "sources have one message");
        }
        for term in sums.iter().flatten() {
            same_parameters(scheme, term.mask.scheme())?;
            same_level(states[0].level, term.mask.level())?;
        }
        let foreseen = sums.iter().map(|sum| self.masked_sum(&states, sum, row, level));
        let foreseen = foreseen.collect::<Result<Vec<_>, _>>()?;
        V::produce_many(&self.means, sources, foreseen, |sources, keys| {
            let sources: Vec<&RlweCiphertext> = sources.iter().map(|source| &source.rlwe).collect();
            let rlwe = scheme.rlwe();
            let mut terms = Vec::with_capacity(sums.len());
            for sum in sums {
                let term = sum.iter().map(|term| {
                    let places = term.rotation.rem_euclid(row);
                    let key = (places != 0).then(|| keys.rotation(rlwe, places, states[0].level));
                    Ok(MaskedImage { source: term.source, key: key.transpose()?, mask: term.mask.image() })
                });
                terms.push(term.collect::<Result<Vec<_>, MissingKey>>()?);
            }
            Ok(sums_of_masked_images(rlwe, &sources, &terms, level)?)
        })
    }

    /// What is known of a sum.
    fn masked_sum(
        &self,
        sources: &[&State<S>],
        sum: &[MaskedRotation<'_, S>],
        row: i64,
        level: Level,
    ) -> Result<State<S>, SchemeError> {
        let (model, from) = (self.model(), sources[0]);
        let switch = model.noise(self.params().rlwe().masked_image_noise(model.lattice(), from.level));
        let term = |term: &MaskedRotation<'_, S>| {
            let source = sources[term.source].noise;
            let image = if term.rotation.rem_euclid(row) == 0 { source } else { source + switch };
            self.params().plain_product(&from.with_noise(image), &term.mask.norm()).noise
        };
        let extended = model.check(from.with_noise(sum.iter().map(term).sum()))?;
        if level == from.level {
            return model.check(extended.with_noise(extended.noise + model.rounding(2)));
        }
        model.divide_to(&extended, 2, level)
    }
}
