//! External products in 32-bit torus words.

use std::sync::Arc;

use asanoha_kernels::{ExternalProduct, ExternalProductError, ProductScratch};
use bytemuck::{cast_slice, cast_slice_mut};

use super::{TorusGadget, TorusPolys, TorusRing};
use crate::Words;

/// The product of GLWE ciphertexts of `polys` = k + 1 polynomials of 32-bit torus words, one behind another, with GGSW
/// ciphertexts of 64-bit words: its tables and its kernels. Cloning shares them.
///
/// A word of 32 bits is enough where an error of 2^−33 of the torus at each product is far below the key's.
#[derive(Clone, Debug)]
pub struct TorusProduct(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ring: TorusRing,
    shape: ExternalProduct,
}

/// GGSW ciphertexts in the Fourier domain, in the order in which they're read.
#[derive(Clone, Debug)]
pub struct ProductKeys {
    words: Words,
    each: usize,
}

impl ProductKeys {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.words.len() / self.each
    }

    /// The words of one of them; none, if there's no such one.
    pub fn get(&self, number: usize) -> &[f64] {
        cast_slice(self.words.chunks_exact(self.each).nth(number).unwrap_or_default())
    }

    /// The words of all, each with its own.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [f64]> {
        self.words.chunks_exact_mut(self.each).map(cast_slice_mut)
    }
}

/// The memory that products work in.
#[derive(Debug)]
pub struct ProductMemory {
    words: Words,
    spectra: Words,
}

impl ProductMemory {
    fn scratch(&mut self) -> ProductScratch<'_> {
        ProductScratch { words: cast_slice_mut(&mut self.words), spectra: cast_slice_mut(&mut self.spectra) }
    }
}

impl TorusProduct {
    /// Products of ciphertexts of `polys` polynomials, cut into the gadget's digits.
    ///
    /// # Errors
    /// If there are too many polynomials, or the digits have more than 32 bits together.
    pub fn new(ring: &TorusRing, polys: usize, gadget: TorusGadget) -> Result<Self, ExternalProductError> {
        let shape =
            ExternalProduct::new(ring.ring_degree(), polys, gadget.digit_bits(), gadget.levels() as u32)?;
        Ok(Self(Arc::new(Inner { ring: ring.clone(), shape })))
    }

    /// The ring.
    pub fn ring(&self) -> &TorusRing {
        &self.0.ring
    }

    /// The polynomials k + 1 of a ciphertext.
    pub fn polys(&self) -> usize {
        self.0.shape.polys()
    }

    /// The digits of a word.
    pub fn levels(&self) -> usize {
        self.0.shape.levels()
    }

    /// The GLWE ciphertexts of a GGSW ciphertext: one for each digit of each polynomial.
    pub fn rows(&self) -> usize {
        self.0.shape.rows()
    }

    /// Memory for GGSW ciphertexts.
    pub fn keys(&self, count: usize) -> ProductKeys {
        let each = self.0.shape.key_words();
        ProductKeys { words: Words::zero(each * count), each }
    }

    /// Memory for products.
    pub fn memory(&self) -> ProductMemory {
        let shape = &self.0.shape;
        ProductMemory {
            words: Words::zero(shape.ciphertext_words().div_ceil(2)),
            spectra: Words::zero(shape.spectra_words()),
        }
    }

    /// Writes the Fourier form of a GGSW ciphertext, given by the polynomials of its rows, one row behind another. The row for
    /// digit `level` of polynomial p has the number p·levels + `level`.
    ///
    /// # Panics
    /// Unless it has all rows, and the key is one of [`TorusProduct::keys`].
    pub fn transform(&self, key: &mut [f64], ggsw: &TorusPolys) {
        let shape = &self.0.shape;
        assert_eq!(ggsw.count(), shape.rows() * shape.polys());
        let mut fourier = Words::zero(shape.ring_degree());
        for (number, poly) in ggsw.iter().enumerate() {
            let fourier: &mut [f64] = cast_slice_mut(&mut fourier);
            (self.0.ring.kernels().fft_forward)(fourier, cast_slice(poly), self.0.ring.table());
            shape.write_key(key, number / shape.polys(), number % shape.polys(), fourier);
        }
    }

    /// out ← out + m·input for the message m of a GGSW ciphertext.
    ///
    /// # Panics
    /// Unless the ciphertexts and the key have the product's lengths.
    pub fn add(&self, out: &mut [u32], input: &[u32], key: &[f64], memory: &mut ProductMemory) {
        (self.0.ring.kernels().external_product)(out, input, key, &mut memory.scratch(), &self.0.shape);
    }

    /// acc ← acc + m·(X^`exponent` − 1)·acc for the message m of a GGSW ciphertext; while that's done `next` is fetched,
    /// which is read next. The exponent is public.
    ///
    /// # Panics
    /// Unless the ciphertext and the key have the product's lengths.
    pub fn rotate(
        &self,
        acc: &mut [u32],
        exponent: usize,
        key: &[f64],
        next: &[f64],
        memory: &mut ProductMemory,
    ) {
        (self.0.ring.kernels().rotate)(acc, exponent, key, next, &mut memory.scratch(), &self.0.shape);
    }
}
