//! Integers and polynomials of them, as plainly as they can be computed with.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

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

/// Two random primes of 1024 bits, by forty rounds of Miller and Rabin.
const RSA_FACTORS: [&str; 2] = [
    "d69b5b823c62b64ca7e5f8456a13c8d5d06f4ece522a58bc2b8a784dcf3609b0f64551fcd6f07823cb87971cfb91446425da18286b3ab1ef935e0cbd7a69f68a3946ca64ff78d93ca61090a437cbb6b3d2ca0d488f5f9ccf3059608368b2769343bb00d0ce7790a53b91256b370c887b24791a5539a6fbfb70c5870e8c91b55b",
    "f41c0a3e67c3146720fa1b9504927ece5f5daefadaad467dddfd2ff04ba039bec75de8c1b7c3ae5252091267a736a9bf57001d80e82668b3cb3cd09e2f6a43cbbee98bf120e8906382754c6be52860ac5dbc65a1ca4dbee7576267d8fd3367e158e2791934fdd9cfdd6d0e892cb6ca4894abc58559de0ec04d51bc2801bad6c1",
];

/// Their product, which has the form of an RSA modulus of 2048 bits.
pub fn rsa_modulus() -> BigUint {
    RSA_FACTORS
        .iter()
        .map(|digits| BigUint::parse_bytes(digits.as_bytes(), 16).expect("hexadecimal"))
        .product()
}

/// log2 of the absolute values at the primitive 2N-th roots of unity in the upper half plane, by the definition.
pub fn log2_values(a: &[BigInt]) -> Vec<f64> {
    let n = a.len();
    // Scaled down, so that doubles hold them.
    let shift = a.iter().map(BigInt::bits).max().unwrap_or(0).saturating_sub(60);
    let a: Vec<f64> = a.iter().map(|c| (c >> shift).to_f64().expect("60 bits")).collect();
    let roots: Vec<(f64, f64)> =
        (0..2 * n).map(|j| (std::f64::consts::PI * j as f64 / n as f64).sin_cos()).collect();
    let value = |e: usize| {
        let terms = a.iter().enumerate().map(|(j, c)| (c, roots[e * j % (2 * n)]));
        let (im, re) = terms.fold((0.0, 0.0), |(im, re), (c, (sin, cos))| (im + c * sin, re + c * cos));
        re.hypot(im)
    };
    (0..n / 2).map(|k| value(2 * k + 1).log2() + shift as f64).collect()
}

/// Rows of so many values, each rotated to the left.
pub fn rotated_rows<T: Clone>(values: &[T], row: usize, rotation: i64) -> Vec<T> {
    let by = rotation.rem_euclid(row as i64) as usize;
    values.chunks(row).flat_map(|row| [&row[by..], &row[..by]].concat()).collect()
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
