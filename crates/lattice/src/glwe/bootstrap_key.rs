//! GGSW ciphertexts of the bits of an LWE secret: the key of blind rotation, and its products with GLWE ciphertexts.

use asanoha_ring::{
    ExternalProductError, ProductKeys, Sampler, Seed, TorusGadget, TorusPolys, TorusProduct, TorusRing,
    Words, uniform_words,
};
use rayon::prelude::*;

use super::{
    GlweCiphertext, GlweSecretKey,
    accumulator::{Accumulator, Turned, turn},
};
use crate::LweSecretKey;

/// What a GGSW ciphertext is made of. Cloning shares its tables.
#[derive(Clone, Debug)]
pub struct GgswShape {
    pub(super) product: TorusProduct,
    gadget: TorusGadget,
}

impl GgswShape {
    /// GGSW ciphertexts over a ring, for masks of k = `rank` polynomials, that are multiplied with the gadget's digits.
    ///
    /// # Errors
    /// If the digits have more than 32 bits together, or the rank is out of range.
    pub fn new(ring: &TorusRing, rank: usize, gadget: TorusGadget) -> Result<Self, ExternalProductError> {
        Ok(Self { product: TorusProduct::new(ring, rank + 1, gadget)?, gadget })
    }

    /// The ring of its polynomials.
    pub fn ring(&self) -> &TorusRing {
        self.product.ring()
    }

    /// The number k of polynomials of a mask.
    pub fn rank(&self) -> usize {
        self.product.polys() - 1
    }

    /// Rows of one GGSW ciphertext: one for each polynomial of a GLWE ciphertext and each level of the gadget.
    pub fn rows(&self) -> usize {
        self.product.rows()
    }

    /// Words of the bodies of one GGSW ciphertext: N for each row.
    pub fn body_words(&self) -> usize {
        self.rows() * self.ring().ring_degree()
    }

    /// The GGSW ciphertext of one bit of a seeded key, from the bodies of its rows: the polynomials of its rows, mask and
    /// body, one row behind another.
    ///
    /// # Panics
    /// Unless there are N words for each row.
    pub(super) fn ggsw(&self, seed: &Seed, bit: usize, bodies: &[u64]) -> TorusPolys {
        let n = self.ring().ring_degree();
        assert_eq!(bodies.len(), self.body_words());
        let mut out = TorusPolys::zero(n, self.rows() * self.product.polys());
        let rows = out.words_mut().chunks_exact_mut(self.product.polys() * n).zip(bodies.chunks_exact(n));
        for (row, (words, of_row)) in rows.enumerate() {
            let (mask, body) = words.split_at_mut(self.rank() * n);
            uniform_words(seed, (bit * self.rows() + row) as u64, mask);
            body.copy_from_slice(of_row);
        }
        out
    }
}

/// A bootstrapping key as it's stored: the bodies of its GLWE ciphertexts, and the seed that the masks are expanded from.
///
/// The GGSW ciphertext of a bit m is made of GLWE ciphertexts: row i·levels + j encrypts −m·sᵢ·weightⱼ for i < k, and
/// m·weightⱼ for i = k. The mask of a row is the stream of the row's number in the whole key.
#[derive(Clone, Debug)]
pub struct SeededBootstrapKey {
    shape: GgswShape,
    seed: Seed,
    /// N words for each row of each bit.
    bodies: Words,
}

/// A bootstrapping key in the Fourier domain.
#[derive(Clone, Debug)]
pub struct BootstrapKey {
    pub(super) shape: GgswShape,
    pub(super) keys: ProductKeys,
}

impl SeededBootstrapKey {
    /// The encryption of all bits of an LWE secret under a GLWE secret. The errors are Gaussian of the given standard
    /// deviation, in parts of the torus.
    ///
    /// # Panics
    /// Unless the secret has the shape's ring and rank, and the standard deviation is in [0, 2^−12].
    pub fn generate(
        bits: &LweSecretKey,
        secret: &GlweSecretKey,
        shape: &GgswShape,
        standard_deviation: f64,
        sampler: &mut Sampler,
    ) -> Self {
        let n = shape.ring().ring_degree();
        assert_eq!((secret.ring().ring_degree(), secret.rank()), (n, shape.rank()));
        let mut sampler = sampler.branch("bootstrapping key", &[]);
        let seed = sampler.seed();
        let gadget = shape.gadget;
        let mut bodies = Words::zero(bits.dimension() * shape.body_words());
        let mut mask = Words::zero(shape.rank() * n);
        // The message is written on a page of secrets: a body is public only once it's masked.
        let mut message = Words::secret(n);
        for (number, body) in bodies.chunks_exact_mut(n).enumerate() {
            let (bit, row) = (bits.bits()[number / shape.rows()], number % shape.rows());
            let (poly, weight) = (row / gadget.levels(), gadget.weight(row % gadget.levels()));
            message.fill(0);
            if poly < shape.rank() {
                let value = (weight & bit.wrapping_neg()).wrapping_neg();
                let secret = &secret.bits()[poly * n..][..n];
                message.iter_mut().zip(secret).for_each(|(word, bit)| *word = value & bit.wrapping_neg());
            } else {
                message[0] = weight & bit.wrapping_neg();
            }
            uniform_words(&seed, number as u64, &mut mask);
            secret.mask_body(&mask, &mut message, standard_deviation, &mut sampler);
            body.copy_from_slice(&message);
        }
        Self { shape: shape.clone(), seed, bodies }
    }

    /// The number of bits.
    pub fn bits(&self) -> usize {
        self.bodies.len() / self.shape.body_words()
    }

    /// The key of these bodies, which come from a file: N words for each row of each bit.
    ///
    /// # Panics
    /// If they aren't those of whole GGSW ciphertexts.
    pub fn from_parts(shape: GgswShape, seed: Seed, bodies: &[u64]) -> Self {
        assert_eq!(bodies.len() % shape.body_words(), 0);
        let mut words = Words::zero(bodies.len());
        words.copy_from_slice(bodies);
        Self { shape, seed, bodies: words }
    }

    /// The seed of the masks, which is public.
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// The bodies: N words for each row of each bit.
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }

    /// What its GGSW ciphertexts are made of.
    pub fn shape(&self) -> &GgswShape {
        &self.shape
    }

    /// The GGSW ciphertext of one bit: the polynomials of its rows, mask and body, one row behind another.
    ///
    /// # Panics
    /// Unless there is such a bit.
    pub fn ggsw(&self, bit: usize) -> TorusPolys {
        let words = self.shape.body_words();
        self.shape.ggsw(&self.seed, bit, &self.bodies[bit * words..][..words])
    }

    /// The key in the Fourier domain, made on the threads of the current pool.
    pub fn expand(&self) -> BootstrapKey {
        let mut keys = self.shape.product.keys(self.bits());
        let all: Vec<_> = keys.iter_mut().enumerate().collect();
        all.into_par_iter().for_each(|(bit, key)| self.shape.product.transform(key, &self.ggsw(bit)));
        BootstrapKey { shape: self.shape.clone(), keys }
    }
}

impl BootstrapKey {
    /// The number of bits: the dimension of the LWE ciphertexts that are bootstrapped.
    pub fn bits(&self) -> usize {
        self.keys.count()
    }

    /// The ring of the GLWE ciphertexts.
    pub fn ring(&self) -> &TorusRing {
        self.shape.ring()
    }

    /// out + bit·input, in words of 32 bits.
    fn add_product(&self, out: &GlweCiphertext, bit: usize, input: &GlweCiphertext) -> GlweCiphertext {
        assert!(bit < self.bits());
        let product = &self.shape.product;
        let (mut out, input) = (Accumulator::rounded(out), Accumulator::rounded(input));
        product.add(out.words_mut(), input.words(), self.keys.get(bit), &mut product.memory());
        out.widened()
    }

    /// The external product: the encrypted bit of that number times the message.
    ///
    /// Noise: bit·(noise of the ciphertext), and a variance of (k + 1)·levels·N·(B² + 2)/12·σ² for digits of base B, and
    /// of (k·N/2 + 1)/(12·B^(2·levels)) if the bit is 1. The result has words of 32 bits, whose
    /// roundings add (k·N/2 + 1)·2^−64/12; and double precision adds (k·N/2 + 1)·(k + 1)·levels·N·(B² + 2)/12·2^−109·log2(N).
    ///
    /// # Panics
    /// Unless there is such a bit, and the ciphertext has the key's degree and rank.
    pub fn external_product(&self, bit: usize, ciphertext: &GlweCiphertext) -> GlweCiphertext {
        let zero = GlweCiphertext(TorusPolys::zero(ciphertext.0.ring_degree(), ciphertext.0.count()));
        self.add_product(&zero, bit, ciphertext)
    }

    /// The message of `one` where the encrypted bit is 1, and of `zero` where it's 0: zero + bit·(one − zero).
    ///
    /// # Panics
    /// As for [`BootstrapKey::external_product`].
    pub fn select(&self, bit: usize, zero: &GlweCiphertext, one: &GlweCiphertext) -> GlweCiphertext {
        let mut difference = one.clone();
        difference.sub_assign(zero);
        self.add_product(zero, bit, &difference)
    }

    /// Blind rotation: X^(−φ) times a public polynomial, where φ = b − Σ aᵢ·sᵢ is the phase modulo 2N of an LWE
    /// ciphertext under the bits of the key. `switched` is its mask and then its body, modulo 2N
    /// ([`crate::switch_modulus`]).
    ///
    /// The result starts as X^(−b)·polynomial. Bit i turns it by aᵢ if it's 1: c ← c + sᵢ·(X^aᵢ − 1)·c. Noise: that of
    /// an external product for every bit.
    ///
    /// Source: Chillotti, Gama, Georgieva, Izabachène, "TFHE: fast fully homomorphic encryption over the torus"
    /// (J. Cryptology 2020), algorithm 3.
    ///
    /// # Panics
    /// Unless `switched` has a word for each bit and one for the body, and the polynomial has the key's degree.
    pub fn blind_rotate(&self, switched: &[u64], polynomial: &[u64]) -> GlweCiphertext {
        self.blind_rotate_together(&[(switched, polynomial)]).next().expect("there's one for each job")
    }

    /// [`BootstrapKey::blind_rotate`] for each pair of a switched ciphertext and a polynomial, which go through the key
    /// together: it's read once for all.
    ///
    /// # Panics
    /// As for [`BootstrapKey::blind_rotate`].
    pub fn blind_rotate_together(
        &self,
        jobs: &[(&[u64], &[u64])],
    ) -> impl ExactSizeIterator<Item = GlweCiphertext> + use<> {
        let product = &self.shape.product;
        let mut all: Vec<_> = jobs.iter().map(|&job| Turned::new(product, self.bits(), job)).collect();
        let mut memory = product.memory();
        for bit in 0..self.bits() {
            turn(product, &mut all, bit, self.keys.get(bit), self.keys.get(bit + 1), &mut memory);
        }
        let accumulators: Vec<_> = all.into_iter().map(|turned| turned.accumulator).collect();
        accumulators.into_iter().map(|accumulator| accumulator.widened())
    }
}
