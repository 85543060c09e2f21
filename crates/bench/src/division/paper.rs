//! Integer-wise division and functions of two variables as published: Okada, Cid, Hidano, Kiyomoto, "Linear Depth
//! Integer-Wise Homomorphic Division" (2018), Algorithms 2 to 7, on the numbers 0 … n − 1 modulo any prime p ≥ n.
//!
//! They're here to be measured against. [`asanoha_circuits::TwoVariableTable`] does the same with one relinearisation in
//! place of n.
//!
//! The paper takes p = nextprime(2^l), the numbers 0 … p − 1, and polynomials without a constant coefficient, which is
//! right for those that vanish at 0. Numbers of l bits need n = 2^l points only, modulo a prime for which the ring has
//! many slots. All polynomials have a constant coefficient here, and the loop of Algorithm 7 begins at 0 like that of
//! Algorithm 2, so that any function is right everywhere.

use asanoha_circuits::{
    ExactArithmetic, TableError,
    division::{Interpolations, quotient},
    parallel::try_map,
};
use asanoha_kernels::is_prime;
use asanoha_ring::Modulus;
use rayon::prelude::*;

/// nextprime(2^l): 17, 37, 67, 131, 257 for l = 4 … 8.
///
/// # Panics
/// If l is above 60.
pub(super) fn next_prime(bits: u32) -> u64 {
    assert!(bits <= 60);
    ((1 << bits) + 1..2 << bits).find(|&p| is_prime(p)).expect("there is one below twice as much (Bertrand)")
}

/// Algorithm 3, Pows: C, C², …, C^(n−1), in ⌈log2(n − 1)⌉ levels, with C⁰ before them.
///
/// # Panics
/// If n is below 2.
pub(super) fn pows<A: ExactArithmetic>(
    arithmetic: &A,
    c: &A::Value,
    points: usize,
) -> Result<Vec<A::Value>, A::Error> {
    let count = points - 1;
    // C^j at index j − 1.
    let mut powers = vec![c.clone()];
    while powers.len() < count {
        // 2^i, and the j that there are.
        let half = powers.len();
        let last = half.min(count - half);
        let products = try_map(last, &|i| arithmetic.multiply(&powers[half - 1], &powers[i]))?;
        powers.extend(products);
    }
    let level = powers.iter().map(|power| arithmetic.level(power)).min().expect("there's one power at least");
    let mut all = vec![arithmetic.constant(1, level)?];
    all.extend(try_map(powers.len(), &|i| Ok(arithmetic.lowered(&powers[i], level)?.into_owned()))?);
    Ok(all)
}

/// Algorithms 4, 5 and 6, ConstDiv, ConstEq and ConstFunc: f_y(C) from the powers of C, for a public y. They differ in
/// the coefficients only.
///
/// # Panics
/// If there aren't n powers, or y isn't below n.
pub(super) fn const_function<A: ExactArithmetic>(
    arithmetic: &A,
    powers: &[A::Value],
    coefficients: &Interpolations,
    y: usize,
) -> Result<A::Value, A::Error> {
    arithmetic.weighted_sum(&powers.iter().collect::<Vec<_>>(), coefficients.row(y))
}

/// Algorithm 7, Func, and with ⌊x/y⌋ for g Algorithm 2, Div: Σ_y g(C_a, y)·\[C_b = y\].
#[derive(Clone, Debug)]
pub(super) struct PaperFunction {
    function: Interpolations,
    equality: Interpolations,
}

impl PaperFunction {
    /// Any function g(a, b) of a, b = 0 … n − 1.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] for n above 2^11, [`TableError::Domain`] for n above p.
    fn new(modulus: &Modulus, points: usize, g: impl Fn(i64, i64) -> i64) -> Result<Self, TableError> {
        let function = Interpolations::new(modulus, points, g)?;
        Ok(Self { function, equality: Interpolations::new(modulus, points, equal)? })
    }

    /// Division, ⌊a/d⌋ and 0 for d = 0.
    ///
    /// # Errors
    /// A quotient that cannot be computed at the parameters.
    pub(super) fn division(modulus: &Modulus, points: usize) -> Result<Self, TableError> {
        Self::new(modulus, points, quotient)
    }

    /// g(a, b): ⌈log2(n − 1)⌉ + 1 products deep, about 3n products and 2n² with constants.
    ///
    /// # Panics
    /// If the plaintext modulus isn't p.
    pub(super) fn apply<A: ExactArithmetic>(
        &self,
        arithmetic: &A,
        a: &A::Value,
        b: &A::Value,
    ) -> Result<A::Value, A::Error> {
        assert_eq!(arithmetic.modulus(), self.function.modulus().value().into());
        let points = self.function.points();
        let (a, b) = (pows(arithmetic, a, points)?, pows(arithmetic, b, points)?);
        let term = |y: usize| {
            let value = const_function(arithmetic, &a, &self.function, y)?;
            arithmetic.multiply(&value, &const_function(arithmetic, &b, &self.equality, y)?)
        };
        let sum = (0..points).into_par_iter().map(term);
        let sum = sum.try_reduce_with(|sum, term| arithmetic.add(&sum, &term));
        sum.expect("there are points")
    }
}

fn equal(x: i64, y: i64) -> i64 {
    i64::from(x == y)
}

#[cfg(test)]
mod tests {
    use asanoha_bgv::{BgvLiteral, BgvParams, Decryptor, Encoder, Encryptor, Evaluator, SecretKey};
    use asanoha_circuits::{CostCounter, PlainArithmetic};
    use asanoha_kernels::{Backend, primes_congruent_to_one};
    use asanoha_lattice::RlweLiteral;
    use asanoha_ring::{Sampler, Seed};
    use asanoha_scheme::{EvaluationKeysBuilder, Scheme as _};

    use super::*;

    #[test]
    fn the_next_primes_are_the_paper_s() {
        assert_eq!((4..9).map(next_prime).collect::<Vec<_>>(), [17, 37, 67, 131, 257]);
    }

    fn prime(bits: u32) -> Modulus {
        Modulus::new(next_prime(bits)).unwrap()
    }

    /// All pairs of numbers below n.
    fn pairs(points: usize) -> (Vec<i64>, Vec<i64>) {
        let n = points as i64;
        (0..n * n).map(|i| (i / n, i % n)).unzip()
    }

    fn all_quotients(p: &Modulus, points: usize) {
        let (a, d) = pairs(points);
        let plain = PlainArithmetic::new(*p, a.len());
        let division = PaperFunction::division(p, points).unwrap();
        let result = division.apply(&plain, &plain.value(&a, 20), &plain.value(&d, 20)).unwrap();
        assert_eq!(20 - result.level, (points - 1).next_power_of_two().ilog2() as usize + 1);
        let counter = CostCounter::new(p.value());
        let Ok(_) = division.apply(&counter, &counter.input(), &counter.input());
        let cost = counter.cost();
        assert_eq!(cost.depth, 20 - result.level);
        assert_eq!(cost.total().products, 3 * points - 4);
        assert_eq!(cost.total().constant_products, 2 * points.pow(2));
        for ((&a, &d), &value) in a.iter().zip(&d).zip(&result.slots) {
            assert_eq!(value as i64, quotient(a, d), "{a} / {d} modulo {}", p.value());
        }
    }

    /// All pairs of numbers of some bits, over the paper's prime and over one with many slots.
    fn all_quotients_of_bits(bits: u32) {
        let next = prime(bits);
        all_quotients(&next, next.value() as usize);
        all_quotients(&Modulus::new(65537).unwrap(), 1 << bits);
    }

    #[test]
    fn every_quotient_of_four_to_six_bits_is_right_over_the_next_prime_and_over_65537() {
        (4..=6).for_each(all_quotients_of_bits);
    }

    #[test]
    #[ignore = "slow"]
    fn every_quotient_of_seven_and_eight_bits_is_right_over_the_next_prime_and_over_65537() {
        (7..=8).for_each(all_quotients_of_bits);
    }

    #[test]
    fn any_function_is_right_on_all_operands() {
        let p = prime(4);
        let (a, b) = pairs(17);
        let plain = PlainArithmetic::new(p, a.len());
        let (x, y) = (plain.value(&a, 9), plain.value(&b, 9));
        for g in [|a, b| a * b + 3, |a: i64, b: i64| a.pow(3) - 7 * b + 1, |a: i64, b| i64::from(a == b)] {
            let result = PaperFunction::new(&p, 17, g).unwrap().apply(&plain, &x, &y).unwrap();
            for ((&a, &b), &value) in a.iter().zip(&b).zip(&result.slots) {
                assert_eq!(value as i64, g(a, b).rem_euclid(17), "of {a} and {b}");
            }
        }
    }

    /// Keys for eleven products of small numbers modulo p.
    fn keys(p: u64) -> (BgvParams, SecretKey, Evaluator, Sampler) {
        let (ring_degree, step) = (1 << 9, 1 << 10);
        let mut q_primes = primes_congruent_to_one(50, step, 2, &[]).unwrap();
        q_primes.extend(primes_congruent_to_one(33, step, 10, &[]).unwrap());
        let (digits, p_primes) = (q_primes.len(), primes_congruent_to_one(28, step, 2, &[]).unwrap());
        let rlwe = RlweLiteral::new(ring_degree, q_primes, p_primes, digits).insecure();
        let params = BgvLiteral::new(rlwe, p).check(Backend::detect().unwrap()).unwrap();
        let mut sampler = Sampler::new(&Seed([p as u8; 32]));
        let secret = SecretKey::generate(params.rlwe(), &mut sampler);
        let keys = EvaluationKeysBuilder::new(&params, &secret).relinearise().build_with(&mut sampler);
        let evaluator = Evaluator::new(&params, keys.unwrap());
        (params, secret, evaluator, sampler)
    }

    #[test]
    fn encrypted_quotients_over_small_primes_are_right() {
        for (bits, batches) in [(4, 37), (5, 3), (6, 2), (7, 1), (8, 1)] {
            let p = prime(bits);
            let (params, secret, evaluator, mut sampler) = keys(p.value());
            let division = PaperFunction::division(&p, p.value() as usize).unwrap();
            // As many values as the prime has slots, or one constant polynomial where it has none.
            let slots = if params.slots() == 1 << 9 { 1 } else { params.slots() };
            let (a, d) = pairs(p.value() as usize);
            let count = a.len().min(batches * slots);
            // Spread over all pairs where not all are taken.
            let chosen: Vec<usize> = (0..count).map(|i| (i * (a.len() / count)) % a.len()).collect();
            for chosen in chosen.chunks(slots) {
                let mut encrypt = |values: &[i64]| {
                    let centred: Vec<i64> = chosen.iter().map(|&i| p.centre(values[i] as u64)).collect();
                    let plain = Encoder::new(&params).encode(&centred, params.max_level()).unwrap();
                    let encryptor = Encryptor::new(&params);
                    encryptor.encrypt_secret(&secret, &plain, &mut sampler).unwrap()
                };
                let quotients = division.apply(&evaluator, &encrypt(&a), &encrypt(&d)).unwrap();
                assert!(quotients.noise_budget_bits() > 0.0);
                let quotients = Decryptor::new(&params).decrypt(&secret, &quotients).unwrap();
                for (&i, found) in chosen.iter().zip(quotients) {
                    let (a, d) = (a[i], d[i]);
                    assert_eq!(found.rem_euclid(p.value() as i64), quotient(a, d), "{a} / {d}");
                }
            }
        }
    }
}
