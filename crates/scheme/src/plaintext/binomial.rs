//! Plaintexts modulo X^k − b: few very large numbers with little noise.

use asanoha_lattice::{Embedding, Norm};
use asanoha_ring::{Basis, Coefficient, Evaluation, Poly};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use rayon::prelude::*;

use super::PlaintextError;

/// The plaintext space Z\[X\]/(X^N + 1, X^k − b), k | N: with n = N/k, X^N = b^n, so it's k coefficients modulo
/// M = b^n + 1, of 1, X, … X^(k−1), where X^k = b.
///
/// A number modulo M is written in balanced base b, with its digits at the powers of X^k, so that its polynomial has
/// coefficients of at most about b/2, however large M is. That's why products add only about log2(b·N) bits of noise.
/// Source: Chen, Laine, Player, Xia 2018, "High-precision arithmetic in homomorphic encryption"; Geelen, Vercauteren
/// 2024 (GBFV).
#[derive(Debug)]
pub struct Binomial {
    ring_degree: usize,
    exponent: usize,
    base: u32,
    modulus: BigUint,
    embedding: Embedding,
}

impl Binomial {
    /// X^exponent − base, for an exponent that divides the ring degree and a base of at least 2.
    pub fn new(ring_degree: usize, exponent: usize, base: u32) -> Self {
        let modulus = BigUint::from(base).pow((ring_degree / exponent) as u32) + 1u32;
        Self { ring_degree, exponent, base, modulus, embedding: Embedding::new(ring_degree) }
    }

    /// M = b^n + 1.
    pub(crate) fn modulus(&self) -> &BigUint {
        &self.modulus
    }

    /// The number of values, k.
    pub(crate) fn values(&self) -> usize {
        self.exponent
    }

    /// The largest absolute value of X^k − b at a root of unity: b + 1.
    pub(crate) fn norm(&self) -> f64 {
        f64::from(self.base) + 1.0
    }

    /// A bound on the norm of d/(X^k − b) for the digits d of any values: N coefficients of at most b/2 + 1, over
    /// values of at least b − 1.
    pub(crate) fn rounding_norm(&self) -> f64 {
        let base = f64::from(self.base);
        self.ring_degree as f64 * (base / 2.0 + 1.0) / (base - 1.0)
    }

    /// A bound on the norm of the digits of any values: N coefficients of at most b/2 + 1.
    pub(crate) fn largest_norm(&self) -> Norm {
        Norm::from(self.ring_degree as f64 * (f64::from(self.base) / 2.0 + 1.0))
    }

    /// X^k − b, in N coefficients.
    pub(crate) fn polynomial(&self) -> Vec<i64> {
        let mut coefficients = vec![0; self.ring_degree];
        coefficients[0] = -i64::from(self.base);
        // X^N = −1.
        if self.exponent == self.ring_degree {
            coefficients[0] -= 1;
        } else {
            coefficients[self.exponent] = 1;
        }
        coefficients
    }

    /// −1/(X^k − b) modulo the primes of a basis, which don't divide M: Σ b^(n−1−j)·X^(jk) over j < n, over M.
    pub(crate) fn negated_inverse(&self, basis: &Basis) -> Poly<Evaluation> {
        let mut coefficients = vec![BigInt::zero(); self.ring_degree];
        let product = BigInt::from(basis.product());
        let inverse = BigInt::from(self.modulus.clone()).modinv(&product).expect("no prime divides M");
        let mut power = inverse;
        for coefficient in coefficients.iter_mut().step_by(self.exponent).rev() {
            coefficient.clone_from(&power);
            power = power * self.base % &product;
        }
        Poly::from_integers(basis, &coefficients).into_evaluation()
    }

    /// The polynomial of k values modulo M, digits of at most b/2 (one of them, rarely, b/2 + 1) in size.
    pub(crate) fn digits(&self, values: &[BigUint]) -> Vec<i64> {
        let columns: Vec<Vec<i64>> = values.par_iter().map(|value| self.column(value)).collect();
        let mut coefficients = vec![0; self.ring_degree];
        for (i, column) in columns.iter().enumerate() {
            coefficients[i..]
                .iter_mut()
                .step_by(self.exponent)
                .zip(column)
                .for_each(|(c, digit)| *c = *digit);
        }
        coefficients
    }

    /// The n digits of one value.
    fn column(&self, value: &BigUint) -> Vec<i64> {
        let (modulus, base) = (BigInt::from(self.modulus.clone()), i64::from(self.base));
        let mut rest = BigInt::from(value.clone());
        if &rest * 2 > modulus {
            rest -= modulus;
        }
        let mut digits = vec![0; self.ring_degree / self.exponent];
        if self.base == 2 {
            let sign = if rest.is_negative() { -1 } else { 1 };
            let bits = (0..).map(|at| sign * i64::from(rest.magnitude().bit(at)));
            digits.iter_mut().zip(bits).for_each(|(digit, bit)| *digit = bit);
            return digits;
        }
        for digit in &mut digits {
            let residue = rest.mod_floor(&base.into()).to_i64().expect("below the base");
            // Halfway, towards zero: else −1 in base 2 would never end.
            let negative = 2 * residue > base || (2 * residue == base && rest.is_negative());
            *digit = if negative { residue - base } else { residue };
            rest = (rest - *digit) / base;
        }
        // What is left belongs to X^N = −1.
        digits[0] -= rest.to_i64().expect("at most 1 in size");
        digits
    }

    /// The k values modulo M of a polynomial.
    pub(crate) fn evaluate(&self, coefficients: &[i64]) -> Vec<BigUint> {
        let modulus = BigInt::from(self.modulus.clone());
        let value = |i: usize| {
            let column = coefficients[i..].iter().step_by(self.exponent).rev();
            let sum = column.fold(BigInt::zero(), |sum, &digit| sum * self.base + digit);
            let (sign, magnitude) = sum.mod_floor(&modulus).into_parts();
            debug_assert!(sign != Sign::Minus);
            magnitude
        };
        (0..self.exponent).into_par_iter().map(value).collect()
    }

    /// The k values modulo M of a polynomial that's small modulo the primes of a basis.
    pub(crate) fn reduce(&self, m: &Poly<Coefficient>) -> Vec<BigUint> {
        let integers = m.to_integers();
        let coefficients: Vec<i64> = integers.iter().map(|c| c.to_i64().expect("at most about b")).collect();
        self.evaluate(&coefficients)
    }

    /// Every value times a factor.
    pub(crate) fn scale(&self, values: &[BigUint], factor: &BigInt) -> Vec<BigUint> {
        let factor = self.residue(factor);
        values.iter().map(|value| value * &factor % &self.modulus).collect()
    }

    /// The constant c.
    pub(crate) fn constant(&self, c: &BigInt) -> Vec<BigUint> {
        let mut values = vec![BigUint::zero(); self.exponent];
        values[0] = self.residue(c);
        values
    }

    fn residue(&self, x: &BigInt) -> BigUint {
        x.mod_floor(&self.modulus.clone().into()).into_parts().1
    }

    /// The canonical norm of the digits' polynomial, rounded up.
    pub(crate) fn plain_norm(&self, values: &[BigUint]) -> Norm {
        let digits: Vec<f64> = self.digits(values).iter().map(|&digit| digit as f64).collect();
        Norm::from(self.embedding.norm(&digits))
    }

    /// Takes at most k centred numbers, missing ones as zero.
    pub(crate) fn encode(&self, values: &[BigInt]) -> Result<Vec<BigUint>, PlaintextError> {
        let largest = BigInt::from(&self.modulus >> 1u32);
        let smallest = &largest + 1u32 - BigInt::from(self.modulus.clone());
        self.check(values, smallest, largest)?;
        Ok(self.padded(values.iter().map(|value| self.residue(value)).collect()))
    }

    /// Takes at most k numbers from 0 to the modulus, missing ones as zero.
    pub(crate) fn encode_unsigned(&self, values: &[BigUint]) -> Result<Vec<BigUint>, PlaintextError> {
        let integers: Vec<BigInt> = values.iter().map(|value| value.clone().into()).collect();
        self.check(&integers, BigInt::zero(), BigInt::from(&self.modulus - 1u32))?;
        Ok(self.padded(values.to_vec()))
    }

    fn check(&self, values: &[BigInt], smallest: BigInt, largest: BigInt) -> Result<(), PlaintextError> {
        if values.len() > self.exponent {
            return Err(PlaintextError::TooManyValues { found: values.len(), values: self.exponent });
        }
        match values.iter().position(|value| *value < smallest || *value > largest) {
            Some(index) => {
                let value = values[index].clone();
                Err(PlaintextError::ValueOutOfRange { index, value, smallest, largest })
            }
            None => Ok(()),
        }
    }

    fn padded(&self, mut values: Vec<BigUint>) -> Vec<BigUint> {
        values.resize(self.exponent, BigUint::zero());
        values
    }

    /// The values, centred.
    pub(crate) fn decode(&self, values: &[BigUint]) -> Vec<BigInt> {
        let half = &self.modulus >> 1u32;
        let centred = |value: &BigUint| {
            let integer = BigInt::from(value.clone());
            if *value > half { integer - BigInt::from(self.modulus.clone()) } else { integer }
        };
        values.iter().map(centred).collect()
    }
}

#[cfg(test)]
mod tests {
    use asanoha_ring::Backend;
    use asanoha_testkit::{TestIntegers, negacyclic_product};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn digits_are_small_and_evaluate_to_their_values(
            seed: u64,
            log2_exponent in 0u32..=5,
            base in prop_oneof![2u32..20, Just(u32::MAX)],
        ) {
            let space = Binomial::new(32, 1 << log2_exponent, base);
            let modulus = BigInt::from(space.modulus().clone());
            let mut integers = TestIntegers(seed);
            let mut values: Vec<BigUint> = (0..space.values())
                .map(|_| integers.below(&modulus).mod_floor(&modulus).magnitude().clone())
                .collect();
            // Those next to M/2 and M need the most digits.
            let extremes = [BigUint::zero(), space.modulus() - 1u32, space.modulus() >> 1, (space.modulus() >> 1) + 1u32];
            let extreme = extremes[(seed % 4) as usize].clone();
            values[0] = extreme;
            let digits = space.digits(&values);
            prop_assert!(digits.iter().all(|digit| digit.unsigned_abs() <= u64::from(base / 2 + 1)));
            prop_assert_eq!(space.evaluate(&digits), values);
        }

        #[test]
        fn products_of_polynomials_are_those_of_the_numbers(seed: u64, base in 2u32..20) {
            // k = 1: one number, and X is replaced by b.
            let space = Binomial::new(32, 1, base);
            let modulus = BigInt::from(space.modulus().clone());
            let mut integers = TestIntegers(seed);
            let [x, y] = [0, 1].map(|_| integers.below(&modulus).mod_floor(&modulus).magnitude().clone());
            let [a, b] = [&x, &y].map(|x| space.digits(std::slice::from_ref(x)).into_iter().map(BigInt::from).collect::<Vec<_>>());
            let product: Vec<i64> = negacyclic_product(&a, &b).iter().map(|c| c.to_i64().unwrap()).collect();
            prop_assert_eq!(space.evaluate(&product), vec![x * y % space.modulus()]);
        }
    }

    #[test]
    fn the_inverse_times_the_polynomial_is_minus_one() {
        let primes = asanoha_kernels::primes_congruent_to_one(40, 64, 3, &[]).unwrap();
        let basis = Basis::new(32, &primes, Backend::detect().unwrap()).unwrap();
        for exponent in [1, 4, 32] {
            let space = Binomial::new(32, exponent, 6);
            let polynomial = Poly::from_small(&basis, &space.polynomial()).into_evaluation();
            let product = polynomial.mul(&space.negated_inverse(&basis)).into_coefficient().to_integers();
            let expected: Vec<BigInt> =
                (0..32).map(|i| if i == 0 { BigInt::from(-1) } else { BigInt::zero() }).collect();
            assert_eq!(product, expected);
        }
    }
}
