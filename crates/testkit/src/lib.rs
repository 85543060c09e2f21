//! Big-integer oracles and generic test suites, for tests only.
//!
//! Everything here is slow and obviously right: polynomials are vectors of big integers, products are schoolbook
//! products.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// a·b modulo X^N + 1.
pub fn negacyclic_product(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
    let n = a.len();
    assert_eq!(n, b.len());
    let mut product = vec![BigInt::zero(); n];
    for (i, x) in a.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
        for (j, y) in b.iter().enumerate() {
            if i + j < n {
                product[i + j] += x * y;
            } else {
                product[i + j - n] -= x * y;
            }
        }
    }
    product
}

/// a(X^g) modulo X^N + 1 for odd g.
pub fn automorphism(a: &[BigInt], g: usize) -> Vec<BigInt> {
    let n = a.len();
    let mut image = vec![BigInt::zero(); n];
    for (i, x) in a.iter().enumerate() {
        let exponent = i * g % (2 * n);
        image[exponent % n] = if exponent < n { x.clone() } else { -x };
    }
    image
}

/// The residue of x in (−m/2, m/2].
pub fn centred(x: &BigInt, m: &BigInt) -> BigInt {
    let residue = x.mod_floor(m);
    if &residue * 2 > *m { residue - m } else { residue }
}

/// x/d rounded to the nearest integer, halves up.
pub fn round_divide(x: &BigInt, d: &BigInt) -> BigInt {
    let doubled: BigInt = x * 2 + d;
    doubled.div_floor(&(d * 2))
}

/// The largest absolute value.
pub fn max_norm(a: &[BigInt]) -> BigInt {
    a.iter().map(Signed::abs).max().unwrap_or_else(BigInt::zero)
}

/// A deterministic stream of big integers for tests: uniform in [0, 2^bits), from a 64-bit seed (SplitMix64).
#[derive(Debug)]
pub struct TestIntegers(pub u64);

impl TestIntegers {
    /// The next word.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next integer in (−m/2, m/2].
    pub fn below(&mut self, m: &BigInt) -> BigInt {
        let words = m.bits() / 64 + 2;
        let wide = (0..words).fold(BigInt::zero(), |sum, _| (sum << 64) + self.word());
        centred(&wide, m)
    }

    /// `count` integers in (−m/2, m/2].
    pub fn vector(&mut self, count: usize, m: &BigInt) -> Vec<BigInt> {
        (0..count).map(|_| self.below(m)).collect()
    }

    /// A real number in [−1, 1).
    pub fn real(&mut self) -> f64 {
        (self.word() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }
}

/// The product of words as a big integer.
pub fn product(factors: impl IntoIterator<Item = u64>) -> BigInt {
    factors.into_iter().fold(BigInt::one(), |product, q| product * q)
}
