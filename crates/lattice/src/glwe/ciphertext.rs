//! GLWE ciphertexts, their turning by powers of X, and the LWE ciphertext of a coefficient.

use asanoha_ring::{TorusPolys, mul_by_power};

use crate::LweCiphertext;

/// A GLWE ciphertext: the k polynomials of the mask, then the body.
#[derive(Clone, Debug)]
pub struct GlweCiphertext(pub(super) TorusPolys);

impl GlweCiphertext {
    /// The ciphertext without noise of a public polynomial, with k = `rank` polynomials that are zero for a mask.
    pub fn trivial(rank: usize, message: &[u64]) -> Self {
        let mut polys = TorusPolys::zero(message.len(), rank + 1);
        polys.iter_mut().next_back().expect("there is a body").copy_from_slice(message);
        Self(polys)
    }

    /// The polynomials of the mask, then the body.
    pub fn polys(&self) -> &TorusPolys {
        &self.0
    }

    /// The ciphertext of X^`exponent` times the message, for a public exponent.
    pub fn mul_by_power(&self, exponent: usize) -> Self {
        let mut out = TorusPolys::zero(self.0.ring_degree(), self.0.count());
        out.iter_mut().zip(self.0.iter()).for_each(|(out, poly)| mul_by_power(out, poly, exponent));
        Self(out)
    }

    /// self ← self + other.
    ///
    /// # Panics
    /// If they have another degree or rank.
    pub fn add_assign(&mut self, other: &Self) {
        self.combine(other, u64::wrapping_add);
    }

    /// self ← self − other.
    ///
    /// # Panics
    /// If they have another degree or rank.
    pub fn sub_assign(&mut self, other: &Self) {
        self.combine(other, u64::wrapping_sub);
    }

    fn combine(&mut self, other: &Self, operation: impl Fn(u64, u64) -> u64) {
        assert_eq!((self.0.ring_degree(), self.0.count()), (other.0.ring_degree(), other.0.count()));
        let words = self.0.words_mut().iter_mut().zip(other.0.words());
        words.for_each(|(word, &other)| *word = operation(*word, other));
    }

    /// The LWE ciphertext of the constant coefficient: [`GlweCiphertext::coefficient`] 0.
    pub fn constant_coefficient(&self) -> LweCiphertext {
        self.coefficient(0)
    }

    /// The LWE ciphertext of one coefficient, under the secret of k·N bits that the coefficients of the GLWE secret are
    /// ([`super::GlweSecretKey::to_lwe`]), with the noise of that coefficient.
    ///
    /// Coefficient i of a·s modulo X^N + 1 is Σ a_(i−j)·sⱼ over j ≤ i, less Σ a_(N+i−j)·sⱼ over j > i.
    ///
    /// # Panics
    /// Unless the index is below N.
    pub fn coefficient(&self, index: usize) -> LweCiphertext {
        let n = self.0.ring_degree();
        let rank = self.0.count() - 1;
        let body = self.0.words()[rank * n..][index];
        let mut out = LweCiphertext::trivial(rank * n, body);
        for (out, mask) in out.words_mut().chunks_exact_mut(n).zip(self.0.iter()) {
            let (low, high) = mask.split_at(index + 1);
            let turned = high.iter().rev().map(|a| a.wrapping_neg());
            out.iter_mut().zip(low.iter().rev().copied().chain(turned)).for_each(|(out, a)| *out = a);
        }
        out
    }
}
