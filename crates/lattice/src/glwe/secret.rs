//! GLWE secret keys: encryption and decryption.

use asanoha_ring::{Sampler, SmallPoly, TorusPolys, TorusRing, Words, uniform_words};

use super::GlweCiphertext;
use crate::LweSecretKey;

/// k uniform binary polynomials, in the memory of secrets. `Debug` doesn't show them.
pub struct GlweSecretKey {
    ring: TorusRing,
    /// The coefficients of all polynomials, each bit in a word of its own.
    bits: Words,
    polys: Vec<SmallPoly>,
}

impl std::fmt::Debug for GlweSecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GlweSecretKey(..)")
    }
}

impl GlweSecretKey {
    /// A fresh secret of k = `rank` polynomials.
    pub fn generate(ring: &TorusRing, rank: usize, sampler: &mut Sampler) -> Self {
        let n = ring.ring_degree();
        // As many bytes on every processor.
        let parts = [n, rank].map(|number| (number as u64).to_le_bytes());
        Self::from_bits(ring, sampler.branch("GLWE secret key", &[&parts[0], &parts[1]]).binary(rank * n))
    }

    /// The secret of these coefficients, each a word 0 or 1 in the memory of secrets.
    ///
    /// # Panics
    /// Unless they are those of whole polynomials.
    pub fn from_bits(ring: &TorusRing, bits: Words) -> Self {
        let n = ring.ring_degree();
        assert_eq!(bits.len() % n, 0);
        let polys = bits.chunks_exact(n).map(|bits| ring.binary(bits)).collect();
        Self { ring: ring.clone(), bits, polys }
    }

    /// The ring.
    pub fn ring(&self) -> &TorusRing {
        &self.ring
    }

    /// The number of polynomials k.
    pub fn rank(&self) -> usize {
        self.polys.len()
    }

    /// The coefficients of all polynomials, each bit in a word of its own. Secret.
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// The LWE secret of k·N bits under which coefficients of ciphertexts are LWE ciphertexts.
    pub fn to_lwe(&self) -> LweSecretKey {
        LweSecretKey::from_bits(self.bits.clone())
    }

    /// A ciphertext of N torus words. The errors are Gaussian of the given standard deviation, in parts of the torus.
    ///
    /// # Panics
    /// Unless there are N words, and the standard deviation is in [0, 2^−12].
    pub fn encrypt(&self, message: &[u64], standard_deviation: f64, sampler: &mut Sampler) -> GlweCiphertext {
        let n = self.ring.ring_degree();
        let mut polys = TorusPolys::zero(n, self.rank() + 1);
        let (mask, body) = polys.words_mut().split_at_mut(self.rank() * n);
        uniform_words(&sampler.seed(), 0, mask);
        // Public memory gets it only once it's masked.
        let mut masked = Words::secret(n);
        masked.copy_from_slice(message);
        self.mask_body(mask, &mut masked, standard_deviation, sampler);
        body.copy_from_slice(&masked);
        GlweCiphertext(polys)
    }

    /// Makes a message the body of a ciphertext with a given mask, which is used for this body alone.
    pub(super) fn mask_body(
        &self,
        mask: &[u64],
        body: &mut [u64],
        standard_deviation: f64,
        sampler: &mut Sampler,
    ) {
        let errors = sampler.gaussian(body.len(), standard_deviation * 2f64.powi(64));
        body.iter_mut()
            .zip(&*errors)
            .for_each(|(word, error)| *word = word.wrapping_add(error.cast_unsigned()));
        for (a, s) in mask.chunks_exact(self.ring.ring_degree()).zip(&self.polys) {
            self.ring.add_exact_product(body, a, s);
        }
    }

    /// The message with its noise, b − Σ aᵢ·sᵢ. Secret: it's in the memory of secrets.
    ///
    /// # Panics
    /// If the ciphertext has another degree or rank.
    pub fn phase(&self, ciphertext: &GlweCiphertext) -> Words {
        let n = self.ring.ring_degree();
        assert_eq!((ciphertext.0.ring_degree(), ciphertext.0.count()), (n, self.rank() + 1));
        let (mask, body) = ciphertext.0.words().split_at(self.rank() * n);
        let mut phase = Words::secret(n);
        phase.fill(0);
        for (a, s) in mask.chunks_exact(n).zip(&self.polys) {
            self.ring.add_exact_product(&mut phase, a, s);
        }
        phase.iter_mut().zip(body).for_each(|(word, &b)| *word = b.wrapping_sub(*word));
        phase
    }
}
