//! BFV: the noise model and the evaluator as engines.

use std::borrow::Cow;

use asanoha_bfv::{
    BfvCiphertext, BfvError, BfvNoise, BfvParams, BfvPlaintext, NoiseState, PublicKey, SecretKey,
};
use asanoha_circuits::{ExactArithmetic, Slots, sum_blocks};
use asanoha_lattice::{Level, Norm, RlweParams, Trace};
use asanoha_ring::Sampler;
use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{
    engine::{Engine, Model},
    exact::{ExactModel, ExactScheme, OperandOf, centred, on_rows, whole},
    run::Noise,
};
use crate::circuit::{Constant, Layout, WholeOperation};

/// What is known of ciphertexts before there are any.
#[derive(Clone, Debug)]
pub struct BfvModel {
    params: BfvParams,
    noise: BfvNoise,
    layout: Layout,
}

impl BfvModel {
    /// The model of these parameters.
    pub fn new(params: &BfvParams, layout: Layout) -> Self {
        Self { params: params.clone(), noise: BfvNoise::new(params), layout }
    }
}

impl Model for BfvModel {
    fn fresh(&self, _: f64) -> Result<NoiseState, BfvError> {
        self.noise.fresh_public(self.params.max_level())
    }
    fn level_of(a: &NoiseState) -> Level {
        a.level
    }
    fn noise_of(a: &NoiseState) -> Norm {
        a.noise
    }
}

impl ExactModel for BfvModel {
    fn rlwe(&self) -> &RlweParams {
        self.params.rlwe()
    }

    /// Operations take as much of the modulus at every level, and functions switch on their own, best from where the
    /// noise leaves off.
    fn level_for(&self, a: &NoiseState, operation: OperandOf) -> Level {
        if operation == OperandOf::Function { self.noise.settled(*a) } else { a.level }
    }
}

impl Engine for BfvModel {
    type Value = NoiseState;
    type Error = BfvError;

    const REPRESENTS: bool = true;

    fn add(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BfvError> {
        self.noise.add(*a, *b)
    }
    fn sub(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BfvError> {
        self.noise.add(*a, *b)
    }
    fn neg(&self, a: &NoiseState) -> Result<NoiseState, BfvError> {
        Ok(*a)
    }
    fn mul(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BfvError> {
        self.noise.multiply(*a, *b)
    }
    fn add_constant(&self, a: &NoiseState, _: &Constant, _: Option<usize>) -> Result<NoiseState, BfvError> {
        self.noise.add_plain(*a)
    }
    fn mul_constant(&self, a: &NoiseState, k: &Constant, _scale: f64) -> Result<NoiseState, BfvError> {
        let k = centred(whole(k), self.params.value_modulus());
        self.noise.mul_plain(*a, Norm::from(k.magnitude()))
    }
    fn mask_rows(&self, a: &NoiseState, chunk: usize) -> Result<NoiseState, BfvError> {
        if self.layout.has_padding(chunk) {
            // The worst of all plaintexts: as many coefficients of t/2 as there are slots.
            let largest = Norm::from(self.params.largest_value().magnitude());
            self.noise.mul_plain(*a, largest * self.params.values() as f64)
        } else {
            Ok(*a)
        }
    }
    fn rescale(&self, _: &NoiseState) -> Result<NoiseState, BfvError> {
        unreachable!("BFV has no scales to keep")
    }
    fn switch_to(&self, a: &NoiseState, level: Level) -> Result<NoiseState, BfvError> {
        self.noise.switch_to(*a, 2, level)
    }
    fn sum_block(&self, a: &NoiseState, factors: &[usize]) -> Result<NoiseState, BfvError> {
        sum_blocks(self, a, factors)
    }
    fn functions(
        &self,
        operation: &WholeOperation,
        operands: &[&NoiseState],
    ) -> Result<Vec<NoiseState>, BfvError> {
        operation.apply(self, operands)
    }
}

/// The model carries out exact circuits as the evaluator does.
impl ExactArithmetic for BfvModel {
    type Value = NoiseState;
    type Error = BfvError;

    fn modulus(&self) -> BigUint {
        self.params.value_modulus().clone()
    }
    fn level(&self, a: &NoiseState) -> usize {
        a.level.0
    }
    fn lowered<'a>(&self, a: &'a NoiseState, level: usize) -> Result<Cow<'a, NoiseState>, BfvError> {
        self.noise.switch_to(*a, 2, Level(level).min(a.level)).map(Cow::Owned)
    }
    fn constant(&self, _: i64, level: usize) -> Result<NoiseState, BfvError> {
        self.noise.constant(Level(level))
    }
    fn add(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BfvError> {
        let level = a.level.min(b.level);
        self.noise.add(self.noise.switch_to(*a, 2, level)?, self.noise.switch_to(*b, 2, level)?)
    }
    fn sub(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BfvError> {
        ExactArithmetic::add(self, a, b)
    }
    fn multiply(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BfvError> {
        let level = a.level.min(b.level);
        let (a, b) = (self.noise.switch_to(*a, 2, level)?, self.noise.switch_to(*b, 2, level)?);
        self.noise.multiply_settled(a, b)
    }
    fn weighted_sum(&self, values: &[&NoiseState], weights: &[u64]) -> Result<NoiseState, BfvError> {
        Ok(self.noise.weighted_sum(&states(values), weights)?.0)
    }
    fn bilinear_form(
        &self,
        left: &[&NoiseState],
        weights: &[u64],
        right: &[&NoiseState],
    ) -> Result<NoiseState, BfvError> {
        let (form, _) = self.noise.bilinear_form(&states(left), weights, &states(right))?;
        self.noise.relinearise_settled(form)
    }
}

fn states(values: &[&NoiseState]) -> Vec<NoiseState> {
    values.iter().map(|&&state| state).collect()
}

impl Slots for BfvModel {
    type Ciphertext = NoiseState;
    type Error = BfvError;

    fn ring_degree(&self) -> usize {
        self.params.rlwe().ring_degree()
    }
    fn trace(&self, a: &NoiseState, trace: &Trace) -> Result<NoiseState, BfvError> {
        self.noise.trace(*a, trace)
    }
}

exact_engine!(BfvEngine, asanoha_bfv: BfvParams, BfvCiphertext, BfvPlaintext, BfvError; value_modulus);
