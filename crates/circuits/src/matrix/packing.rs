//! How batches of matrices are packed into polynomials, so that sums of products with images are their products.

use std::sync::Arc;

use asanoha_ring::{
    Backend, Basis, Coefficient, FixingAutomorphisms, Poly, Strip, WIDE_LANES, WideColumns, WideModulus,
    WidePlanes,
};
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use rayon::prelude::*;
use thiserror::Error;
use zeroize::Zeroizing;

use super::MatrixBatch;

/// Bits of the digits that plaintexts are put together of: words of all kernels hold them.
const DIGIT_BITS: u32 = 48;

/// Packing of matrices whose outer dimensions are at most d into polynomials of N coefficients modulo a prime t.
///
/// With Y = X^d, the entries at one place of a batch of M matrices are one polynomial in Y: its values at M roots. Left
/// matrices are packed by columns, a_m = Σᵢ Xⁱ·Aᵢₘ(Y), right ones by rows, b_m = Σⱼ Xʲ·Bₘⱼ(Y). Of the automorphisms
/// τₖ(X) = ωᵏ·X that fix Y, ω = X^(2N/d), the sums Gₖ = Σₘ τₖ(aₘ)·bₘ are Σᵢ ω^(ik)·Xⁱ·rowᵢ(AB), and so the rows of the products are
/// Xⁱ·rowᵢ(AB) = d⁻¹·Σₖ ω^(−ik)·Gₖ: a transform whose roots of unity are monomials, which costs shifts and sums. The
/// inner dimension is free.
///
/// The batch is as large as t allows: M is the largest power of two up to N/d for which t is 1 modulo 2M.
#[derive(Clone, Debug)]
pub struct BatchPacking {
    ring_degree: usize,
    outer: usize,
    columns: Arc<WideColumns>,
    /// d⁻¹ modulo t.
    outer_inverse: BigUint,
}

/// Matrices that don't fit a packing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackingError {
    /// The outer dimension isn't a power of two that the ring holds.
    #[error("matrices are packed in blocks of a power of two up to {largest}, and not of {outer}")]
    Outer {
        /// The dimension asked for.
        outer: usize,
        /// The largest: the ring degree, or 1024, as there's a sum for each row.
        largest: usize,
    },
    /// A modulus of thousands of bits.
    #[error("no kernels compute modulo {0} bits: take a smaller modulus")]
    TooWide(u64),
    /// Even moduli have no inverse of the dimension.
    #[error("the modulus of matrices is an odd prime, and {0} isn't odd")]
    EvenModulus(BigUint),
}

impl BatchPacking {
    /// The packing for blocks of `outer` rows on the left and columns on the right, modulo an odd prime.
    ///
    /// # Errors
    /// [`PackingError`].
    pub fn new(
        ring_degree: usize,
        modulus: &WideModulus,
        outer: usize,
        backend: Backend,
    ) -> Result<Self, PackingError> {
        let largest = ring_degree.min(WideColumns::LARGEST_SUM);
        if !outer.is_power_of_two() || outer > largest {
            return Err(PackingError::Outer { outer, largest });
        }
        let t = modulus.value();
        if !t.bit(0) {
            return Err(PackingError::EvenModulus(t.clone()));
        }
        let mut batch = ring_degree / outer;
        while !(t % (2 * batch)).is_one() {
            batch /= 2;
        }
        let outer_inverse = BigUint::from(outer).modinv(t).expect("t is odd");
        let columns = WideColumns::new(modulus, batch, backend).ok_or(PackingError::TooWide(t.bits()))?;
        Ok(Self { ring_degree, outer, columns: Arc::new(columns), outer_inverse })
    }

    /// How many matrices a batch has: M.
    pub fn batch(&self) -> usize {
        self.columns.size()
    }

    /// The most rows on the left and columns on the right: d.
    pub fn outer(&self) -> usize {
        self.outer
    }

    /// The automorphisms of the sums.
    pub fn automorphisms(&self) -> FixingAutomorphisms {
        FixingAutomorphisms::new(self.ring_degree, self.outer)
    }

    /// What residues are computed with.
    pub fn columns(&self) -> &WideColumns {
        &self.columns
    }

    /// d⁻¹ modulo t.
    pub fn outer_inverse(&self) -> &BigUint {
        &self.outer_inverse
    }

    /// How far apart the coefficients of a polynomial in Y are.
    fn stride(&self) -> usize {
        self.ring_degree / self.batch()
    }

    fn limbs(&self) -> usize {
        self.columns.modulus().limbs()
    }

    /// Column m of left matrices as a polynomial with centred coefficients.
    ///
    /// # Panics
    /// If there are more matrices than a batch has, or they have more than d rows, or no column m.
    pub fn pack_column(&self, matrices: &MatrixBatch, m: usize, basis: &Basis) -> Poly<Coefficient> {
        let places: Vec<&[u64]> = (0..matrices.shape()[0]).map(|i| matrices.place(i, m)).collect();
        self.pack(&places, basis)
    }

    /// Row m of right matrices as a polynomial with centred coefficients.
    ///
    /// # Panics
    /// If there are more matrices than a batch has, or they have more than d columns, or no row m.
    pub fn pack_row(&self, matrices: &MatrixBatch, m: usize, basis: &Basis) -> Poly<Coefficient> {
        let places: Vec<&[u64]> = (0..matrices.shape()[1]).map(|j| matrices.place(m, j)).collect();
        self.pack(&places, basis)
    }

    fn pack(&self, places: &[&[u64]], basis: &Basis) -> Poly<Coefficient> {
        assert!(places.len() <= self.outer && basis.ring_degree() == self.ring_degree);
        let modulus = self.columns.modulus();
        let digits = modulus.value().bits().div_ceil(DIGIT_BITS.into()) as usize;
        // The digits, and 1 for residues that represent negative integers.
        let mut planes = Zeroizing::new(vec![0; (digits + 1) * self.ring_degree]);
        let mut strip = self.columns.strip();
        for (group, places) in places.chunks(WIDE_LANES).enumerate() {
            self.columns.put(&mut strip, places);
            self.columns.inverse(&mut strip);
            let first = group * WIDE_LANES;
            self.columns.take_digits(
                &strip,
                DIGIT_BITS,
                &mut planes,
                first..first + places.len(),
                self.stride(),
            );
        }
        let mut terms: Vec<(&[u64], BigInt)> = Vec::with_capacity(digits + 1);
        for (position, digits_or_signs) in planes.chunks_exact(self.ring_degree).enumerate() {
            let weight = if position == digits {
                -BigInt::from(modulus.value().clone())
            } else {
                BigInt::one() << (DIGIT_BITS as usize * position)
            };
            terms.push((digits_or_signs, weight));
        }
        Poly::combination(basis, DIGIT_BITS, &terms)
    }

    /// The left matrices of [`BatchPacking::pack_column`].
    ///
    /// # Panics
    /// Unless there is a polynomial for each column, and the rows are at most d.
    pub fn unpack_columns(&self, columns: &[WidePlanes], rows: usize, count: usize) -> MatrixBatch {
        let mut matrices = MatrixBatch::zero(self.columns.modulus(), [rows, columns.len()], count);
        // Rows eight at a time; a place is the entries of all matrices at one row and column.
        let mut places: Vec<Vec<&mut [u64]>> = (0..columns.len()).map(|_| Vec::with_capacity(rows)).collect();
        for (index, place) in matrices.words_mut().chunks_exact_mut(count * self.limbs()).enumerate() {
            places[index % columns.len()].push(place);
        }
        places
            .into_par_iter()
            .zip(columns)
            .for_each(|(mut places, column)| self.unpack_places(column, 0, &mut places));
        matrices
    }

    /// The right matrices of [`BatchPacking::pack_row`].
    ///
    /// # Panics
    /// Unless there is a polynomial for each row, and the columns are at most d.
    pub fn unpack_rows(&self, rows: &[WidePlanes], columns: usize, count: usize) -> MatrixBatch {
        let mut matrices = MatrixBatch::zero(self.columns.modulus(), [rows.len(), columns], count);
        let place = count * self.limbs();
        matrices.words_mut().par_chunks_exact_mut(columns * place).zip(rows).for_each(|(places, row)| {
            self.unpack_places(row, 0, &mut places.chunks_exact_mut(place).collect::<Vec<_>>());
        });
        matrices
    }

    /// The polynomials in Y times X^first, X^(first + 1), …, at as many places.
    fn unpack_places(&self, polynomial: &WidePlanes, first: usize, places: &mut [&mut [u64]]) {
        assert!(places.len() <= self.outer && polynomial.len() == self.ring_degree);
        let mut strip: Strip = self.columns.strip();
        for (group, places) in places.chunks_mut(WIDE_LANES).enumerate() {
            let first = first + group * WIDE_LANES;
            self.columns.put_coefficients(&mut strip, polynomial, first, self.stride());
            self.columns.forward(&mut strip);
            self.columns.take(&strip, places);
        }
    }

    /// The products of a shape from the sums Gₖ/d, k in 0..d.
    ///
    /// # Panics
    /// Unless there are d polynomials of N coefficients, and the shape is at most d × d.
    pub fn unpack(&self, mut sums: Vec<WidePlanes>, shape: [usize; 2], count: usize) -> MatrixBatch {
        let [rows, columns] = shape;
        assert!(
            sums.len() == self.outer && rows <= self.outer && columns <= self.outer && count <= self.batch()
        );
        assert!(sums.iter().all(|sum| sum.len() == self.ring_degree));
        self.transform(&mut sums);
        let mut products = MatrixBatch::zero(self.columns.modulus(), shape, count);
        let place = count * self.limbs();
        products.words_mut().par_chunks_exact_mut(columns * place).enumerate().for_each(|(i, places)| {
            let sum = &sums[self.place_of(i)];
            self.unpack_places(sum, i, &mut places.chunks_exact_mut(place).collect::<Vec<_>>());
        });
        products
    }

    /// Where [`BatchPacking::transform`] leaves row i: with the bits of the index reversed.
    fn place_of(&self, i: usize) -> usize {
        i.reverse_bits().checked_shr(usize::BITS - self.outer.trailing_zeros()).unwrap_or(0)
    }

    /// Σₖ ω^(−ik)·Gₖ for all i, by halving (Gentleman, Sande 1966).
    fn transform(&self, sums: &mut [WidePlanes]) {
        let mut size = self.outer;
        while size > 1 {
            // The root of unity of this size is X^(2N/size).
            let step = 2 * self.ring_degree / size;
            sums.par_chunks_exact_mut(size).for_each(|block| {
                let (left, right) = block.split_at_mut(size / 2);
                left.par_iter_mut()
                    .zip(right)
                    .enumerate()
                    .for_each(|(k, (left, right))| left.butterfly(right, k * step));
            });
            size /= 2;
        }
    }
}
