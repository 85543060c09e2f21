//! Polynomials packed for reading, without the zeros above their residues.

use std::ops::Range;

use asanoha_kernels::PackedWords;

use super::{
    basis::Basis,
    poly::{Evaluation, Poly},
};
use crate::memory::Words;

/// A polynomial in evaluation order whose residues modulo each prime are packed to the prime's width. Key-switching
/// keys are kept so: a key switch reads them once, which takes time in proportion to their bytes.
///
/// ```
/// use asanoha_ring::{Backend, Basis, Coefficient, PackedPoly, Poly};
///
/// let basis = Basis::new(64, &[257, 641], Backend::Scalar)?;
/// let poly = Poly::<Coefficient>::from_small(&basis, &[-1; 64]).into_evaluation();
/// let packed = PackedPoly::new(&poly);
/// assert_eq!(PackedPoly::bytes(&basis), 64 * 9 / 8 + 56 + 64 * 10 / 8 + 48);
/// let mut limb = [0; 64];
/// packed.limb(1).unpack(0, &mut limb);
/// assert_eq!(limb, poly.limb(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PackedPoly {
    basis: Basis,
    words: Words,
}

impl std::fmt::Debug for PackedPoly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PackedPoly").field("bytes", &size_of_val(&*self.words)).finish_non_exhaustive()
    }
}

/// Words of a cache line.
const LINE: usize = 8;

/// The range of words that holds the data of each limb; every limb starts at a cache line.
fn places(basis: &Basis) -> impl Iterator<Item = Range<usize>> {
    let n = basis.ring_degree();
    basis.limbs().iter().scan(0, move |next: &mut usize, limb| {
        let start = next.next_multiple_of(LINE);
        *next = start + PackedWords::size(n, limb.modulus().bits());
        Some(start..*next)
    })
}

/// The number of words of all limbs.
fn size(basis: &Basis) -> usize {
    places(basis).last().expect("a basis is never empty").end.next_multiple_of(LINE)
}

impl PackedPoly {
    /// Packs a polynomial.
    pub fn new(poly: &Poly<Evaluation>) -> Self {
        let basis = poly.basis().clone();
        let mut words = basis.pool().take(size(&basis));
        for (i, place) in places(&basis).enumerate() {
            PackedWords::pack(&mut words[place], poly.limb(i), basis.modulus(i).bits());
        }
        Self { basis, words }
    }

    /// The packed residues modulo the prime at a position.
    pub fn limb(&self, position: usize) -> PackedWords<'_> {
        let place = places(&self.basis).nth(position).expect("a prime of the basis");
        PackedWords::new(&self.words[place], self.basis.modulus(position).bits(), self.basis.ring_degree())
    }

    /// Bytes in memory of such a polynomial.
    pub fn bytes(basis: &Basis) -> usize {
        size(basis) * size_of::<u64>()
    }
}
