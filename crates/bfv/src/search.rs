//! Chooses parameters by depth and plaintext modulus.

use asanoha_lattice::RlweLiteral;
use asanoha_ring::Backend;
use asanoha_scheme::{ParameterRequirements, Parametrised, Predictor, Scheme as _, segment};

use crate::{BfvLiteral, BfvParams};

impl Parametrised for BfvParams {
    const SWITCHES_MODULI: bool = false;

    /// A modulus of the size that is searched, in equal primes.
    fn prime_sizes(_: &ParameterRequirements, _: usize, size: u32) -> Vec<f64> {
        segment(f64::from(size))
    }

    fn largest_size(requirements: &ParameterRequirements, ring_degree: usize) -> u32 {
        let bits = requirements.plaintext_modulus.as_ref().map_or(0, |t| t.bits() as u32);
        (requirements.depth as u32 + 2) * (bits + 2 * ring_degree.ilog2() + 20)
            + requirements.headroom_bits(ring_degree)
    }

    fn with_ring(
        rlwe: RlweLiteral,
        requirements: &ParameterRequirements,
        _: u32,
        backend: Backend,
    ) -> Result<Self, String> {
        let t = requirements.plaintext_modulus.clone().ok_or("BFV needs a plaintext modulus")?;
        let encoding = requirements.stated_encoding();
        BfvLiteral { encoding, ..BfvLiteral::new(rlwe, t) }.check(backend).map_err(|error| error.to_string())
    }

    /// Squarings one after another at the highest level, and room for sums.
    fn suffices(&self, requirements: &ParameterRequirements) -> Result<(), String> {
        let predictor = Predictor::new(self);
        let model = predictor.model();
        let fresh = model.fresh_public(self.max_level(), &());
        let result = (0..requirements.depth)
            .fold(fresh, |state, _| state.and_then(|state| predictor.multiply_exact(&state, &state)));
        let room = f64::from(requirements.headroom_bits(self.slots())).exp2();
        let sum = result
            .and_then(|state| model.key_switch(&state))
            .map(|state| state.with_noise(state.noise * room));
        sum.and_then(|sum| model.check(sum)).map(|_| ()).map_err(|error| error.to_string())
    }
}
