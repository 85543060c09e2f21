//! What the tests share.
#![allow(dead_code)] // Each test file uses a part.

use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{RlweLiteral, RlweParams};
use asanoha_ring::{Backend, Coefficient, Poly};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Insecure parameters of `primes` 46-bit primes, with a special modulus that fits the digits.
pub(crate) fn literal(ring_degree: usize, primes: usize, digits: usize, noise_factor: u64) -> RlweLiteral {
    let size = primes.div_ceil(digits);
    let all = primes_congruent_to_one(46, 2 * ring_degree as u64, primes, &[]).unwrap();
    let special =
        primes_congruent_to_one(48, 2 * ring_degree as u64, size + usize::from(size > 2), &all).unwrap();
    let p_primes = if size <= 2 {
        primes_congruent_to_one(50, 2 * ring_degree as u64, size, &[]).unwrap()
    } else {
        special
    };
    let rlwe = RlweLiteral::new(ring_degree, all, p_primes, digits).insecure();
    RlweLiteral { noise_factor: noise_factor.into(), ..rlwe }
}

pub(crate) fn params(ring_degree: usize, primes: usize, digits: usize, noise_factor: u64) -> RlweParams {
    literal(ring_degree, primes, digits, noise_factor).check(Backend::detect().unwrap()).unwrap()
}

/// The largest coefficient of the noise: of v − m, which must be divisible by the noise factor.
pub(crate) fn noise(params: &RlweParams, v: &Poly<Coefficient>, m: &[BigInt]) -> f64 {
    let q: BigInt = v.basis().product().into();
    let factor = BigInt::from(params.noise_factor().clone());
    let largest = v.to_integers().into_iter().zip(m).map(|(v, m)| {
        let e = asanoha_testkit::centred(&(v - m), &q);
        assert_eq!(&e % &factor, BigInt::from(0), "the noise isn't a multiple of the factor");
        e.magnitude().to_f64().unwrap()
    });
    largest.fold(0.0, f64::max)
}
