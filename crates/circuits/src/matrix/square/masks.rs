//! The masks that choose the columns of φᵏ's two rotations.

use std::{borrow::Cow, sync::OnceLock};

use asanoha_lattice::Level;
use asanoha_scheme::{Exact, ExactPlaintext, Mask, MaskEncoder, Plaintext, SchemeError};
use rayon::prelude::*;

use super::{Keep, SquarePacking};

/// For each k from 1 on the masks of the rotations by (k − d)·m and by k·m.
#[derive(Clone, Debug)]
pub(super) struct Masks<S: Exact> {
    pairs: Vec<[Mask<S>; 2]>,
    /// The same for whole ciphertexts, where masks are kept.
    plaintexts: Vec<OnceLock<[ExactPlaintext<S>; 2]>>,
    keep: Keep,
}

impl<S: Exact> Masks<S> {
    /// The masks for ciphertexts of a level.
    pub(super) fn new(
        scheme: &S,
        packing: &SquarePacking,
        level: Level,
        keep: Keep,
    ) -> Result<Self, SchemeError> {
        let encoder = MaskEncoder::new(scheme, packing.mask(0, true).len())?;
        let encode = |k: usize| {
            let mask = |first| encoder.encode(&packing.mask(k, first), level);
            Ok::<_, SchemeError>([mask(false)?, mask(true)?])
        };
        let pairs: Vec<_> = (1..packing.side()).into_par_iter().map(encode).collect::<Result<_, _>>()?;
        Ok(Self { plaintexts: vec![OnceLock::new(); pairs.len()], pairs, keep })
    }

    /// The same, kept or not.
    pub(super) fn keeping(&self, keep: Keep) -> Self {
        Self { keep, ..self.clone() }
    }

    /// Encodes all now, if they're kept.
    pub(super) fn prepare(&self, lazy: bool) {
        if self.keep == Keep::Stored {
            (1..=self.pairs.len()).into_par_iter().for_each(|k| {
                if lazy {
                    self.pairs[k - 1].iter().for_each(Mask::prepare);
                } else {
                    self.plaintexts(k).iter().for_each(|plaintext| _ = plaintext.factor());
                }
            });
        }
    }

    /// The masks of k.
    pub(super) fn of(&self, k: usize) -> Cow<'_, [Mask<S>; 2]> {
        let masks = &self.pairs[k - 1];
        match self.keep {
            Keep::Stored => Cow::Borrowed(masks),
            // The copy keeps what is encoded, and not these, which are never used.
            Keep::Recomputed => Cow::Owned(masks.clone()),
        }
    }

    /// The masks of k as plaintexts.
    pub(super) fn plaintexts(&self, k: usize) -> Cow<'_, [ExactPlaintext<S>; 2]> {
        let encode = || self.pairs[k - 1].each_ref().map(Mask::plaintext);
        match self.keep {
            Keep::Stored => Cow::Borrowed(self.plaintexts[k - 1].get_or_init(encode)),
            Keep::Recomputed => Cow::Owned(encode()),
        }
    }
}
