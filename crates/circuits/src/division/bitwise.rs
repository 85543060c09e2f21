//! Division of encrypted bits: what integer-wise division is measured against.

use crate::ExactArithmetic;

/// The quotient of two numbers given by as many encrypted bits each, the least significant first, by non-restoring
/// division with ripple-carry adders; 2^l − 1 for a divisor of zero.
///
/// Each of l steps takes twice the remainder and the next bit, subtracts the divisor if the remainder before was not
/// negative or else adds it, and the quotient's bit is the new sign. Depth: about l + 1 products a step modulo 2, where
/// an exclusive or is a sum, and l + 3 modulo an odd t, where it's (a − b)²; l of those in all, so O(l²).
/// Source: Chen, Gong 2015, as improved by Xu, Chen, Wu, Feng 2016.
///
/// # Panics
/// If there are no bits, or not as many of both.
pub fn divide_bits<A: ExactArithmetic>(
    arithmetic: &A,
    dividend: &[A::Value],
    divisor: &[A::Value],
) -> Result<Vec<A::Value>, A::Error> {
    assert!(!dividend.is_empty() && dividend.len() == divisor.len());
    let bits = Bits { arithmetic, binary: arithmetic.modulus() == 2u32.into() };
    let level =
        dividend.iter().chain(divisor).map(|bit| arithmetic.level(bit)).min().expect("there are bits");
    let zero = arithmetic.constant(0, level)?;
    // One bit more than the divisor, in two's complement.
    let mut remainder = vec![zero; divisor.len() + 1];
    let mut quotient = Vec::with_capacity(dividend.len());
    for bit in dividend.iter().rev() {
        let subtract = bits.not(&remainder[divisor.len()])?;
        remainder.rotate_right(1);
        remainder[0] = bit.clone();
        remainder = bits.add_or_subtract(&remainder, divisor, &subtract)?;
        quotient.push(bits.not(&remainder[divisor.len()])?);
    }
    quotient.reverse();
    Ok(quotient)
}

/// Gates on encrypted bits.
struct Bits<'a, A> {
    arithmetic: &'a A,
    /// Whether t is 2.
    binary: bool,
}

impl<A: ExactArithmetic> Bits<'_, A> {
    fn not(&self, a: &A::Value) -> Result<A::Value, A::Error> {
        let one = self.arithmetic.constant(1, self.arithmetic.level(a))?;
        self.arithmetic.sub(&one, a)
    }

    fn xor(&self, a: &A::Value, b: &A::Value) -> Result<A::Value, A::Error> {
        let difference = self.arithmetic.sub(a, b)?;
        if self.binary { Ok(difference) } else { self.arithmetic.multiply(&difference, &difference) }
    }

    /// x ± y, where x has one bit more: x + (y ⊕ s) + s in two's complement, without the carry out.
    fn add_or_subtract(
        &self,
        x: &[A::Value],
        y: &[A::Value],
        subtract: &A::Value,
    ) -> Result<Vec<A::Value>, A::Error> {
        let mut carry = subtract.clone();
        let mut sum = Vec::with_capacity(x.len());
        for (j, x) in x.iter().enumerate() {
            // Above y's bits only s is left.
            let y = y.get(j).map_or_else(|| Ok(subtract.clone()), |y| self.xor(y, subtract))?;
            let differ = self.xor(x, &y)?;
            sum.push(self.xor(&differ, &carry)?);
            let both = self.arithmetic.multiply(x, &y)?;
            carry = self.arithmetic.add(&both, &self.arithmetic.multiply(&carry, &differ)?)?;
        }
        Ok(sum)
    }
}
