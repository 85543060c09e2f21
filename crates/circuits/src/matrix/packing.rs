//! How batches of matrices are packed into polynomials, so that sums of products with images are their products.

use asanoha_ring::{FixingAutomorphisms, WideModulus, WideNtt};
use num_bigint::BigUint;
use num_traits::One;
use rayon::prelude::*;
use thiserror::Error;

use super::MatrixBatch;

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
    ntt: WideNtt,
    /// d⁻¹ modulo t.
    outer_inverse: BigUint,
}

/// Matrices that don't fit a packing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackingError {
    /// The outer dimension isn't a power of two that the ring holds.
    #[error(
        "matrices are packed in blocks of a power of two up to the ring degree {ring_degree}, and not of {outer}"
    )]
    Outer {
        /// The dimension asked for.
        outer: usize,
        /// The ring degree.
        ring_degree: usize,
    },
    /// Even moduli have no inverse of the dimension.
    #[error("the modulus of matrices is an odd prime, and {0} isn't odd")]
    EvenModulus(BigUint),
}

impl BatchPacking {
    /// The packing for blocks of `outer` rows on the left and columns on the right, modulo an odd prime.
    ///
    /// # Errors
    /// [`PackingError`].
    pub fn new(ring_degree: usize, modulus: &WideModulus, outer: usize) -> Result<Self, PackingError> {
        if !outer.is_power_of_two() || outer > ring_degree {
            return Err(PackingError::Outer { outer, ring_degree });
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
        Ok(Self { ring_degree, outer, ntt: WideNtt::new(modulus, batch), outer_inverse })
    }

    /// How many matrices a batch has: M.
    pub fn batch(&self) -> usize {
        self.ntt.size()
    }

    /// The most rows on the left and columns on the right: d.
    pub fn outer(&self) -> usize {
        self.outer
    }

    /// The automorphisms of the sums.
    pub fn automorphisms(&self) -> FixingAutomorphisms {
        FixingAutomorphisms::new(self.ring_degree, self.outer)
    }

    fn modulus(&self) -> &WideModulus {
        self.ntt.modulus()
    }

    /// The exponent of the coefficient of X^i·Y'^y, Y' being the power of Y that M values are a polynomial in.
    fn exponent(&self, i: usize, y: usize) -> usize {
        i + y * (self.ring_degree / self.batch())
    }

    /// The columns of left matrices as polynomials: rows of N coefficients.
    ///
    /// # Panics
    /// If there are more matrices than a batch has, or they have more than d rows.
    pub fn pack_columns(&self, matrices: &MatrixBatch) -> Vec<Vec<u64>> {
        let [rows, columns] = matrices.shape();
        assert!(rows <= self.outer);
        let column = |m| self.pack((0..rows).map(|i| matrices.place(i, m)));
        (0..columns).into_par_iter().map(column).collect()
    }

    /// The rows of right matrices as polynomials: rows of N coefficients.
    ///
    /// # Panics
    /// If there are more matrices than a batch has, or they have more than d columns.
    pub fn pack_rows(&self, matrices: &MatrixBatch) -> Vec<Vec<u64>> {
        let [rows, columns] = matrices.shape();
        assert!(columns <= self.outer);
        let row = |m| self.pack((0..columns).map(|j| matrices.place(m, j)));
        (0..rows).into_par_iter().map(row).collect()
    }

    /// The left matrices of [`BatchPacking::pack_columns`].
    ///
    /// # Panics
    /// Unless there is a polynomial for each column, and the rows are at most d.
    pub fn unpack_columns(&self, columns: &[Vec<u64>], rows: usize, count: usize) -> MatrixBatch {
        self.unpack_places([rows, columns.len()], count, |i, m| (&columns[m], i))
    }

    /// The right matrices of [`BatchPacking::pack_rows`].
    ///
    /// # Panics
    /// Unless there is a polynomial for each row, and the columns are at most d.
    pub fn unpack_rows(&self, rows: &[Vec<u64>], columns: usize, count: usize) -> MatrixBatch {
        self.unpack_places([rows.len(), columns], count, |m, j| (&rows[m], j))
    }

    /// Matrices whose entries at every place are a polynomial in Y times a power of X.
    fn unpack_places<'a>(
        &self,
        shape: [usize; 2],
        count: usize,
        polynomial: impl Fn(usize, usize) -> (&'a Vec<u64>, usize) + Sync,
    ) -> MatrixBatch {
        let limbs = self.modulus().limbs();
        let mut matrices = MatrixBatch::zero(self.modulus(), shape, count);
        matrices.words_mut().par_chunks_mut(count * limbs).enumerate().for_each(|(at, place)| {
            let (packed, power) = polynomial(at / shape[1], at % shape[1]);
            let mut values = vec![0; self.batch() * limbs];
            for (y, value) in values.chunks_exact_mut(limbs).enumerate() {
                value.copy_from_slice(&packed[self.exponent(power, y) * limbs..][..limbs]);
            }
            self.ntt.forward(&mut values);
            place.copy_from_slice(&values[..place.len()]);
        });
        matrices
    }

    fn pack<'a>(&self, places: impl Iterator<Item = &'a [u64]>) -> Vec<u64> {
        let limbs = self.modulus().limbs();
        let mut packed = vec![0; self.ring_degree * limbs];
        let mut values = vec![0; self.batch() * limbs];
        for (i, place) in places.enumerate() {
            values[..place.len()].copy_from_slice(place);
            values[place.len()..].fill(0);
            self.ntt.inverse(&mut values);
            for (y, value) in values.chunks_exact(limbs).enumerate() {
                packed[self.exponent(i, y) * limbs..][..limbs].copy_from_slice(value);
            }
        }
        packed
    }

    /// The products of a shape from the sums Gₖ, k in 0..d.
    ///
    /// # Panics
    /// Unless there are d polynomials of N coefficients, and the shape is at most d × d.
    pub fn unpack(&self, mut sums: Vec<Vec<u64>>, shape: [usize; 2], count: usize) -> MatrixBatch {
        let (limbs, [rows, columns]) = (self.modulus().limbs(), shape);
        assert!(
            sums.len() == self.outer && rows <= self.outer && columns <= self.outer && count <= self.batch()
        );
        assert!(sums.iter().all(|sum| sum.len() == self.ring_degree * limbs));
        self.transform(&mut sums);
        let mut products = MatrixBatch::zero(self.modulus(), shape, count);
        let place_words = count * limbs;
        products.words_mut().par_chunks_mut(columns * place_words).enumerate().for_each(|(i, row)| {
            let sum = &sums[self.place_of(i)];
            let mut values = vec![0; self.batch() * limbs];
            for (j, place) in row.chunks_exact_mut(place_words).enumerate() {
                for (y, value) in values.chunks_exact_mut(limbs).enumerate() {
                    let exponent = i + self.exponent(j, y);
                    value.copy_from_slice(&sum[exponent % self.ring_degree * limbs..][..limbs]);
                    if exponent >= self.ring_degree {
                        self.modulus().neg_assign(value);
                    }
                }
                self.ntt.forward(&mut values);
                place.copy_from_slice(&values[..place_words]);
            }
        });
        self.modulus().scale(products.words_mut(), &self.outer_inverse);
        products
    }

    /// Where [`BatchPacking::transform`] leaves row i: with the bits of the index reversed.
    fn place_of(&self, i: usize) -> usize {
        i.reverse_bits().checked_shr(usize::BITS - self.outer.trailing_zeros()).unwrap_or(0)
    }

    /// Σₖ ω^(−ik)·Gₖ for all i, by halving (Gentleman, Sande 1966).
    fn transform(&self, sums: &mut [Vec<u64>]) {
        let mut size = self.outer;
        while size > 1 {
            // The root of unity of this size is X^(2N/size).
            let step = 2 * self.ring_degree / size;
            sums.par_chunks_exact_mut(size).for_each(|block| {
                let (left, right) = block.split_at_mut(size / 2);
                left.par_iter_mut().zip(right).enumerate().for_each(|(k, (left, right))| {
                    let mut difference = left.clone();
                    self.modulus().sub_assign(&mut difference, right);
                    self.modulus().add_assign(left, right);
                    self.divide_by_power(right, &difference, k * step);
                });
            });
            size /= 2;
        }
    }

    /// out ← X^(−exponent)·x for an exponent below N.
    fn divide_by_power(&self, out: &mut [u64], x: &[u64], exponent: usize) {
        let words = exponent * self.modulus().limbs();
        let (wrapped, kept) = x.split_at(words);
        let rest = out.len() - words;
        out[..rest].copy_from_slice(kept);
        out[rest..].copy_from_slice(wrapped);
        self.modulus().neg_assign(&mut out[rest..]);
    }
}
