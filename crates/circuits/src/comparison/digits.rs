//! Comparison of encrypted integers by their digits.

use crate::parallel::try_map;
use asanoha_ring::Modulus;

use crate::{Domain, ExactArithmetic, OneVariableTable, Output, Schedule, TableError};

/// The comparison of two integers a and b by the differences of their digits.
///
/// \[dⱼ < 0\] and \[dⱼ = 0\] are polynomials of every difference, which share its powers; neighbours join by halves:
/// a < b if the upper digits are less, or equal and the lower ones less. Depth: one more than the digits have bits, and
/// ⌈log2⌉ of their number, so 7 for sixteen bits in digits of four, as against 17 for the difference as it is.
/// Source: Tan, Lee, Wang, Ren, Khin Mi Mi Aung 2020.
#[derive(Clone, Debug)]
pub struct DigitComparison {
    less: OneVariableTable,
    equal: OneVariableTable,
}

impl DigitComparison {
    /// For digits of `digit_bits` bits.
    ///
    /// # Errors
    /// [`TableError::Domain`] if there are more differences than residues, or than a domain may have.
    pub fn new(modulus: &Modulus, digit_bits: u32) -> Result<Self, TableError> {
        let largest = 1i64.checked_shl(digit_bits).filter(|_| digit_bits < 32).unwrap_or(1 << 32) - 1;
        let differences = Domain::integers(modulus, -largest..=largest)?;
        let table = |f: fn(i64) -> bool| {
            OneVariableTable::new(&differences, &Output::Integer, |difference| i64::from(f(difference)))
        };
        Ok(Self { less: table(|difference| difference < 0)?, equal: table(|difference| difference == 0)? })
    }

    /// \[a < b\] and \[a = b\] from the differences of a's and b's digits, the least significant first.
    ///
    /// # Panics
    /// If there are no digits, or the plaintext modulus is another.
    pub fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        differences: &[&A::Value],
    ) -> Result<[A::Value; 2], A::Error> {
        assert!(!differences.is_empty());
        let compare = |i: usize| {
            let tables = [&self.less, &self.equal];
            let mut values =
                OneVariableTable::apply_all(&tables, arithmetic, differences[i], Schedule::LeastDepth)?;
            let equal = values.swap_remove(1);
            Ok([values.swap_remove(0), equal])
        };
        let mut compared = try_map(differences.len(), &compare)?;
        while compared.len() > 1 {
            let join = |pair: usize| {
                let pair = &compared[2 * pair..compared.len().min(2 * pair + 2)];
                let [[low_less, low_equal], [high_less, high_equal]] = pair else {
                    return Ok(pair[0].clone());
                };
                let less = arithmetic.add(high_less, &arithmetic.multiply(high_equal, low_less)?)?;
                Ok([less, arithmetic.multiply(high_equal, low_equal)?])
            };
            compared = try_map(compared.len().div_ceil(2), &join)?;
        }
        Ok(compared.swap_remove(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CostCounter, PlainArithmetic};

    #[test]
    fn digits_compare_as_their_numbers() {
        let modulus = Modulus::new(65537).unwrap();
        for (digits, bits) in [(1u32, 4), (2, 2), (3, 3), (4, 4), (5, 1)] {
            let comparison = DigitComparison::new(&modulus, bits).unwrap();
            let end = 1i64 << (digits * bits);
            let pairs: Vec<(i64, i64)> = if end <= 32 {
                (0..end).flat_map(|a| (0..end).map(move |b| (a, b))).collect()
            } else {
                (0..2000)
                    .map(|i| (i * 7919 % end, (i * 104729 + i % 3) % end))
                    .chain([(end - 1, 0)])
                    .collect()
            };
            let plain = PlainArithmetic::new(modulus, pairs.len());
            let digit = |x: i64, j: u32| x >> (j * bits) & ((1 << bits) - 1);
            let difference = |j: u32| {
                let slots: Vec<i64> = pairs.iter().map(|&(a, b)| digit(a, j) - digit(b, j)).collect();
                plain.value(&slots, 9)
            };
            let differences: Vec<_> = (0..digits).map(difference).collect();
            let [less, equal] = comparison.apply(&plain, &differences.iter().collect::<Vec<_>>()).unwrap();
            for ((&(a, b), less), equal) in pairs.iter().zip(&less.slots).zip(&equal.slots) {
                assert_eq!((*less, *equal), (u64::from(a < b), u64::from(a == b)), "{a} and {b}");
            }
            let counter = CostCounter::new(65537u32);
            let inputs = vec![counter.input(); digits as usize];
            let Ok(_) = comparison.apply(&counter, &inputs.iter().collect::<Vec<_>>());
            let joins = digits.next_power_of_two().ilog2();
            assert_eq!(counter.cost().depth, (bits + 1 + joins) as usize);
        }
        assert!(DigitComparison::new(&modulus, 16).is_err() && DigitComparison::new(&modulus, 99).is_err());
    }
}
