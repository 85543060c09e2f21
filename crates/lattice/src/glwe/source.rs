//! Blind rotations with a bootstrapping key that never stands in memory as a whole.

use std::{io, sync::Arc};

use asanoha_ring::{Seed, TorusPolys};
use rayon::prelude::*;

use super::{
    GgswShape, GlweCiphertext, SeededBootstrapKey,
    accumulator::{Turned, turn},
};
use crate::StoredFile;

/// Where the GGSW ciphertexts of a bootstrapping key are found, one after another.
pub trait GgswSource {
    /// What they are made of.
    fn shape(&self) -> &GgswShape;

    /// How many there are: the dimension of the LWE ciphertexts that are bootstrapped.
    fn bits(&self) -> usize;

    /// The GGSW ciphertext of one bit: the polynomials of its rows, mask and body, one row behind another.
    ///
    /// # Errors
    /// If it can't be read, or isn't what it was when the key was opened.
    ///
    /// # Panics
    /// Unless there is such a bit.
    fn ggsw(&self, bit: usize) -> io::Result<TorusPolys>;
}

impl GgswSource for SeededBootstrapKey {
    fn shape(&self) -> &GgswShape {
        self.shape()
    }

    fn bits(&self) -> usize {
        self.bits()
    }

    fn ggsw(&self, bit: usize) -> io::Result<TorusPolys> {
        Ok(self.ggsw(bit))
    }
}

/// A seeded bootstrapping key that stays in its file.
#[derive(Clone, Debug)]
pub struct StoredBootstrapKey {
    shape: GgswShape,
    seed: Seed,
    bits: usize,
    file: Arc<StoredFile>,
    /// The position of the bodies in the file's body.
    start: usize,
}

impl StoredBootstrapKey {
    /// The key of `bits` bits whose bodies are the tensor of that name, one row of it for each bit: N words for each row of
    /// the GGSW ciphertext.
    ///
    /// # Errors
    /// If the tensor is missing or has other dimensions.
    pub fn new(
        shape: GgswShape,
        seed: Seed,
        bits: usize,
        file: &Arc<StoredFile>,
        tensor: &str,
    ) -> Result<Self, crate::FileError> {
        let place = file.place(tensor, &[bits, shape.body_words()])?;
        Ok(Self { shape, seed, bits, file: Arc::clone(file), start: place.start })
    }
}

impl GgswSource for StoredBootstrapKey {
    fn shape(&self) -> &GgswShape {
        &self.shape
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn ggsw(&self, bit: usize) -> io::Result<TorusPolys> {
        assert!(bit < self.bits);
        let mut bodies = vec![0; self.shape.body_words()];
        self.file.read(self.start + bit * bodies.len(), &mut bodies)?;
        Ok(self.shape.ggsw(&self.seed, bit, &bodies))
    }
}

/// [`super::BootstrapKey::blind_rotate`] for each pair of a switched ciphertext and a polynomial, bit for bit. The key is
/// asked for one GGSW ciphertext after another, each of which turns all accumulators before the next is asked for: so its cost is
/// shared by all, and only one of them stands in memory. Accumulators are turned on the threads of the current pool.
///
/// # Errors
/// Those of the source.
///
/// # Panics
/// Unless each `switched` has a word for each bit and one for the body, and each polynomial has the key's degree.
pub fn blind_rotate_many(
    source: &impl GgswSource,
    jobs: &[(&[u64], &[u64])],
) -> io::Result<Vec<GlweCiphertext>> {
    let product = &source.shape().product;
    let mut all: Vec<_> = jobs.iter().map(|&job| Turned::new(product, source.bits(), job)).collect();
    let part = all.len().div_ceil(rayon::current_num_threads()).max(1);
    let mut memories: Vec<_> = (0..all.len().div_ceil(part)).map(|_| product.memory()).collect();
    let mut keys = product.keys(1);
    for bit in 0..source.bits() {
        let ggsw = source.ggsw(bit)?;
        keys.iter_mut().for_each(|key| product.transform(key, &ggsw));
        all.par_chunks_mut(part)
            .zip(&mut memories)
            .for_each(|(all, memory)| turn(product, all, bit, keys.get(0), &[], memory));
    }
    Ok(all.into_iter().map(|turned| turned.accumulator.widened()).collect())
}
