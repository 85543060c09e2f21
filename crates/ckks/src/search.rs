//! Chooses parameters by depth and precision.

use asanoha_lattice::RlweLiteral;
use asanoha_ring::Backend;
use asanoha_scheme::{
    Model, NoPrimes, ParameterWishes, ParametersBuilder, Parametrised, Primes, Scheme as _, SchemeError,
    segment,
};

use crate::{CkksLiteral, CkksParams, Scaled};

/// The scales that are looked at, as log2: the smallest one, and how many.
const SMALLEST_SCALE: u32 = 25;
const SCALES: u32 = 34;

/// Room above the largest result, in bits: its sign, and noise.
const SIGN_BITS: u32 = 2;

impl CkksParams {
    /// Returns a builder that chooses parameters by depth and precision.
    ///
    /// ```
    /// use asanoha_ckks::Ckks;
    /// use asanoha_scheme::Scheme;
    ///
    /// let params = Ckks::parameters().depth(2).precision_bits(25).slots(1024).build()?;
    /// assert!(params.slots() >= 1024 && params.rlwe().security_bits() >= 128);
    /// # Ok::<(), asanoha_scheme::ParametersError>(())
    /// ```
    pub fn parameters() -> ParametersBuilder<Self> {
        ParametersBuilder::default()
    }
}

/// log2 of the scale of a size.
fn scale(size: u32) -> u32 {
    SMALLEST_SCALE + size - 1
}

/// Returns primes for the given number of levels, the lowest first, that keep the canonical scales of all levels near 2^scale:
/// from the highest level down q_l ≈ S_l²/2^scale.
///
/// # Errors
/// [`NoPrimes`].
pub fn rescaling_primes(primes: &mut Primes, scale: f64, count: usize) -> Result<Vec<u64>, NoPrimes> {
    let (target, mut canonical) = (scale.exp2(), scale.exp2());
    let mut rescaling = Vec::with_capacity(count);
    for _ in 0..count {
        let prime = primes.nearest(canonical * canonical / target, 1)?;
        canonical = canonical * canonical / prime as f64;
        rescaling.push(prime);
    }
    rescaling.reverse();
    Ok(rescaling)
}

impl Parametrised for CkksParams {
    /// A bottom that holds a result and its scale, and a prime of the scale's size, which is searched, for each product.
    fn prime_sizes(wishes: &ParameterWishes, ring_degree: usize, size: u32) -> Vec<f64> {
        let bottom = f64::from(scale(size) + wishes.headroom_bits(ring_degree / 2) + SIGN_BITS);
        let mut sizes = segment(bottom);
        sizes.extend(vec![f64::from(scale(size)); wishes.depth]);
        sizes
    }

    fn largest_size(_: &ParameterWishes, _: usize) -> u32 {
        SCALES
    }

    fn primes(wishes: &ParameterWishes, primes: &mut Primes, sizes: &[f64]) -> Result<Vec<u64>, NoPrimes> {
        let (bottom, levels) = sizes.split_at(sizes.len() - wishes.depth);
        let rescaling = match levels.first() {
            Some(&scale) => rescaling_primes(primes, scale, levels.len())?,
            None => Vec::new(),
        };
        let mut q = bottom.iter().map(|size| primes.at_most(*size, 1)).collect::<Result<Vec<_>, _>>()?;
        q.extend(rescaling);
        Ok(q)
    }

    fn with_ring(
        rlwe: RlweLiteral,
        _: &ParameterWishes,
        size: u32,
        backend: Backend,
    ) -> Result<Self, String> {
        let literal = CkksLiteral::new(rlwe, f64::from(scale(size)));
        literal.check(backend).map_err(|error| error.to_string())
    }

    /// Squarings of values of at most 1 one after another are as precise as asked, and there is room for sums.
    fn suffices(&self, wishes: &ParameterWishes) -> Result<(), String> {
        let model = Model::new(self);
        let top = Scaled { scale: self.scale_at(self.max_level()), bound: 1.0 };
        let run = || -> Result<_, SchemeError> {
            let mut state = model.fresh_public(self.max_level(), &top)?;
            for _ in 0..wishes.depth {
                state = model.rescale(&model.multiply_exact(&state, &state)?)?;
            }
            let room = f64::from(wishes.headroom_bits(self.slots())).exp2();
            let mut sum = state.with_noise(state.noise * room);
            sum.message.bound *= room;
            model.check(sum)?;
            Ok(state)
        };
        let error_bits = run().map_err(|error| error.to_string())?.error_bound().log2();
        if error_bits <= -wishes.precision_bits {
            return Ok(());
        }
        let missing = error_bits + wishes.precision_bits;
        Err(format!("at the largest scale, 2^{}, {missing:.1} bits of precision are missing", scale(SCALES)))
    }
}
