//! The smallest parameters of BFV that hold the published product of squares with codes and decryption to shares.

use asanoha_bfv::{BfvLiteral, BfvParams, BfvPredictor, BfvState};
use asanoha_circuits::matrix::{SquareError, SquareLevels, SquareOptions, SquareProduct};
use asanoha_kernels::Backend;
use asanoha_lattice::{Level, largest_log2_modulus};
use asanoha_scheme::{Primes, Scheme, SchemeError, candidates::TripleSetting, segment, with_digits};
use num_bigint::BigUint;

use super::parties::flooding_bits;

/// The ring degrees that are looked at.
const RING_DEGREES: [usize; 2] = [1 << 15, 1 << 16];
/// The sizes of the ciphertext modulus that are looked at, in bits.
const LARGEST_SIZE: u32 = 1600;
const STEP: usize = 10;
const SECURITY_BITS: u32 = 128;
const MOST_DIGITS: usize = 8;
/// log2 of the factor by which the noise of the state is raised that tells how products let noise grow: so large that the other
/// factor's doesn't count.
const RAISED_BITS: i32 = 100;

/// Parameters, with the primes that a product drops before its rotations, its multiplications and its end.
pub(in super::super) struct BfvSquare {
    pub(in super::super) params: BfvParams,
    pub(in super::super) dropped: [usize; 3],
}

impl BfvSquare {
    /// The parameters of the smallest ring and modulus; `None` if no ring holds the product.
    pub(in super::super) fn smallest(
        setting: &TripleSetting,
        modulus: &BigUint,
        backend: Backend,
    ) -> Option<Self> {
        let smallest = setting.modulus_bits + setting.flooding_bits;
        RING_DEGREES.into_iter().find_map(|ring_degree| {
            let sizes = (smallest..LARGEST_SIZE).step_by(STEP);
            // The first size that is too large for the ring's security ends the search in it.
            let mut params = sizes.map_while(|size| params(ring_degree, size, modulus, backend));
            params.find_map(|params| Self::of(params, setting))
        })
    }

    fn of(params: BfvParams, setting: &TripleSetting) -> Option<Self> {
        let SquareLevels { left, product, result } = levels(&params, setting).ok()?;
        let primes = |level: Level| params.rlwe().q(level).len();
        let dropped = |from, to| primes(from) - primes(to);
        let dropped = [dropped(params.max_level(), left), dropped(left, product), dropped(product, result)];
        Some(Self { params, dropped })
    }
}

/// Parameters of 128 bits of security with a ciphertext modulus of a size and as few digits as that allows; `None` if it allows
/// none.
fn params(ring_degree: usize, size: u32, modulus: &BigUint, backend: Backend) -> Option<BfvParams> {
    let largest = f64::from(largest_log2_modulus(ring_degree, SECURITY_BITS)?);
    let mut primes = Primes::new(ring_degree, &[]);
    let q = segment(f64::from(size)).into_iter().map(|bits| primes.at_most(bits, 1));
    let q: Vec<u64> = q.collect::<Result<_, _>>().ok()?;
    let rlwe = (1..=MOST_DIGITS).find_map(|digits| with_digits(&q, &primes, largest, digits).ok()?)?;
    BfvLiteral::new(rlwe, modulus.clone()).check(backend).ok()
}

/// The levels of the product, if its results leave room for the product with the encrypted MAC key and for all parties' flooding.
fn levels(params: &BfvParams, setting: &TripleSetting) -> Result<SquareLevels, SquareError> {
    let predictor = BfvPredictor::new(params);
    let fresh = predictor.model().fresh_public(params.max_level(), &())?;
    let sum = (1..setting.parties).try_fold(fresh.clone(), |sum, _| predictor.add(&sum, &fresh))?;
    let room =
        growth(&predictor, &sum)? + f64::from(flooding_bits(0.0)) + (setting.parties as f64).log2() + 1.0;
    let product = SquareProduct::new(
        &predictor,
        [setting.dimension; 3],
        setting.dimension,
        SquareOptions::default(),
        [&sum, &sum],
        room,
    )?;
    Ok(product.levels())
}

/// The bits by which a product with a sum of fresh ciphertexts lets noise grow.
fn growth(predictor: &BfvPredictor, sum: &BfvState) -> Result<f64, SchemeError> {
    let raised = sum.with_noise(sum.noise * f64::from(RAISED_BITS).exp2());
    let product = predictor.multiply_exact(&raised, sum)?;
    Ok(product.noise.log2() - raised.noise.log2())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triples::measured::modulus;

    #[test]
    fn the_smallest_parameters_hold_the_product_and_smaller_ones_do_not() {
        let (setting, t) = (TripleSetting::default(), modulus());
        let BfvSquare { params, dropped } = BfvSquare::smallest(&setting, &t, Backend::Scalar).unwrap();
        let (rlwe, log2_q) = (params.rlwe(), params.rlwe().q(params.max_level()).log2_product());
        println!(
            "N = {}, log2 q = {log2_q}, log2 QP = {}, dropped {dropped:?}",
            rlwe.ring_degree(),
            rlwe.log2_qp()
        );
        assert!(rlwe.security_bits() >= SECURITY_BITS);
        // Two products by t·N and one by masks below t, above 128 bits for t and 80 for flooding.
        assert!((600.0..900.0).contains(&log2_q), "{log2_q}");
        let smaller =
            super::params(rlwe.ring_degree(), log2_q.round() as u32 - 20, &t, Backend::Scalar).unwrap();
        assert!(levels(&smaller, &setting).is_err());
    }
}
