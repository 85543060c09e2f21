//! Long dividends by short divisors.

use crate::parallel::try_map;
use asanoha_ring::Modulus;

use super::{quotient, remainder};
use crate::{
    Domain, ExactArithmetic, OneVariableTable, Output, Powers, Schedule, TableError, TwoVariableTable,
};

/// Division of a number of n encrypted digits in base B by one of a table's domain, 0 … 2^m − 1.
///
/// With a = Σ aᵢ·Bⁱ, ⌊a/d⌋ = Σᵢ ⌊aᵢ·Bⁱ/d⌋ + ⌊S/d⌋, where S = Σᵢ (aᵢ·Bⁱ mod d) is less than n·d, so that the last term is
/// how many of d, 2d, …, (n−1)·d are at most S. The parts are tables of the two variables aᵢ and d, which share their
/// powers, and the comparisons are polynomials of S − k·d. The tables are evaluated with all the levels that the
/// comparisons need still to come, so that they take more time and memory than a division without them: digits of fewer
/// bits cost less, and a few levels more.
///
/// Depth: one more than that of the powers, and ⌈log2(2(n−1)·2^m)⌉ for the comparisons: 18 for sixteen bits by eight in two
/// digits, as against 9 for eight by eight.
#[derive(Clone, Debug)]
pub struct WideDivision {
    modulus: Modulus,
    digit_values: usize,
    divisor_values: usize,
    /// ⌊u·Bⁱ/v⌋ and u·Bⁱ mod v, digit by digit.
    parts: Vec<(TwoVariableTable, TwoVariableTable)>,
    /// \[difference ≥ 0\].
    fits: Option<OneVariableTable>,
}

impl WideDivision {
    /// For a number of digits of `digit_bits` bits and divisors of `divisor_bits` bits.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] for digits or divisors of more than ten bits, [`TableError::Domain`] for numbers that
    /// don't fit the plaintext modulus: it must exceed a dividend, and 2·(n−1) times a divisor.
    ///
    /// # Panics
    /// If there are no digits.
    pub fn new(
        modulus: &Modulus,
        digits: usize,
        digit_bits: u32,
        divisor_bits: u32,
    ) -> Result<Self, TableError> {
        assert!(digits > 0);
        let all_bits = u32::try_from(digits).ok().and_then(|digits| digits.checked_mul(digit_bits));
        let last = |bits: u32| 1i64.checked_shl(bits).filter(|_| bits < 62).map_or(i64::MAX, |end| end - 1);
        // Refuses dividends that quotients by 1 wouldn't fit.
        Domain::integers(modulus, 0..=last(all_bits.unwrap_or(u32::MAX)))?;
        let (digit, divisor) = (
            Domain::integers(modulus, 0..=last(digit_bits))?,
            Domain::integers(modulus, 0..=last(divisor_bits))?,
        );
        let part = |place: usize| {
            let shift = place as u32 * digit_bits;
            let table = |f: fn(i64, i64) -> i64| {
                TwoVariableTable::new(&digit, &divisor, &Output::Integer, move |u, v| f(u << shift, v))
            };
            // For a divisor of zero the sum of all remainders is −1, so that no multiple of it fits.
            let remainders: fn(i64, i64) -> i64 = if place == 0 {
                |u, v| if v == 0 { -1 } else { remainder(u, v) }
            } else {
                |u, v| if v == 0 { 0 } else { remainder(u, v) }
            };
            Ok((table(quotient)?, table(remainders)?))
        };
        let parts = (0..digits).map(part).collect::<Result<Vec<_>, TableError>>()?;
        let largest = (digits as i64 - 1) * last(divisor_bits);
        let fits = (digits > 1).then(|| {
            let differences = Domain::integers(modulus, -largest..=largest)?;
            OneVariableTable::new(&differences, &Output::Integer, |difference| i64::from(difference >= 0))
        });
        Ok(Self {
            modulus: *modulus,
            digit_values: digit.len(),
            divisor_values: divisor.len(),
            parts,
            fits: fits.transpose()?,
        })
    }

    /// ⌊a/d⌋ as an integer; 0 for d = 0. The remainder is a − d·⌊a/d⌋.
    ///
    /// # Panics
    /// If the dividend hasn't as many digits as this was made for, or the plaintext modulus is another.
    pub fn divide<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        dividend: &[A::Value],
        divisor: &A::Value,
    ) -> Result<A::Value, A::Error> {
        assert_eq!(arithmetic.modulus(), self.modulus.value().into());
        assert_eq!(dividend.len(), self.parts.len());
        let divisors = Powers::new(arithmetic, divisor, self.divisor_values)?;
        let mut sums: Option<(A::Value, A::Value)> = None;
        // One digit after another: its powers take memory, and are made on all threads.
        for ((quotients, remainders), digit) in self.parts.iter().zip(dividend) {
            let digits = Powers::new(arithmetic, digit, self.digit_values)?;
            let quotient = quotients.evaluate(arithmetic, &digits, &divisors)?;
            let remainder = remainders.evaluate(arithmetic, &digits, &divisors)?;
            sums = Some(match sums {
                None => (quotient, remainder),
                Some((q, r)) => (arithmetic.add(&q, &quotient)?, arithmetic.add(&r, &remainder)?),
            });
        }
        let (quotient, rest) = sums.expect("there are digits");
        let Some(fits) = &self.fits else { return Ok(quotient) };
        let multiples = try_map(self.parts.len() - 1, &|k| {
            let multiple = arithmetic.weighted_sum(&[divisor], &[k as u64 + 1])?;
            fits.apply(arithmetic, &arithmetic.sub(&rest, &multiple)?, Schedule::LeastDepth)
        })?;
        multiples.iter().try_fold(quotient, |sum, fits| arithmetic.add(&sum, fits))
    }
}
