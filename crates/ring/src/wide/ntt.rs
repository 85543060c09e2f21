//! The negacyclic NTT modulo a prime of any size.

use asanoha_kernels::evaluation_exponent;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;
use rayon::prelude::*;

use super::modulus::{ROWS, WideModulus, add_masked, subtract_masked};

/// Calls the method compiled for the number of words if it's a usual one, so that its loops are unrolled.
macro_rules! by_limbs {
    ($ntt:expr, $method:ident, $($argument:expr),+) => {
        match $ntt.modulus.limbs() {
            1 => $ntt.$method::<1>($($argument),+),
            2 => $ntt.$method::<2>($($argument),+),
            3 => $ntt.$method::<3>($($argument),+),
            4 => $ntt.$method::<4>($($argument),+),
            6 => $ntt.$method::<6>($($argument),+),
            8 => $ntt.$method::<8>($($argument),+),
            _ => $ntt.$method::<0>($($argument),+),
        }
    };
}

/// The powers of a primitive 2M-th root of unity ψ modulo an odd prime p ≡ 1 modulo 2M, in Montgomery form, for
/// transforms of M rows in the kernels' evaluation order ([`evaluation_exponent`]).
///
/// ψ is g^((p−1)/2M) for the smallest g ≥ 2 that gives a root of order 2M: the root of the kernels' tables where both
/// exist. Rows are multiplied by roots with Montgomery's reduction ("Modular multiplication without trial division",
/// 1985): only the roots are in Montgomery form, so that rows stay as they are.
#[derive(Clone, Debug)]
pub struct WideNtt {
    modulus: WideModulus,
    size: usize,
    /// −p⁻¹ modulo 2^64.
    negative_inverse: u64,
    /// ψ^reverse(i)·R at row i.
    roots: Vec<u64>,
    /// ψ^−reverse(i)·R at row i.
    inverse_roots: Vec<u64>,
    /// R/M modulo p: the factor 1/M in Montgomery form.
    size_inverse: Vec<u64>,
}

impl WideNtt {
    /// The tables for a prime and a size.
    ///
    /// # Panics
    /// Unless the size is a power of two and p is a prime ≡ 1 modulo twice the size.
    pub fn new(prime: &WideModulus, size: usize) -> Self {
        let p = prime.value();
        let [root, _] = roots_of_unity(p, size);
        let montgomery = |x: BigUint| prime.row(&((x << (64 * prime.limbs())) % p).into());
        let size_inverse = BigUint::from(size).modinv(p).expect("p is odd");
        // Newton's iteration doubles the number of correct bits; p is its own inverse modulo 8.
        let low = prime.words()[0];
        let inverse = (0..5).fold(low, |x, _| x.wrapping_mul(2u64.wrapping_sub(low.wrapping_mul(x))));
        let mut ntt = Self {
            modulus: prime.clone(),
            size,
            negative_inverse: inverse.wrapping_neg(),
            roots: Vec::new(),
            inverse_roots: Vec::new(),
            size_inverse: montgomery(size_inverse),
        };
        (ntt.roots, ntt.inverse_roots) = ntt.powers(&montgomery(BigUint::one()), &montgomery(root));
        ntt
    }

    /// The prime.
    pub fn modulus(&self) -> &WideModulus {
        &self.modulus
    }

    /// The number of rows M.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The powers of ψ, from the first ones by ever higher ones of them, and those of its inverse, ψ^−e = −ψ^(M−e), where the
    /// kernels have them.
    fn powers(&self, one: &[u64], root: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let (size, limbs) = (self.size, self.modulus.limbs());
        let mut powers = vec![0; size * limbs];
        powers[..limbs].copy_from_slice(one);
        let (mut known, mut factor) = (1, root.to_vec());
        while known < size {
            let (low, high) = powers.split_at_mut(known * limbs);
            high[..low.len()].copy_from_slice(low);
            let rows = high[..low.len()].par_chunks_mut(limbs * ROWS);
            rows.for_each(|rows| by_limbs!(self, scale, rows, &factor));
            let square = factor.clone();
            self.multiply::<0>(&mut factor, &square, &mut vec![0; limbs]);
            known *= 2;
        }
        let (mut roots, mut inverse_roots) = (vec![0; size * limbs], vec![0; size * limbs]);
        for (exponent, power) in powers.chunks_exact(limbs).enumerate() {
            let row = |exponent: usize| place_of_power(size, exponent) * limbs;
            roots[row(exponent)..][..limbs].copy_from_slice(power);
            if exponent == 0 {
                inverse_roots[row(0)..][..limbs].copy_from_slice(power);
            } else {
                let negated = &mut inverse_roots[row(size - exponent)..][..limbs];
                negated.copy_from_slice(self.modulus.words());
                subtract_masked(negated, power, u64::MAX);
            }
        }
        (roots, inverse_roots)
    }

    /// Transforms rows of coefficients, in place, to rows of values at ψ^e in evaluation order.
    pub fn forward(&self, rows: &mut [u64]) {
        assert_eq!(rows.len(), self.size * self.modulus.limbs());
        by_limbs!(self, forward_block, rows, 1);
    }

    /// The inverse of [`WideNtt::forward`].
    pub fn inverse(&self, rows: &mut [u64]) {
        assert_eq!(rows.len(), self.size * self.modulus.limbs());
        by_limbs!(self, inverse_block, rows, 1);
        let limbs = self.modulus.limbs();
        rows.par_chunks_mut(limbs * ROWS).for_each(|rows| by_limbs!(self, scale, rows, &self.size_inverse));
    }

    fn scale<const L: usize>(&self, rows: &mut [u64], factor: &[u64]) {
        let limbs = self.modulus.limbs();
        let mut scratch = vec![0; limbs];
        for row in rows.chunks_exact_mut(limbs) {
            self.multiply::<L>(row, factor, &mut scratch);
        }
    }

    fn root<'a>(&self, roots: &'a [u64], index: usize) -> &'a [u64] {
        let limbs = self.modulus.limbs();
        &roots[index * limbs..][..limbs]
    }

    /// The butterflies of a block, and then of its halves; block i of a layer of m blocks has index m + i. L is the
    /// number of words of a row, or 0 if it isn't known at compile time.
    fn forward_block<const L: usize>(&self, rows: &mut [u64], index: usize) {
        if rows.len() == self.modulus.limbs() {
            return;
        }
        let root = self.root(&self.roots, index);
        self.butterflies(rows, |upper, lower, scratch| {
            self.multiply::<L>(lower, root, scratch);
            self.sum_and_difference::<L>(upper, lower, scratch);
        });
        self.halves(rows, |half, position| self.forward_block::<L>(half, 2 * index + position));
    }

    fn inverse_block<const L: usize>(&self, rows: &mut [u64], index: usize) {
        if rows.len() == self.modulus.limbs() {
            return;
        }
        self.halves(rows, |half, position| self.inverse_block::<L>(half, 2 * index + position));
        let root = self.root(&self.inverse_roots, index);
        self.butterflies(rows, |upper, lower, scratch| {
            self.sum_and_difference::<L>(upper, lower, scratch);
            self.multiply::<L>(lower, root, scratch);
        });
    }

    /// Calls `f(upper row, lower row, scratch)` for every butterfly of a block.
    fn butterflies(&self, rows: &mut [u64], f: impl Fn(&mut [u64], &mut [u64], &mut [u64]) + Sync) {
        let limbs = self.modulus.limbs();
        let (upper, lower) = rows.split_at_mut(rows.len() / 2);
        let chunk = |(upper, lower): (&mut [u64], &mut [u64])| {
            let mut scratch = vec![0; limbs];
            for (upper, lower) in upper.chunks_exact_mut(limbs).zip(lower.chunks_exact_mut(limbs)) {
                f(upper, lower, &mut scratch);
            }
        };
        if upper.len() > limbs * ROWS {
            upper.par_chunks_mut(limbs * ROWS).zip(lower.par_chunks_mut(limbs * ROWS)).for_each(chunk);
        } else {
            chunk((upper, lower));
        }
    }

    fn halves(&self, rows: &mut [u64], f: impl Fn(&mut [u64], usize) + Sync) {
        let parallel = rows.len() > self.modulus.limbs() * ROWS;
        let (first, second) = rows.split_at_mut(rows.len() / 2);
        if parallel {
            rayon::join(|| f(first, 0), || f(second, 1));
        } else {
            f(first, 0);
            f(second, 1);
        }
    }

    /// (a, b) ← (a + b, a − b).
    #[inline]
    fn sum_and_difference<const L: usize>(&self, a: &mut [u64], b: &mut [u64], scratch: &mut [u64]) {
        let limbs = if L == 0 { self.modulus.limbs() } else { L };
        let (a, b, p) = (&mut a[..limbs], &mut b[..limbs], &self.modulus.words()[..limbs]);
        let old = &mut scratch[..limbs];
        old.copy_from_slice(a);
        let carry = add_masked(a, b, u64::MAX);
        let borrow = subtract_masked(a, p, u64::MAX);
        add_masked(a, p, carry.wrapping_sub(borrow));
        let borrow = subtract_masked(old, b, u64::MAX);
        add_masked(old, p, borrow.wrapping_neg());
        b.copy_from_slice(old);
    }

    /// a ← a·b/R, with R = 2^(64·words): the product is computed alongside the multiples of p that clear its low words.
    #[inline]
    fn multiply<const L: usize>(&self, a: &mut [u64], b: &[u64], scratch: &mut [u64]) {
        let limbs = if L == 0 { self.modulus.limbs() } else { L };
        let (a, b, p) = (&mut a[..limbs], &b[..limbs], &self.modulus.words()[..limbs]);
        let sum = &mut scratch[..limbs];
        sum.fill(0);
        let mut high = 0;
        for &word in a.iter() {
            let (low, mut first) = add_words(sum[0], b[0], word, 0);
            let quotient = low.wrapping_mul(self.negative_inverse);
            let (_, mut second) = add_words(low, p[0], quotient, 0);
            for j in 1..limbs {
                let (middle, carry) = add_words(sum[j], b[j], word, first);
                first = carry;
                (sum[j - 1], second) = add_words(middle, p[j], quotient, second);
            }
            let top = u128::from(first) + u128::from(second) + u128::from(high);
            sum[limbs - 1] = top as u64;
            high = (top >> 64) as u64;
        }
        a.copy_from_slice(sum);
        let borrow = subtract_masked(a, p, u64::MAX);
        add_masked(a, p, high.wrapping_sub(borrow));
    }
}

/// A primitive 2M-th root of unity modulo an odd prime, as [`WideNtt`] says, and its inverse.
///
/// # Panics
/// Unless the size M is a power of two and p is a prime ≡ 1 modulo twice the size.
pub(super) fn roots_of_unity(p: &BigUint, size: usize) -> [BigUint; 2] {
    assert!(size.is_power_of_two() && (p % (2 * size)).is_one());
    let minus_one = p - 1u32;
    let exponent = &minus_one / (2 * size);
    let root = (2u32..=u32::MAX)
        .map(|g| BigUint::from(g).modpow(&exponent, p))
        .find(|root| root.modpow(&size.into(), p) == minus_one)
        .expect("a prime that is 1 modulo 2M has a root of order 2M");
    let inverse = root.modinv(p).expect("a root of unity is a unit");
    [root, inverse]
}

/// Where the power with an exponent below M stands in the kernels' tables.
pub(super) fn place_of_power(size: usize, exponent: usize) -> usize {
    // With one row there are no bits to reverse.
    if size == 1 { 0 } else { evaluation_exponent(size, exponent) / 2 }
}

/// a + b·w + carry, as (low word, high word).
#[inline]
fn add_words(a: u64, b: u64, w: u64, carry: u64) -> (u64, u64) {
    let sum = u128::from(b) * u128::from(w) + u128::from(a) + u128::from(carry);
    (sum as u64, (sum >> 64) as u64)
}

/// The greatest power of two M ≤ `largest` with p ≡ 1 modulo 2M; 1 if there is none.
pub fn transform_size(p: &BigUint, largest: usize) -> usize {
    let twos = (p - BigUint::one()).trailing_zeros().unwrap_or(0);
    if p.is_even() || twos < 2 {
        return 1;
    }
    largest.min(1 << (twos - 1).min(62))
}
