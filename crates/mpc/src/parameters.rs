//! Parameters of the homomorphic generation of triples.

use asanoha_circuits::matrix::{BatchPacking, PackingError};
use asanoha_kernels::{Backend, SelectError};
use asanoha_lattice::{Level, NoiseFactor, ParamsError, RlweLiteral, RlweParams, largest_log2_modulus};
use asanoha_ring::WideModulus;
use asanoha_scheme::{FAST_PRIME_BITS, NoPrimes, Primes, is_prime_integer};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use thiserror::Error;

use crate::{
    TripleShape,
    noise::Noise,
    opening::{HEADROOM_BITS, Opening},
};

/// The ring degrees that are tried, as log2.
const LOG2_RING_DEGREES: std::ops::RangeInclusive<u32> = 11..=17;
const SECURITY_BITS: u32 = 128;
/// The narrowest primes: below there are few that are 1 modulo 2N.
const NARROWEST_PRIME_BITS: f64 = 30.0;
/// What primes lack of the size that is asked for, in bits, all together.
const MARGIN_BITS: f64 = 0.5;
/// The version of the generation. Raise it with every change of what a seed gives.
const GENERATION_VERSION: u32 = 2;

/// What triples are generated of.
#[derive(Clone, Debug)]
pub struct TripleOptions {
    /// The prime that they are computed modulo.
    pub modulus: BigUint,
    /// Their dimensions.
    pub shape: TripleShape,
    /// The parties.
    pub parties: usize,
    /// The rows of blocks on the left and the columns on the right, a power of two.
    pub outer: usize,
    /// A ring degree instead of the smallest that is secure. Insecure ones are for tests.
    pub insecure_ring_degree: Option<usize>,
    /// The kernels, instead of the best that this processor has.
    pub backend: Option<Backend>,
}

/// Why there are no parameters.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TripleParamsError {
    /// The modulus isn't an odd prime.
    #[error("triples are shared modulo an odd prime, and {0} isn't one")]
    Composite(BigUint),
    /// A dimension is 0.
    #[error("matrices of {0} have no entries: every dimension is at least 1")]
    Empty(TripleShape),
    /// Too few parties.
    #[error("{0} parties share nothing: there must be at least 2")]
    Parties(usize),
    /// No ring holds the computation.
    #[error(
        "no ring of at most 2^17 coefficients holds triples modulo a prime of {bits} bits at 128 bits of security: take a smaller modulus"
    )]
    TooWide {
        /// The modulus' size.
        bits: u64,
    },
    /// The block size doesn't suit the ring.
    #[error(transparent)]
    Packing(#[from] PackingError),
    /// Too few primes of a size.
    #[error(transparent)]
    NoPrimes(#[from] NoPrimes),
    /// The ring's parameters.
    #[error(transparent)]
    Ring(#[from] ParamsError),
    /// The kernels asked for aren't there.
    #[error(transparent)]
    Kernels(#[from] SelectError),
}

/// Checked parameters: the ring, BGV's in all but the encoding, and what the computation's noise is at most.
#[derive(Clone, Debug)]
pub struct TripleParams {
    pub(crate) rlwe: RlweParams,
    pub(crate) modulus: WideModulus,
    pub(crate) packing: BatchPacking,
    pub(crate) shape: TripleShape,
    pub(crate) parties: usize,
    /// The level that sums of products are brought to.
    pub(crate) low: Level,
    /// How the products are opened, modulo fewer primes than the lower level has.
    pub(crate) values: Opening,
    /// The level of these primes.
    pub(crate) value_level: Level,
    /// How products with the MAC key are opened.
    pub(crate) codes: Opening,
}

impl TripleParams {
    /// The parameters of the smallest ring that holds the generation.
    ///
    /// Sums of products are computed modulo all primes, divided to a lower level, switched to the secret key there,
    /// multiplied by the encrypted MAC key, and decrypted with shares that are flooded by [`crate::STATISTICAL_BITS`]. Encryptions are
    /// multiplied by that key modulo the primes of the lower level, without division.
    ///
    /// # Errors
    /// [`TripleParamsError`].
    pub fn choose(options: &TripleOptions) -> Result<Self, TripleParamsError> {
        let TripleOptions { modulus: t, shape, parties, outer, .. } = options;
        if shape.rows == 0 || shape.inner == 0 || shape.columns == 0 {
            return Err(TripleParamsError::Empty(*shape));
        }
        if *parties < 2 {
            return Err(TripleParamsError::Parties(*parties));
        }
        let modulus = WideModulus::new(t).filter(|_| t.bit(0) && is_prime_integer(t));
        let modulus = modulus.ok_or_else(|| TripleParamsError::Composite(t.clone()))?;
        let backend = options.backend.map_or_else(Backend::detect, Ok)?;
        let degrees = LOG2_RING_DEGREES.map(|log2| 1usize << log2);
        let degrees: Vec<usize> =
            options.insecure_ring_degree.map_or_else(|| degrees.collect(), |degree| vec![degree]);
        for ring_degree in degrees {
            if *outer > ring_degree && options.insecure_ring_degree.is_none() {
                continue;
            }
            let packing = BatchPacking::new(ring_degree, &modulus, *outer, backend)?;
            let noise = Noise::new(t, *parties, ring_degree, shape.inner);
            let is_secure = options.insecure_ring_degree.is_none();
            let Some((literal, low)) = literal(ring_degree, t, &noise, is_secure)? else {
                continue;
            };
            let rlwe = literal.check(backend)?;
            if !noise.bounds(&rlwe, low, shape.inner) {
                continue;
            }
            let (value_level, values) = Opening::of_values(&rlwe, low, &noise);
            let codes = Opening::of_codes(&rlwe, low, &noise);
            let shape = *shape;
            let parties = *parties;
            return Ok(Self { rlwe, modulus, packing, shape, parties, low, values, value_level, codes });
        }
        Err(TripleParamsError::TooWide { bits: t.bits() })
    }

    /// The ring's parameters.
    pub fn rlwe(&self) -> &RlweParams {
        &self.rlwe
    }

    /// The prime that triples are computed modulo.
    pub fn modulus(&self) -> &WideModulus {
        &self.modulus
    }

    /// The dimensions of a triple.
    pub fn shape(&self) -> TripleShape {
        self.shape
    }

    /// The parties.
    pub fn parties(&self) -> usize {
        self.parties
    }

    /// A digest of everything that triples follow from but the seed: the version of the generation, the modulus, the dimensions, the
    /// parties, the size of blocks, and the ring. Streams of a seed are separated by it.
    pub fn digest(&self) -> String {
        let Self { rlwe, modulus, packing, shape, parties, .. } = self;
        let all =
            (GENERATION_VERSION, modulus.value().to_string(), shape, parties, packing.outer(), rlwe.digest());
        let text = serde_json::to_vec(&all).expect("plain data");
        let mut hash = blake3::Hasher::new_derive_key("asanoha parameters of triples");
        hash.update(&text).finalize().to_hex().to_string()
    }

    /// How many blocks of rows a product has, and of columns.
    pub(crate) fn grid(&self) -> [usize; 2] {
        let outer = self.packing.outer();
        [self.shape.rows.div_ceil(outer), self.shape.columns.div_ceil(outer)]
    }

    /// How many triples are generated together: as many as a ciphertext holds, or one.
    pub fn block_size(&self) -> usize {
        let [rows, columns] = self.grid();
        (self.packing.batch() / (rows * columns)).max(1)
    }

    /// How blocks of matrices are packed.
    pub fn packing(&self) -> &BatchPacking {
        &self.packing
    }
}

impl std::fmt::Display for TripleParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (rlwe, top) = (&self.rlwe, self.rlwe.max_level());
        let basis = |level| (rlwe.q(level).log2_product(), rlwe.q(level).len());
        let ((log2_top, top), (log2_low, low)) = (basis(top), basis(self.low));
        write!(
            f,
            "t of {} bits, N = 2^{}, log2 q = {log2_top:.0} in {top} primes, then {log2_low:.0} in {low}, log2 P = {:.0} in {}; {} bits of security",
            self.modulus.value().bits(),
            rlwe.ring_degree().ilog2(),
            rlwe.log2_qp() - log2_top,
            rlwe.p().len(),
            rlwe.security_bits(),
        )
    }
}

/// Sizes of primes, all equal, whose product has a number of bits.
fn sizes(bits: f64) -> Vec<f64> {
    let count = ((bits + MARGIN_BITS) / f64::from(FAST_PRIME_BITS)).ceil().max(1.0);
    vec![((bits + MARGIN_BITS) / count).max(NARROWEST_PRIME_BITS); count as usize]
}

/// The primes, with the fewest digits at the lower level that are secure, and that level.
fn literal(
    ring_degree: usize,
    t: &BigUint,
    noise: &Noise,
    is_secure: bool,
) -> Result<Option<(RlweLiteral, Level)>, TripleParamsError> {
    // Shares are divided, and masks have whole bits: a bit more.
    let masked = noise.log2_masked(noise.log2_codes());
    let (low, dropped) = (sizes(masked + (HEADROOM_BITS + 1.0)), sizes(noise.log2_divisor()));
    let largest = if is_secure { largest_log2_modulus(ring_degree, SECURITY_BITS) } else { Some(u32::MAX) };
    let Some(largest) = largest.map(f64::from) else { return Ok(None) };
    let all: Vec<f64> = low.iter().chain(&dropped).copied().collect();
    let log2_q: f64 = all.iter().sum();
    if log2_q > largest {
        return Ok(None);
    }
    let taken: Option<u64> = t.to_u64();
    let mut primes = Primes::new(ring_degree, taken.as_slice());
    let q: Vec<u64> = all.iter().map(|size| primes.at_most(*size, 1)).collect::<Result<_, _>>()?;
    // Few digits at the lower level, where keys are switched, and none longer than it has to be.
    for low_digits in 1..=low.len() {
        let digit = low.len().div_ceil(low_digits);
        let digits = q.len().div_ceil(digit);
        if q.len().div_ceil(digits) != digit {
            continue;
        }
        let widest = q.chunks(digit).map(log2).fold(0.0, f64::max);
        let p = primes.clone().special(widest)?;
        if log2(&q) + log2(&p) <= largest {
            let mut literal = RlweLiteral::new(ring_degree, q, p, digits);
            literal.noise_factor = NoiseFactor::from(t.clone());
            let literal = if is_secure { literal } else { literal.insecure() };
            return Ok(Some((literal, Level(low.len() - 1))));
        }
    }
    Ok(None)
}

fn log2(primes: &[u64]) -> f64 {
    primes.iter().map(|&q| (q as f64).log2()).sum()
}

#[cfg(test)]
mod tests {
    use asanoha_lattice::Norm;
    use asanoha_ring::Basis;

    use super::*;
    use crate::{BITS, MAX_DIMENSION, MAX_PARTIES, ModulusChoice, STATISTICAL_BITS};

    fn choose(bits: u32, parties: usize) -> TripleParams {
        // The largest primes of these sizes that are 1 modulo 2^17.
        let step = BigUint::from(1u32) << 17;
        let mut t: BigUint = ((BigUint::from(1u32) << bits) / &step) * &step + 1u32;
        while t.bits() > u64::from(bits) || !is_prime_integer(&t) {
            t -= &step;
        }
        let options = TripleOptions {
            modulus: t,
            shape: TripleShape::square(128),
            parties,
            outer: 128,
            insecure_ring_degree: None,
            backend: None,
        };
        TripleParams::choose(&options).unwrap()
    }

    #[test]
    fn parameters_are_secure_and_wider_moduli_need_more() {
        let mut last = 0.0;
        for bits in [61, 128, 256] {
            let params = choose(bits, 2);
            assert!(params.rlwe.security_bits() >= SECURITY_BITS);
            let log2_q = params.rlwe.q(params.rlwe.max_level()).log2_product();
            assert!(log2_q > last);
            last = log2_q;
            // Twice what is decrypted and flooded is below the lower modulus.
            let log2_low = params.rlwe.q(params.low).log2_product();
            let noise = Noise::new(params.modulus.value(), 2, params.rlwe.ring_degree(), 128);
            assert!(noise.log2_codes() + f64::from(STATISTICAL_BITS) + 2.0 < log2_low, "{bits}");
        }
        let bound = |parties| Noise::new(choose(128, 2).modulus.value(), parties, 1 << 15, 128).log2_codes();
        assert!(bound(16) > bound(2));
    }

    #[test]
    fn sums_of_products_and_the_noise_of_their_division_are_within_their_bounds() {
        let params = choose(128, 2);
        let model = params.rlwe.noise();
        let noise = Noise::new(params.modulus.value(), 2, params.rlwe.ring_degree(), 128);
        let t = Norm::from(params.modulus.value());
        assert!((t * params.rlwe.image_product_noise(model, params.low)).log2() <= noise.log2_added);
        let fresh = params.rlwe.fresh_public_noise(model) + params.rlwe.ring_degree() as f64 / 2.0;
        let product = t * t * (4.0 * fresh * fresh * 128.0);
        assert!(product.log2() <= noise.log2_product);
        let (all, low) = (params.rlwe.q(params.rlwe.max_level()), params.rlwe.q(params.low));
        assert!(all.log2_product() - low.log2_product() >= noise.log2_divisor());
        assert!(noise.log2_product + 1.0 < all.log2_product());
    }

    /// At both ends of what may be asked for, and between.
    #[test]
    fn every_ring_keeps_within_the_bounds_that_its_primes_are_chosen_by() {
        for bits in (*BITS.start()..*BITS.end()).step_by(41).chain([*BITS.end()]) {
            let t = ModulusChoice::Bits(bits).prime().unwrap().value().clone();
            for (parties, inner) in
                [(2, 1), (2, MAX_DIMENSION), (MAX_PARTIES, 1), (MAX_PARTIES, MAX_DIMENSION)]
            {
                let chosen = LOG2_RING_DEGREES.map(|log2| 1 << log2).find_map(|ring_degree| {
                    let noise = Noise::new(&t, parties, ring_degree, inner);
                    literal(ring_degree, &t, &noise, true).unwrap().map(|chosen| (noise, chosen))
                });
                let (noise, (literal, low)) = chosen.expect("there is a ring");
                let rlwe = literal.check(Backend::detect().unwrap()).unwrap();
                assert!(noise.bounds(&rlwe, low, inner), "{bits} bits, {parties} parties, {inner} terms");
            }
        }
    }

    #[test]
    fn masks_hide_what_is_opened_and_fit_the_primes_that_are_left() {
        for (bits, parties) in [(61, 2), (128, 2), (128, 5), (256, 3)] {
            let params = choose(bits, parties);
            let noise = Noise::new(params.modulus.value(), parties, params.rlwe.ring_degree(), 128);
            let log2 = |basis: &Basis| basis.log2_product();
            let fits = |opening: &Opening, basis: &Basis| {
                let masks = f64::from(opening.mask_bits) + (parties as f64).log2();
                assert!(masks + 2.0 <= log2(basis), "{bits} bits, {parties} parties");
            };
            let statistical = f64::from(STATISTICAL_BITS);
            fits(&params.values, params.rlwe.q(params.value_level));
            assert!(f64::from(params.values.mask_bits) >= noise.log2_values() + statistical);
            let divider = params.codes.divider.as_ref().expect("codes are much larger than t");
            assert!(log2(divider.kept()) < log2(params.rlwe.q(params.low)));
            fits(&params.codes, divider.kept());
            let divided = (noise.log2_codes() - log2(divider.dropped())).exp2();
            let rounded = (params.modulus.value().bits() as f64).exp2() * parties as f64 / 2.0;
            assert!(f64::from(params.codes.mask_bits) >= (divided + rounded).log2() + statistical - 1e-6);
        }
    }
}
