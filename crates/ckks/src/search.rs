//! Chooses parameters by depth and precision.

use asanoha_lattice::RlweLiteral;
use asanoha_ring::Backend;
use asanoha_scheme::{
    NoPrimes, ParameterRequirements, Parametrised, Predictor, Primes, Scheme as _, SchemeError, segment,
};

use crate::{CkksLiteral, CkksParams, Scaled};

/// The smallest and largest scale that are looked at, as log2.
const SMALLEST_SCALE: u32 = 25;
const LARGEST_SCALE: f64 = 58.0;

/// Chains of at least so many products have falling scales: in shorter ones fresh noise needs them as high at the top.
const FALLING_DEPTH: usize = 8;

/// The most that scales fall, in bits.
const MOST_FALL: f64 = 16.0;

/// Room above the largest result, in bits: its sign, and noise.
const SIGN_BITS: u32 = 2;

/// log2 of the scales of all levels, the highest first, for a size.
///
/// A squaring doubles the error relative to values of at most 1, so that an error weighs half as much at each level below.
/// In a long chain the scales fall by as much, which makes the roundings of all levels weigh the same. They don't fall
/// further than a constant stays precise that adjusts a ciphertext from the highest level to the lowest.
fn scales(requirements: &ParameterRequirements, size: u32) -> Vec<f64> {
    let depth = requirements.depth;
    let fall = if depth < FALLING_DEPTH { 0.0 } else { (MOST_FALL / depth as f64).min(1.0) };
    let lowest = f64::from(SMALLEST_SCALE + size - 1);
    (0..=depth).rev().map(|level| (lowest + fall * level as f64).min(LARGEST_SCALE)).collect()
}

/// Returns primes that keep the canonical scales near the given ones, of which log2 is given, the highest level's first: from
/// the highest level down q_l ≈ S_l²/S_{l−1}. The primes are returned the lowest first, one fewer than scales.
///
/// # Errors
/// [`NoPrimes`].
pub fn rescaling_primes(primes: &mut Primes, scales: &[f64]) -> Result<Vec<u64>, NoPrimes> {
    let Some((highest, below)) = scales.split_first() else { return Ok(Vec::new()) };
    let mut canonical = highest.exp2();
    let mut rescaling = Vec::with_capacity(below.len());
    for target in below {
        let prime = primes.nearest(canonical * canonical / target.exp2(), 1)?;
        canonical = canonical * canonical / prime as f64;
        rescaling.push(prime);
    }
    rescaling.reverse();
    Ok(rescaling)
}

impl Parametrised for CkksParams {
    /// A bottom that holds a result and its scale, and a prime for each product, which keeps the level's scale.
    fn prime_sizes(requirements: &ParameterRequirements, ring_degree: usize, size: u32) -> Vec<f64> {
        let scales = scales(requirements, size);
        let room = f64::from(requirements.headroom_bits(ring_degree / 2) + SIGN_BITS);
        let mut sizes = segment(scales[requirements.depth] + room);
        sizes.extend(scales.windows(2).rev().map(|pair| 2.0 * pair[0] - pair[1]));
        sizes
    }

    fn largest_size(_: &ParameterRequirements, _: usize) -> u32 {
        LARGEST_SCALE as u32 - SMALLEST_SCALE + 1
    }

    fn primes(
        requirements: &ParameterRequirements,
        size: u32,
        primes: &mut Primes,
        sizes: &[f64],
    ) -> Result<Vec<u64>, NoPrimes> {
        let bottom = &sizes[..sizes.len() - requirements.depth];
        let rescaling = rescaling_primes(primes, &scales(requirements, size))?;
        let mut q = bottom.iter().map(|size| primes.at_most(*size, 1)).collect::<Result<Vec<_>, _>>()?;
        q.extend(rescaling);
        Ok(q)
    }

    fn with_ring(
        rlwe: RlweLiteral,
        requirements: &ParameterRequirements,
        size: u32,
        backend: Backend,
    ) -> Result<Self, String> {
        let literal = CkksLiteral::new(rlwe, scales(requirements, size)[0]);
        literal.check(backend).map_err(|error| error.to_string())
    }

    /// Squarings of values of at most 1 one after another are as precise as asked, and there is room for sums.
    fn suffices(&self, requirements: &ParameterRequirements) -> Result<(), String> {
        let predictor = Predictor::new(self);
        let model = predictor.model();
        let top = Scaled { scale: self.scale_at(self.max_level()), bound: 1.0 };
        let run = || -> Result<_, SchemeError> {
            let mut state = model.fresh_public(self.max_level(), &top)?;
            for _ in 0..requirements.depth {
                state = predictor.rescale(&predictor.multiply_exact(&state, &state)?)?;
            }
            let room = f64::from(requirements.headroom_bits(self.slots())).exp2();
            let mut sum = state.with_noise(state.noise * room);
            sum.message.bound *= room;
            model.check(sum)?;
            Ok(state)
        };
        let error_bits = run().map_err(|error| error.to_string())?.error_bound().log2();
        if error_bits <= -requirements.precision_bits {
            return Ok(());
        }
        let missing = error_bits + requirements.precision_bits;
        Err(format!("at the largest scale, 2^{LARGEST_SCALE}, {missing:.1} bits of precision are missing"))
    }
}
