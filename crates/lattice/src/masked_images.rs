//! Sums of images of ciphertexts times plaintexts, of which each takes one mod-down.

use asanoha_ring::{Basis, Digits, Evaluation, Poly, Runs, SwitchPart, image_combinations};
use rayon::prelude::*;

use crate::{Decomposed, GaloisKey, Level, MissingKey, RlweCiphertext, RlweParams, key_switch::lift};

/// The number of sums that are in memory before their mod-down at once: a few, so that they stay in the caches.
const SUMS: usize = 4;

/// A plaintext that images of ciphertexts of a level, or of a lower one, are multiplied with before their mod-down.
#[derive(Clone, Debug)]
pub struct ImageMask {
    runs: Runs,
    level: Level,
}

impl ImageMask {
    /// For ciphertexts up to a level: `encode` gives the polynomial modulo the primes of a basis.
    ///
    /// # Panics
    /// If the level is above [`RlweParams::max_level`].
    pub fn new(params: &RlweParams, level: Level, encode: impl FnOnce(&Basis) -> Poly<Evaluation>) -> Self {
        let basis = params.q(level).join(&params.p().range(0..params.most_special(level)));
        Self { runs: Runs::new(encode(&basis)), level }
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.runs.bytes()
    }
}

/// A term of a sum: a source's image under an automorphism, or the source itself, times a plaintext.
#[derive(Clone, Copy, Debug)]
pub struct MaskedImage<'a> {
    /// The index of the source.
    pub source: usize,
    /// The automorphism's key; `None` is the identity.
    pub key: Option<&'a GaloisKey>,
    /// The plaintext.
    pub mask: &'a ImageMask,
}

/// Sums of masked images of ciphertexts of two parts and of one level, divided by P and the primes above level `to` at
/// once. Every source is decomposed once, the masks are multiplied modulo QP, and each sum takes one mod-down.
///
/// Noise: each image has [`RlweParams::masked_image_noise`] beside its source's when it is multiplied; the sum is divided,
/// which adds a rounding.
///
/// # Errors
/// [`MissingKey::Level`], [`MissingKey::Tier`], [`MissingKey::Unreadable`].
///
/// # Panics
/// If there are no sources, one has three parts, the levels differ, a mask is of a lower level or of another than the
/// first, or `to` is above the level.
pub fn sums_of_masked_images(
    params: &RlweParams,
    sources: &[&RlweCiphertext],
    sums: &[Vec<MaskedImage<'_>>],
    to: Level,
) -> Result<Vec<RlweCiphertext>, MissingKey> {
    let level = sources[0].level();
    assert!(to <= level && sources.iter().all(|source| source.parts.len() == 2 && source.level() == level));
    let masks = || sums.iter().flatten().map(|term| term.mask.level);
    let highest = masks().next().unwrap_or(level);
    assert!(masks().all(|of_mask| of_mask == highest) && highest >= level);
    let is_long = sums.len() > SUMS;
    let digits: Vec<Digits<'_>> = sources
        .par_iter()
        .map(|source| {
            let decomposed = Decomposed::new(params, &source.parts[1]);
            if is_long { decomposed.extend(params).digits } else { decomposed.digits }
        })
        .collect();
    let lifted: Vec<[Poly<Evaluation>; 2]> =
        sources.par_iter().map(|source| [0, 1].map(|part| lift(params, &source.parts[part]))).collect();
    let basis = &params.level(level.0).qp;
    let special = [params.special(level).len(), params.most_special(highest)];
    let mut results = Vec::with_capacity(sums.len());
    for sums in sums.chunks(SUMS) {
        let mut images = Vec::new();
        let mut combinations = Vec::with_capacity(sums.len());
        for sum in sums {
            let mut combination = Vec::with_capacity(sum.len());
            for term in sum {
                let [c0, c1] = &lifted[term.source];
                combination.push((images.len(), &term.mask.runs));
                images.push(match term.key {
                    Some(key) => key.part(params, [Some(c0), None], term.source, level)?,
                    None => SwitchPart { permutation: None, addends: [Some(c0), Some(c1)], product: None },
                });
            }
            combinations.push(combination);
        }
        let sums = image_combinations(basis, special, &digits, &images, &combinations);
        let divided = sums.map_err(MissingKey::unreadable)?.into_par_iter().map(|parts| {
            let divider = if to == level {
                &params.tables(level.0).mod_down
            } else {
                params.special_divider(level, to)
            };
            RlweCiphertext { parts: parts.iter().map(|part| divider.quotient(part)).collect() }
        });
        results.par_extend(divided);
    }
    Ok(results)
}
