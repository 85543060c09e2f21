//! Parameters of the published products, and how one of them is computed.

use asanoha_bgv::{BgvLiteral, BgvParams, BgvPredictor};
use asanoha_circuits::matrix::{SquareError, SquareOptions, SquareProduct};
use asanoha_kernels::Backend;
use asanoha_lattice::largest_log2_modulus;
use asanoha_scheme::{Primes, Scheme, with_digits};

use super::{
    super::measured::modulus,
    Case,
    parties::{PARTIES, flooding_bits},
};
use crate::RING_DEGREE;

/// The ciphertext primes: eight hold codes and what floods them, three more the products' noise, and three that of masked
/// rotations.
const PRIMES: usize = 14;
/// The widest of which three special primes of the fastest width are enough for a digit.
const PRIME_BITS: f64 = 48.6;
/// The fewest digits of key switching that are secure.
const DIGITS: usize = 5;

pub(super) fn params(backend: Backend) -> BgvParams {
    let mut primes = Primes::new(RING_DEGREE, &[]);
    let q: Result<Vec<u64>, _> = (0..PRIMES).map(|_| primes.at_most(PRIME_BITS, 1)).collect();
    let largest = largest_log2_modulus(RING_DEGREE, 128).expect("the ring degree is in the table");
    let literal = q.and_then(|q| with_digits(&q, &primes, largest.into(), DIGITS));
    let literal = literal.ok().flatten().expect("there are primes, and the modulus is within the table's");
    BgvLiteral::new(literal, modulus()).check(backend).expect("the parameters go together")
}

/// The most bytes that a product takes: up to a sixth more than its cost says was measured, of memory that rotations
/// leave unused in between.
fn needed_bytes(plan: &SquareProduct<BgvParams>) -> usize {
    plan.cost().bytes() / 5 * 6
}

/// The product of a case's dimension, by its first way of rotating whose keys and images the memory holds. Its results leave
/// room for the product with the encrypted MAC key and for all parties' flooding.
///
/// # Errors
/// [`SquareError::Memory`] of the last way, and those of [`SquareProduct::new`].
pub(super) fn plan(
    params: &BgvParams,
    case: &Case,
    memory: Option<usize>,
) -> Result<SquareProduct<BgvParams>, SquareError> {
    let predictor = BgvPredictor::new(params);
    let fresh = predictor.model().fresh_public(params.max_level(), &())?;
    let sum = (1..PARTIES).try_fold(fresh.clone(), |sum, _| predictor.add(&sum, &fresh))?;
    // The MAC key's noise, the flooding beyond that, rounded up, and the noise itself.
    let headroom = sum.noise.log2() + f64::from(flooding_bits(0.0)) + (PARTIES as f64).log2() + 1.0;
    let mut needed = 0;
    for &rotations in case.rotations {
        let options = SquareOptions { rotations, images: case.images, ..SquareOptions::default() };
        let plan =
            SquareProduct::new(&predictor, [case.dimension; 3], case.side, options, [&sum, &sum], headroom)?;
        needed = needed_bytes(&plan);
        if memory.is_none_or(|memory| needed <= memory) {
            return Ok(plan);
        }
    }
    Err(SquareError::Memory { needed, limit: memory.unwrap_or(usize::MAX) })
}
