//! Encoded diagonals and their evaluation.

use asanoha_ring::{Basis, Evaluation, Poly, Runs, SwitchPart, image_combinations};
use rayon::prelude::*;

use super::{DiagonalSteps, StepKeys};
use crate::{
    Decomposed, EvaluationKeys, ExtendedCiphertext, GaloisKey, Hoisted, Level, MissingKey, RlweCiphertext,
    RlweParams,
    key_switch::{automorphism, lift, mod_down, switch_sums},
};

/// The number of giant steps that are processed at once: their digits, modulo one prime, should fit the caches.
const GIANTS: usize = 4;

/// The diagonals of Σ_d diagonal_d ⊙ rot_d(v), encoded once for any number of ciphertexts.
///
/// They are encoded modulo the ciphertext primes of a level and, if images are multiplied before their mod-down, modulo
/// all special primes that keys of that level or a lower one have. They serve ciphertexts of that level and of all
/// lower ones.
#[derive(Clone, Debug)]
pub struct DiagonalSum {
    steps: DiagonalSteps,
    level: Level,
    /// For each giant step, its diagonals with the indices of their baby steps.
    giants: Vec<Vec<(usize, Runs)>>,
}

/// The slots of a diagonal for one giant step: the diagonal, repeated over all slots and rotated to the right by
/// `giant` slots.
///
/// # Panics
/// Unless the diagonal's length divides the number of slots.
pub fn diagonal_slots<V: Clone>(diagonal: &[V], giant: usize, slots: usize) -> Vec<V> {
    let length = diagonal.len();
    assert!(length > 0 && slots.is_multiple_of(length));
    (0..slots).map(|slot| diagonal[(slot + length - giant % length) % length].clone()).collect()
}

impl DiagonalSum {
    /// Encodes the diagonals on all threads. `encode(basis, g, j)` gives the polynomial of diagonal g + j rotated by g
    /// slots to the right, modulo the primes of the basis, and a value of the scheme's own, such as a norm. These
    /// values are returned, giant step after giant step.
    ///
    /// # Errors
    /// The first error of `encode`.
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`], or an offset isn't below N/2: beyond a row, two rotations would
    /// share a key and so its errors, and the noise bounds assume different ones.
    pub fn encode<T: Send, E: Send>(
        params: &RlweParams,
        steps: &DiagonalSteps,
        level: Level,
        encode: impl Fn(&Basis, usize, usize) -> Result<(Poly<Evaluation>, T), E> + Sync,
    ) -> Result<(Self, Vec<T>), E> {
        assert!(steps.largest() < params.ring_degree() / 2);
        let basis = match steps.keys() {
            StepKeys::Each => &params.q(level).join(&params.p().range(0..params.most_special(level))),
            StepKeys::Repeated => params.q(level),
        };
        let of_giant = |(g, places): &(usize, Vec<usize>)| {
            let of_baby = |&place: &usize| {
                let (poly, known) = encode(basis, *g, steps.babies()[place])?;
                Ok(((place, Runs::new(poly)), known))
            };
            places.par_iter().map(of_baby).collect::<Result<(Vec<_>, Vec<T>), E>>()
        };
        let (giants, known): (Vec<_>, Vec<Vec<T>>) =
            steps.giants().par_iter().map(of_giant).collect::<Result<_, E>>()?;
        Ok((Self { steps: steps.clone(), level, giants }, known.into_iter().flatten().collect()))
    }

    /// The rotations of the sum.
    pub fn steps(&self) -> &DiagonalSteps {
        &self.steps
    }

    /// The highest level of the ciphertexts that it can be applied to.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Bytes of the diagonals in memory.
    pub fn bytes(&self) -> usize {
        self.giants.iter().flatten().map(|(_, runs)| runs.bytes()).sum()
    }

    /// The linear combinations of the giant steps, in the form that [`asanoha_ring::image_combinations`] takes.
    fn combinations(&self) -> Vec<Vec<(usize, &Runs)>> {
        self.giants.iter().map(|terms| terms.iter().map(|(k, runs)| (*k, runs)).collect()).collect()
    }

    /// Σ_d diagonal_d ⊙ rot_d(v) for a ciphertext of two parts, divided by the primes above level `to`: with keys for all steps
    /// in one step with the last mod-down. Noise: [`DiagonalSteps::noise_growth`], divided, and a rounding's.
    ///
    /// # Errors
    /// If a key is missing, before anything is computed.
    ///
    /// # Panics
    /// If the ciphertext has three parts, or its level is above the diagonals' or below `to`.
    pub fn apply(
        &self,
        params: &RlweParams,
        ciphertext: &RlweCiphertext,
        keys: &EvaluationKeys,
        to: Level,
    ) -> Result<RlweCiphertext, MissingKey> {
        assert!(ciphertext.parts.len() == 2 && ciphertext.level() <= self.level);
        let key = |step: usize| match step {
            0 => Ok(None),
            step => keys.rotation(params, step as i64, ciphertext.level()).map(Some),
        };
        let steps = &self.steps;
        match steps.keys() {
            StepKeys::Each => {
                let babies: Vec<_> = steps.babies().iter().map(|&j| key(j)).collect::<Result<_, _>>()?;
                let giants: Vec<_> = steps.giants().iter().map(|(g, _)| key(*g)).collect::<Result<_, _>>()?;
                self.doubly_hoisted(params, ciphertext, &babies, &giants, to)
            }
            StepKeys::Repeated => {
                let [babies, giants] = steps.switches();
                let baby = key(steps.stride() * babies.min(1))?;
                let giant = key(steps.width() * giants.min(1))?;
                Ok(self.repeated(params, ciphertext, baby, giant)?.divide_to(params, to))
            }
        }
    }

    /// The sum with keys for all steps; a key of `None` belongs to the step 0, which does nothing.
    ///
    /// The baby steps' images stay modulo QP, where they are multiplied by diagonals and summed. Of every giant step's
    /// sum (b, a) only a is divided by P, to be decomposed; b is permuted modulo QP and added to one sum for all giant
    /// steps, and so is the key switch of a. That sum is divided by P.
    ///
    /// Source: Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux, "Efficient bootstrapping for approximate homomorphic
    /// encryption with non-sparse keys" (EUROCRYPT 2021).
    fn doubly_hoisted(
        &self,
        params: &RlweParams,
        ciphertext: &RlweCiphertext,
        babies: &[Option<&GaloisKey>],
        giants: &[Option<&GaloisKey>],
        to: Level,
    ) -> Result<RlweCiphertext, MissingKey> {
        let mut sums = self.baby_sums(params, ciphertext, babies)?.into_iter();
        let level = ciphertext.level();
        let parts = [(); 2].map(|()| Poly::zero(&params.level(level.0).qp));
        let mut total = ExtendedCiphertext { parts, level };
        for keys in giants.chunks(GIANTS) {
            total = add_giants(params, &total, sums.by_ref().take(keys.len()).collect(), keys)?;
        }
        if to == level {
            return Ok(total.mod_down(params));
        }
        let divider = params.special_divider(level, to);
        Ok(RlweCiphertext { parts: total.parts.iter().map(|part| divider.quotient(part)).collect() })
    }

    /// P·Σ_j diagonal_{g,j} ⊙ rot_j(v) modulo QP for every giant step g, from one decomposition.
    fn baby_sums(
        &self,
        params: &RlweParams,
        ciphertext: &RlweCiphertext,
        babies: &[Option<&GaloisKey>],
    ) -> Result<Vec<[Poly<Evaluation>; 2]>, MissingKey> {
        let level = ciphertext.level();
        let basis = &params.level(level.0).qp;
        let hoisted = Hoisted::new(params, ciphertext);
        let lifted = [Some(&hoisted.lifted), Some(&lift(params, &ciphertext.parts[1]))];
        let images: Vec<SwitchPart<'_>> = babies
            .iter()
            .map(|key| match key {
                None => Ok(SwitchPart { permutation: None, addends: lifted, product: None }),
                Some(key) => hoisted.part(params, key),
            })
            .collect::<Result<_, _>>()?;
        let digits = std::slice::from_ref(&hoisted.decomposed.digits);
        let special = [params.special(level).len(), params.most_special(self.level)];
        image_combinations(basis, special, digits, &images, &self.combinations())
            .map_err(MissingKey::unreadable)
    }

    /// The sum with one key for all baby steps and one for all giant steps: the baby steps' rotations are made one
    /// after the other, and the sum over giant steps is evaluated by Horner's scheme, from the last giant step on.
    fn repeated(
        &self,
        params: &RlweParams,
        ciphertext: &RlweCiphertext,
        baby: Option<&GaloisKey>,
        giant: Option<&GaloisKey>,
    ) -> Result<RlweCiphertext, MissingKey> {
        let (steps, basis) = (&self.steps, params.q(ciphertext.level()));
        let (mut image, mut at) = (ciphertext.clone(), 0);
        let mut rotated = Vec::new();
        for &j in steps.babies() {
            image = rotate_repeatedly(params, image, baby, (j - at) / steps.stride())?;
            rotated.push(image.clone());
            at = j;
        }
        let images: Vec<SwitchPart<'_>> = rotated
            .iter()
            .map(|image| [Some(&image.parts[0]), Some(&image.parts[1])])
            .map(|addends| SwitchPart { permutation: None, addends, product: None })
            .collect();

        let mut total = RlweCiphertext { parts: vec![Poly::zero(basis), Poly::zero(basis)] };
        let mut at = steps.giants().last().map_or(0, |(g, _)| *g);
        let combinations = self.combinations();
        for (giants, combinations) in steps.giants().chunks(GIANTS).zip(combinations.chunks(GIANTS)).rev() {
            let sums = image_combinations(basis, [0; 2], &[], &images, combinations)
                .map_err(MissingKey::unreadable)?;
            for ((g, _), parts) in giants.iter().zip(sums).rev() {
                total = rotate_repeatedly(params, total, giant, (at - g) / steps.width())?;
                total.add_assign(&RlweCiphertext { parts: parts.into() });
                at = *g;
            }
        }
        rotate_repeatedly(params, total, giant, at / steps.width())
    }
}

/// The sum so far plus the images of some sums under their giant steps, all modulo QP.
fn add_giants(
    params: &RlweParams,
    total: &ExtendedCiphertext,
    sums: Vec<[Poly<Evaluation>; 2]>,
    keys: &[Option<&GaloisKey>],
) -> Result<ExtendedCiphertext, MissingKey> {
    let level = total.level;
    // A part that is switched is divided in place: a copy modulo QP is large.
    let divided: Vec<[Poly<Evaluation>; 2]> = sums
        .into_par_iter()
        .zip(keys)
        .map(|([b, a], key)| [b, if key.is_some() { mod_down(params, a, level) } else { a }])
        .collect();
    let switched = divided.par_iter().zip(keys).filter(|(_, key)| key.is_some());
    let digits: Vec<_> = switched.map(|([_, a], _)| Decomposed::new(params, a).digits).collect();
    let mut places = 0..digits.len();
    let mut parts = Vec::new();
    for ([b, a], key) in std::iter::once((&total.parts, &None)).chain(divided.iter().zip(keys)) {
        parts.push(match key {
            None => SwitchPart { permutation: None, addends: [Some(b), Some(a)], product: None },
            Some(key) => {
                let place = places.next().expect("a decomposition for each key");
                key.part(params, [Some(b), None], place, level)?
            }
        });
    }
    Ok(switch_sums(params, level, &digits, &[parts])?.remove(0))
}

/// `times` rotations in a row with one key, which may be missing if there are none.
fn rotate_repeatedly(
    params: &RlweParams,
    ciphertext: RlweCiphertext,
    key: Option<&GaloisKey>,
    times: usize,
) -> Result<RlweCiphertext, MissingKey> {
    let rotate = |ciphertext, key| automorphism(params, &ciphertext, key);
    key.into_iter().cycle().take(times).try_fold(ciphertext, rotate)
}
