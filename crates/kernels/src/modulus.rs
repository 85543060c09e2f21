//! Moduli of one word and the arithmetic on single residues.

use std::hint::select_unpredictable;

use thiserror::Error;

/// A modulus that this crate can't work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ModulusError {
    /// Moduli have 2 to 61 bits.
    #[error("modulus {0} is out of range: moduli are odd and have 2 to 61 bits")]
    OutOfRange(u64),
}

/// An odd modulus q of 2 to 61 bits with its precomputed Barrett constants.
///
/// All residues are canonical, in `[0, q)`, unless a contract says otherwise.
///
/// ```
/// use asanoha_kernels::Modulus;
/// let q = Modulus::new(65537)?;
/// assert_eq!(q.mul(65536, 65536), 1);
/// # Ok::<(), asanoha_kernels::ModulusError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Modulus {
    value: u64,
    bits: u32,
    /// ⌊2^(bits+62) / q⌋, for the quotients of products below q².
    barrett_product: u64,
    /// ⌊2^128 / q⌋, low and high word, for the quotients of any 128-bit integer.
    barrett_wide: (u64, u64),
}

/// A constant w < q with ⌊w·2^64/q⌋, for multiplication by Shoup's method.
///
/// The 52-bit quotient ⌊w·2^52/q⌋ is the upper part, `quotient >> 12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShoupFactor {
    /// The constant w.
    pub value: u64,
    /// ⌊w·2^64/q⌋.
    pub quotient: u64,
}

impl Modulus {
    /// The widest modulus, in bits.
    pub const MAX_BITS: u32 = 61;

    /// Checks the value and precomputes the constants.
    pub fn new(value: u64) -> Result<Self, ModulusError> {
        let bits = u64::BITS - value.leading_zeros();
        if !(2..=Self::MAX_BITS).contains(&bits) || value.is_multiple_of(2) {
            return Err(ModulusError::OutOfRange(value));
        }
        let barrett_product = ((1u128 << (bits + 62)) / u128::from(value)) as u64;
        // q is odd and above 1, so ⌊(2^128 − 1)/q⌋ = ⌊2^128/q⌋.
        let wide = u128::MAX / u128::from(value);
        Ok(Self { value, bits, barrett_product, barrett_wide: (wide as u64, (wide >> 64) as u64) })
    }

    /// The modulus itself.
    pub fn value(&self) -> u64 {
        self.value
    }

    /// Its width in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// ⌊2^(bits+62) / q⌋, the constant behind [`Modulus::mul`].
    pub fn barrett_product(&self) -> u64 {
        self.barrett_product
    }

    /// a + b. In: a, b < q.
    #[inline]
    pub fn add(&self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        sum.min(sum.wrapping_sub(self.value))
    }

    /// a − b. In: a, b < q.
    #[inline]
    pub fn sub(&self, a: u64, b: u64) -> u64 {
        let difference = a.wrapping_sub(b);
        difference.min(difference.wrapping_add(self.value))
    }

    /// −a. In: a < q.
    #[inline]
    pub fn neg(&self, a: u64) -> u64 {
        self.sub(0, a)
    }

    /// a·b. In: a, b < q (or any pair with a·b < q²).
    #[inline]
    pub fn mul(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        // The top word holds bits+2 ≤ 63 bits; both truncations together lose less than one unit, so the
        // remainder lies in [0, 2q).
        let top = (product >> (self.bits - 2)) as u64;
        let quotient = ((u128::from(top) * u128::from(self.barrett_product)) >> 64) as u64;
        let remainder = (product as u64).wrapping_sub(quotient.wrapping_mul(self.value));
        remainder.min(remainder.wrapping_sub(self.value))
    }

    /// a mod q for any word.
    #[inline]
    pub fn reduce(&self, a: u64) -> u64 {
        let quotient = ((u128::from(a) * u128::from(self.barrett_wide.1)) >> 64) as u64;
        let remainder = a.wrapping_sub(quotient.wrapping_mul(self.value));
        remainder.min(remainder.wrapping_sub(self.value))
    }

    /// a mod q for any double word.
    #[inline]
    pub fn reduce_u128(&self, a: u128) -> u64 {
        let (low, high) = (u128::from(a as u64), a >> 64);
        let (ratio_low, ratio_high) = (u128::from(self.barrett_wide.0), u128::from(self.barrett_wide.1));
        let middle = high * ratio_low;
        let carry = (low * ratio_low) >> 64;
        let cross = low * ratio_high + carry + u128::from(middle as u64);
        let quotient = (high * ratio_high + (middle >> 64) + (cross >> 64)) as u64;
        let remainder = (a as u64).wrapping_sub(quotient.wrapping_mul(self.value));
        remainder.min(remainder.wrapping_sub(self.value))
    }

    /// The residue of a signed word.
    #[inline]
    pub fn reduce_i64(&self, a: i64) -> u64 {
        let magnitude = self.reduce(a.unsigned_abs());
        // All ones where the sign bit is set: chooses between the two without a branch.
        let negative = (a >> 63) as u64;
        magnitude ^ ((magnitude ^ self.neg(magnitude)) & negative)
    }

    /// The residue nearest to zero, in (−q/2, q/2). In: a < q.
    ///
    /// Without a branch: the compiler made one of a mask.
    #[inline]
    pub fn centre(&self, a: u64) -> i64 {
        select_unpredictable(a > self.value / 2, a.wrapping_sub(self.value), a) as i64
    }

    /// base^exponent. In: base < q. The exponent must be public: the time depends on it.
    pub fn pow(&self, base: u64, mut exponent: u64) -> u64 {
        let (mut result, mut square) = (1 % self.value, base);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, square);
            }
            square = self.mul(square, square);
            exponent >>= 1;
        }
        result
    }

    /// a⁻¹ mod q; `None` if a and q have a common factor. The operand must be public: the time depends on it.
    pub fn inverse(&self, a: u64) -> Option<u64> {
        let (mut old_remainder, mut remainder) = (i128::from(self.value), i128::from(a % self.value));
        let (mut old_factor, mut factor) = (0i128, 1i128);
        while remainder != 0 {
            let quotient = old_remainder / remainder;
            (old_remainder, remainder) = (remainder, old_remainder - quotient * remainder);
            (old_factor, factor) = (factor, old_factor - quotient * factor);
        }
        (old_remainder == 1).then(|| old_factor.rem_euclid(i128::from(self.value)) as u64)
    }

    /// Prepares a constant for repeated multiplication. In: w < q.
    pub fn shoup(&self, w: u64) -> ShoupFactor {
        debug_assert!(w < self.value);
        // w·⌊2^128/q⌋/2^64 falls short of w·2^64/q by less than two, where a division would take ten times as long.
        let (low, high) = (u128::from(self.barrett_wide.0), self.barrett_wide.1);
        let below = ((u128::from(w) * low) >> 64) as u64;
        let quotient = w.wrapping_mul(high).wrapping_add(below);
        let rest = 0u64.wrapping_sub(quotient.wrapping_mul(self.value));
        ShoupFactor { value: w, quotient: quotient + u64::from(rest >= self.value) }
    }

    /// a·w for a prepared constant. In: any word a. Out: < q.
    #[inline]
    pub fn mul_shoup(&self, a: u64, w: ShoupFactor) -> u64 {
        let lazy = self.mul_shoup_lazy(a, w);
        lazy.min(lazy.wrapping_sub(self.value))
    }

    /// a·w for a prepared constant, in [0, 2q). In: any word a.
    #[inline]
    pub fn mul_shoup_lazy(&self, a: u64, w: ShoupFactor) -> u64 {
        let quotient = ((u128::from(a) * u128::from(w.quotient)) >> 64) as u64;
        a.wrapping_mul(w.value).wrapping_sub(quotient.wrapping_mul(self.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moduli() -> impl Strategy<Value = Modulus> {
        (2u32..=61, any::<u64>()).prop_map(|(bits, low)| {
            let top = 1u64 << (bits - 1);
            Modulus::new(top | (low & (top - 1)) | 1).expect("odd and in range")
        })
    }

    proptest! {
        #[test]
        fn single_word_operations_equal_wide_remainders(q in moduli(), a: u64, b: u64, wide: u128) {
            let m = u128::from(q.value());
            let (x, y) = (a % q.value(), b % q.value());
            let (wx, wy) = (u128::from(x), u128::from(y));
            prop_assert_eq!(u128::from(q.add(x, y)), (wx + wy) % m);
            prop_assert_eq!(u128::from(q.sub(x, y)), (wx + m - wy) % m);
            prop_assert_eq!(u128::from(q.mul(x, y)), (wx * wy) % m);
            prop_assert_eq!(u128::from(q.reduce(a)), u128::from(a) % m);
            prop_assert_eq!(u128::from(q.reduce_u128(wide)), wide % m);
            prop_assert_eq!(u128::from(q.shoup(y).quotient), (wy << 64) / m);
            prop_assert_eq!(u128::from(q.mul_shoup(a, q.shoup(y))), u128::from(a) * wy % m);
            prop_assert_eq!(i128::from(q.reduce_i64(a as i64)), i128::from(a as i64).rem_euclid(m as i128));
            prop_assert_eq!(q.reduce_i64(q.centre(x)), x);
        }

        #[test]
        fn inverse_exists_exactly_for_units(q in moduli(), a: u64) {
            let a = a % q.value();
            match q.inverse(a) {
                Some(inverse) => prop_assert_eq!(q.mul(a, inverse), 1),
                None => prop_assert!((2..=q.value()).any(|d| q.value().is_multiple_of(d) && a.is_multiple_of(d) || d > 100_000)),
            }
        }
    }

    #[test]
    fn worst_case_operands_reduce_at_the_widest_modulus() {
        let q = Modulus::new((1 << 61) - 1).unwrap();
        let top = q.value() - 1;
        assert_eq!(q.mul(top, top), 1);
        assert_eq!(q.reduce_u128(u128::MAX), (u128::MAX % u128::from(q.value())) as u64);
    }

    #[test]
    fn even_and_oversized_moduli_are_refused() {
        for value in [0, 1, 2, 4, 1 << 61, (1 << 61) + 1, u64::MAX] {
            assert_eq!(Modulus::new(value), Err(ModulusError::OutOfRange(value)));
        }
    }
}
