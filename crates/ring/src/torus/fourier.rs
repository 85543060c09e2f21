//! The Fourier domain of torus polynomials.

use std::sync::Arc;

use asanoha_kernels::{Backend, FftError, FftTable, Kernels, Modulus};
use bytemuck::{cast_slice, cast_slice_mut};

use crate::Words;

/// The ring of integer polynomials modulo X^N + 1, which acts on torus polynomials: its tables and its kernels. Cloning
/// shares them.
#[derive(Clone)]
pub struct TorusRing(Arc<Inner>);

struct Inner {
    table: FftTable,
    kernels: &'static Kernels,
}

impl std::fmt::Debug for TorusRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TorusRing").field("ring_degree", &self.ring_degree()).finish_non_exhaustive()
    }
}

/// A polynomial with small integer coefficients in the Fourier domain, in the memory of secrets.
pub struct SmallPoly(Words);

impl std::fmt::Debug for SmallPoly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SmallPoly(..)")
    }
}

impl TorusRing {
    /// The ring of a degree that is a power of two from [`asanoha_kernels::MIN_FFT_DEGREE`] to
    /// [`asanoha_kernels::MAX_FFT_DEGREE`].
    pub fn new(ring_degree: usize, backend: Backend) -> Result<Self, FftError> {
        let table = FftTable::new(ring_degree)?;
        Ok(Self(Arc::new(Inner { table, kernels: backend.kernels(Modulus::MAX_BITS) })))
    }

    /// The number of coefficients N.
    pub fn ring_degree(&self) -> usize {
        self.0.table.ring_degree()
    }

    pub(super) fn kernels(&self) -> &'static Kernels {
        self.0.kernels
    }

    pub(super) fn table(&self) -> &FftTable {
        &self.0.table
    }

    /// The Fourier form of a polynomial whose coefficients are words 0 and 1.
    ///
    /// # Panics
    /// Unless it has N coefficients.
    pub fn binary(&self, coefficients: &[u64]) -> SmallPoly {
        let mut out = Words::secret(self.ring_degree());
        (self.kernels().fft_forward)(cast_slice_mut(&mut out), cast_slice(coefficients), self.table());
        SmallPoly(out)
    }

    /// acc ← acc + a·s, exactly.
    ///
    /// Both halves of a's words are multiplied for themselves: their products with a binary s are below 2^31·N ≤ 2^44,
    /// where the rounding errors of the transform are far below ½. What is secret here stays in the memory of secrets,
    /// apart from `acc`.
    ///
    /// # Panics
    /// Unless `acc` and `a` have N words.
    pub fn add_exact_product(&self, acc: &mut [u64], a: &[u64], s: &SmallPoly) {
        const HALF: u32 = u64::BITS / 2;
        let n = self.ring_degree();
        let (kernels, table) = (self.kernels(), self.table());
        let mut scratch = Words::secret(5 * n);
        let (halves, rest) = scratch.split_at_mut(2 * n);
        let [spectrum, product, rounded] = thirds(rest, n);
        (kernels.decompose)(cast_slice_mut(halves), a, HALF, 2);
        for (half, shift) in halves.chunks_exact(n).zip([HALF, 0]) {
            (kernels.fft_forward)(cast_slice_mut(spectrum), cast_slice(half), table);
            product.fill(0);
            (kernels.fft_mul_add)(cast_slice_mut(product), cast_slice(spectrum), cast_slice(&s.0));
            (kernels.fft_inverse)(cast_slice_mut(spectrum), cast_slice_mut(product), table);
            rounded.fill(0);
            (kernels.fft_round_add)(rounded, cast_slice(spectrum));
            acc.iter_mut().zip(&*rounded).for_each(|(acc, &word)| *acc = acc.wrapping_add(word << shift));
        }
    }
}

fn thirds(words: &mut [u64], n: usize) -> [&mut [u64]; 3] {
    let (first, rest) = words.split_at_mut(n);
    let (second, third) = rest.split_at_mut(n);
    [first, second, third]
}
