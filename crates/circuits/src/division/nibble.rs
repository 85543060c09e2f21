//! Long division by digits of four bits, for numbers of any length.

use crate::parallel::try_map;
use asanoha_ring::Modulus;

use super::prefix::{Carry, carries};
use crate::{
    Domain, ExactArithmetic, OneVariableTable, Output, Powers, TableError, TwoVariableTable,
    level::aligned,
    polynomial::{Schedule, evaluate_all},
};

/// The base of the digits.
const BASE: i64 = 16;

/// Division of numbers given by encrypted digits of four bits, the least significant first.
///
/// The multiples 1·d … 15·d of the divisor are made once, in digits, with their carries by a prefix network. Each step
/// shifts the next digit of the dividend into the remainder and compares it with all fifteen at once: the differences of
/// digits are polynomials' arguments, \[difference < 0\] and \[difference = 0\] give the borrows, again by a prefix
/// network, and the last borrow says which multiples are too large. Their number is the quotient's digit; the new
/// remainder is selected from the fifteen differences, whose digits are linear in the borrows.
///
/// Depth for divisors of n digits: 5 + 2·⌈log2 n⌉ or less for the multiples, and 6 + ⌈log2(n + 1)⌉ for each step; about
/// 15·(n + 1)·16 products a step. A divisor of zero leaves quotient 0 and the dividend's last n digits as remainder.
#[derive(Clone, Debug)]
pub struct NibbleDivision {
    modulus: Modulus,
    digits: usize,
    /// For k = 1 … 15, the digits of k·u.
    multiples: Vec<Multiple>,
    /// \[u = 0\].
    zero_digit: OneVariableTable,
    /// \[d < 0\] and \[d = 0\] for differences of digits.
    negative: OneVariableTable,
    zero: OneVariableTable,
}

/// A quotient and a remainder by their digits, the least significant first.
#[derive(Clone, Debug)]
pub struct DigitQuotient<V> {
    /// As many digits as the dividend has.
    pub quotient: Vec<V>,
    /// As many digits as the divisor has.
    pub remainder: Vec<V>,
}

/// A multiple k·u = 16·high + low of a digit u, and the carry out of low + high of the next lower digit.
#[derive(Clone, Debug)]
struct Multiple {
    low: OneVariableTable,
    high: OneVariableTable,
    /// \[low(u) + high(v) ≥ 16\] and \[low(u) + high(v) = 15\].
    generates: TwoVariableTable,
    propagates: TwoVariableTable,
}

impl Multiple {
    fn new(domain: &Domain, k: i64) -> Result<Self, TableError> {
        let one = |f: &dyn Fn(i64) -> i64| OneVariableTable::new(domain, &Output::Integer, f);
        let sum = move |u: i64, v: i64| k * u % BASE + k * v / BASE;
        let two = |f: &(dyn Fn(i64) -> bool + Sync)| {
            TwoVariableTable::new(domain, domain, &Output::Integer, |u, v| i64::from(f(sum(u, v))))
        };
        Ok(Self {
            low: one(&|u| k * u % BASE)?,
            high: one(&|u| k * u / BASE)?,
            generates: two(&|sum| sum >= BASE)?,
            propagates: two(&|sum| sum == BASE - 1)?,
        })
    }
}

impl NibbleDivision {
    /// For divisors of a number of digits and a plaintext modulus.
    ///
    /// # Errors
    /// [`TableError::Domain`] for a modulus below 32.
    ///
    /// # Panics
    /// If there are no digits.
    pub fn new(modulus: &Modulus, digits: usize) -> Result<Self, TableError> {
        assert!(digits > 0);
        let domain = Domain::integers(modulus, 0..=BASE - 1)?;
        let differences = Domain::integers(modulus, -BASE..=BASE - 1)?;
        let table = |domain: &Domain, f: fn(i64) -> bool| {
            OneVariableTable::new(domain, &Output::Integer, |value| i64::from(f(value)))
        };
        Ok(Self {
            modulus: *modulus,
            digits,
            multiples: (1..BASE).map(|k| Multiple::new(&domain, k)).collect::<Result<_, _>>()?,
            zero_digit: table(&domain, |digit| digit == 0)?,
            negative: table(&differences, |difference| difference < 0)?,
            zero: table(&differences, |difference| difference == 0)?,
        })
    }

    /// ⌊a/d⌋ and the remainder.
    ///
    /// # Panics
    /// If the divisor hasn't as many digits as this was made for, or the plaintext modulus is another.
    pub fn divide<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        dividend: &[A::Value],
        divisor: &[A::Value],
    ) -> Result<DigitQuotient<A::Value>, A::Error> {
        assert_eq!(arithmetic.modulus(), self.modulus.value().into());
        assert_eq!(divisor.len(), self.digits);
        let multiples = self.multiples_of(arithmetic, divisor)?;
        let level = multiples.iter().flatten().map(|digit| arithmetic.level(digit)).min().expect("digits");
        let mut remainder = vec![arithmetic.constant(0, level)?; self.digits];
        let mut quotient = Vec::with_capacity(dividend.len());
        for digit in dividend.iter().rev() {
            remainder.insert(0, digit.clone());
            quotient.push(self.step(arithmetic, &multiples, &mut remainder)?);
        }
        quotient.reverse();
        Ok(DigitQuotient { quotient, remainder })
    }

    /// The digits of k·d for k = 1 … 15, one more than d has. For d = 0 the uppermost is 16, above any remainder's.
    fn multiples_of<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        divisor: &[A::Value],
    ) -> Result<Vec<Vec<A::Value>>, A::Error> {
        let powers = |i: usize| Powers::new(arithmetic, &divisor[i], BASE as usize);
        let powers = try_map(divisor.len(), &powers)?;
        let zeros = powers.iter().map(|powers| self.zero_digit.evaluate(arithmetic, powers));
        let mut zeros = zeros.collect::<Result<Vec<_>, _>>()?;
        while zeros.len() > 1 {
            let pairs = zeros.chunks(2).map(|pair| match pair {
                [a, b] => arithmetic.multiply(a, b),
                rest => Ok(rest[0].clone()),
            });
            zeros = pairs.collect::<Result<_, _>>()?;
        }
        let above_all = scaled(arithmetic, &zeros[0], BASE as u64)?;
        try_map(self.multiples.len(), &|i| self.multiples[i].digits(arithmetic, &powers, &above_all))
    }

    /// One digit of the quotient; the remainder, with the dividend's next digit at its lower end, loses one.
    fn step<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        multiples: &[Vec<A::Value>],
        remainder: &mut Vec<A::Value>,
    ) -> Result<A::Value, A::Error> {
        let subtracted = try_map(multiples.len(), &|i| self.subtract(arithmetic, remainder, &multiples[i]))?;
        let level = subtracted.iter().map(|s| arithmetic.level(&s.fits)).min().expect("fifteen multiples");
        // The k-th multiple is the one: it fits, and the next doesn't.
        let one = arithmetic.constant(1, level)?;
        let fits = std::iter::once(one).chain(subtracted.iter().map(|s| s.fits.clone())).collect::<Vec<_>>();
        let mut chosen = Vec::with_capacity(fits.len());
        for k in 0..fits.len() {
            chosen.push(match fits.get(k + 1) {
                Some(next) => arithmetic.sub(&fits[k], next)?,
                None => fits[k].clone(),
            });
        }
        let mut quotient = fits[1].clone();
        for fits in &fits[2..] {
            quotient = arithmetic.add(&quotient, fits)?;
        }
        remainder.truncate(self.digits);
        let select = |j: usize| {
            let candidates = std::iter::once(&remainder[j]).chain(subtracted.iter().map(|s| &s.digits[j]));
            sum_of_products(arithmetic, &chosen, &candidates.cloned().collect::<Vec<_>>())
        };
        *remainder = try_map(remainder.len(), &select)?;
        Ok(quotient)
    }

    /// a − b by digits, with their borrows.
    fn subtract<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        a: &[A::Value],
        b: &[A::Value],
    ) -> Result<Subtracted<A::Value>, A::Error> {
        let differences = a.iter().zip(b).map(|(a, b)| arithmetic.sub(a, b));
        let differences = differences.collect::<Result<Vec<_>, _>>()?;
        let tables = [self.negative.coefficients(), self.zero.coefficients()];
        let borrow = |i: usize| {
            let mut values = evaluate_all(arithmetic, &tables, &differences[i], Schedule::LeastDepth)?;
            let propagates = values.swap_remove(1);
            Ok(Carry { generates: values.swap_remove(0), propagates })
        };
        let borrows = try_map(differences.len(), &borrow)?;
        let borrows = carries(arithmetic, borrows)?;
        let digits = (0..self.digits).map(|j| {
            let lent = scaled(arithmetic, &borrows[j], BASE as u64)?;
            let digit = arithmetic.add(&differences[j], &lent)?;
            if j == 0 { Ok(digit) } else { arithmetic.sub(&digit, &borrows[j - 1]) }
        });
        let last = &borrows[self.digits];
        let one = arithmetic.constant(1, arithmetic.level(last))?;
        Ok(Subtracted { fits: arithmetic.sub(&one, last)?, digits: digits.collect::<Result<_, A::Error>>()? })
    }
}

/// A difference of numbers.
struct Subtracted<V> {
    /// Whether it isn't negative.
    fits: V,
    /// Its digits, if so.
    digits: Vec<V>,
}

impl Multiple {
    /// The digits of k·d, from the powers of d's digits.
    fn digits<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        powers: &[Powers<A::Value>],
        above_all: &A::Value,
    ) -> Result<Vec<A::Value>, A::Error> {
        let low = powers.iter().map(|powers| self.low.evaluate(arithmetic, powers));
        let high = powers.iter().map(|powers| self.high.evaluate(arithmetic, powers));
        let (low, high) = (low.collect::<Result<Vec<_>, _>>()?, high.collect::<Result<Vec<_>, _>>()?);
        // The lowest digit has no carry out; the others' are one place higher.
        let carry = |pair: &[Powers<A::Value>]| {
            let generates = self.generates.evaluate(arithmetic, &pair[1], &pair[0])?;
            Ok(Carry { generates, propagates: self.propagates.evaluate(arithmetic, &pair[1], &pair[0])? })
        };
        let carried = powers.windows(2).map(carry).collect::<Result<Vec<_>, A::Error>>()?;
        let carried = carries(arithmetic, carried)?;
        let mut digits = vec![low[0].clone()];
        for j in 1..powers.len() {
            let sum = arithmetic.add(&low[j], &high[j - 1])?;
            let sum = arithmetic.sub(&sum, &scaled(arithmetic, &carried[j - 1], BASE as u64)?)?;
            digits.push(if j == 1 { sum } else { arithmetic.add(&sum, &carried[j - 2])? });
        }
        let mut last = arithmetic.add(&high[powers.len() - 1], above_all)?;
        if let Some(carry) = carried.last() {
            last = arithmetic.add(&last, carry)?;
        }
        digits.push(last);
        Ok(digits)
    }
}

/// w·a.
fn scaled<A: ExactArithmetic>(arithmetic: &A, a: &A::Value, w: u64) -> Result<A::Value, A::Error> {
    arithmetic.weighted_sum(&[a], &[w])
}

/// Σ aₖ·bₖ with one relinearisation.
fn sum_of_products<A: ExactArithmetic>(
    arithmetic: &A,
    a: &[A::Value],
    b: &[A::Value],
) -> Result<A::Value, A::Error> {
    let all = aligned(arithmetic, a.iter().chain(b))?;
    let (a, b) = all.split_at(a.len());
    let identity = (0..a.len() * b.len()).map(|i| u64::from(i / b.len() == i % b.len())).collect::<Vec<_>>();
    arithmetic.bilinear_form(&a.iter().collect::<Vec<_>>(), &identity, &b.iter().collect::<Vec<_>>())
}
