//! BGV: the noise model and the evaluator as engines.

use std::borrow::Cow;

use asanoha_bgv::{
    BgvCiphertext, BgvError, BgvNoise, BgvParams, BgvPlaintext, NoiseState, PublicKey, SecretKey,
};
use asanoha_circuits::{ExactArithmetic, Slots, sum_blocks};
use asanoha_lattice::{Level, Norm, RlweParams, Trace};
use asanoha_ring::Sampler;
use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{
    engine::{Engine, Model},
    exact::{ExactModel, ExactScheme, OperandOf, on_rows, whole},
    run::Noise,
};
use crate::circuit::{Constant, Layout, WholeOperation};

/// What is known of ciphertexts before there are any.
#[derive(Clone, Debug)]
pub struct BgvModel {
    params: BgvParams,
    noise: BgvNoise,
    layout: Layout,
}

impl BgvModel {
    /// The model of these parameters.
    pub fn new(params: &BgvParams, layout: Layout) -> Self {
        Self { params: params.clone(), noise: BgvNoise::new(params), layout }
    }
}

impl Model for BgvModel {
    fn fresh(&self, _: f64) -> Result<NoiseState, BgvError> {
        self.noise.fresh_public(self.params.max_level())
    }
    fn level_of(a: &NoiseState) -> Level {
        a.level
    }
    fn noise_of(a: &NoiseState) -> Norm {
        a.noise
    }
}

impl ExactModel for BgvModel {
    fn rlwe(&self) -> &RlweParams {
        self.params.rlwe()
    }

    /// Dropping a prime q takes noise B to B/q + R with the rounding's R. With x = B/(q·R), what is left of the modulus
    /// shrinks by log(1 + 1/x), which is next to nothing for x ≥ 1. Before a product, where the operands' noises
    /// multiply, smaller noise is worth modulus: the balance is better as long as x/(1 + x) > q^(−1/2).
    fn level_for(&self, a: &NoiseState, operation: OperandOf) -> Level {
        if operation == OperandOf::Sum {
            return a.level;
        }
        let rounding = self.noise.rounding(2);
        let (Level(mut level), mut noise) = (a.level, a.noise);
        while level > 0 {
            let q = self.params.rlwe().q(Level(level)).modulus(level).value() as f64;
            let least = if operation == OperandOf::Trace { q } else { q.sqrt() };
            if noise < rounding * least {
                break;
            }
            noise = noise * (1.0 / q) + rounding;
            level -= 1;
        }
        Level(level)
    }
}

impl Engine for BgvModel {
    type Value = NoiseState;
    type Error = BgvError;

    const REPRESENTS: bool = true;

    fn add(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BgvError> {
        self.noise.add(a, b)
    }
    fn sub(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BgvError> {
        self.noise.add(a, b)
    }
    fn neg(&self, a: &NoiseState) -> Result<NoiseState, BgvError> {
        Ok(a.clone())
    }
    fn mul(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BgvError> {
        self.noise.multiply(a, b)
    }
    fn add_constant(
        &self,
        a: &NoiseState,
        c: &Constant,
        chunk: Option<usize>,
    ) -> Result<NoiseState, BgvError> {
        match chunk.filter(|&chunk| self.layout.has_padding(chunk)) {
            // The constant in some slots only is a plaintext like any other.
            Some(_) => self.noise.add_plain(a.clone(), self.noise.message()),
            None => self.noise.add_constant(a.clone(), whole(c)),
        }
    }
    fn mul_constant(&self, a: &NoiseState, k: &Constant, _scale: f64) -> Result<NoiseState, BgvError> {
        self.noise.mul_constant(a.clone(), whole(k))
    }
    fn mask_rows(&self, a: &NoiseState, chunk: usize) -> Result<NoiseState, BgvError> {
        if self.layout.has_padding(chunk) {
            self.noise.mul_plain(a.clone(), self.noise.message())
        } else {
            Ok(a.clone())
        }
    }
    fn rescale(&self, _: &NoiseState) -> Result<NoiseState, BgvError> {
        unreachable!("BGV switches the modulus")
    }
    fn switch_to(&self, a: &NoiseState, level: Level) -> Result<NoiseState, BgvError> {
        self.noise.switch_to(a.clone(), 2, level)
    }
    fn sum_block(&self, a: &NoiseState, factors: &[usize]) -> Result<NoiseState, BgvError> {
        sum_blocks(self, a, factors)
    }
    fn functions(
        &self,
        operation: &WholeOperation,
        operands: &[&NoiseState],
    ) -> Result<Vec<NoiseState>, BgvError> {
        operation.apply(self, operands)
    }
}

/// The model carries out exact circuits as the evaluator does.
impl ExactArithmetic for BgvModel {
    type Value = NoiseState;
    type Error = BgvError;

    fn modulus(&self) -> BigUint {
        self.params.plaintext_modulus().clone()
    }
    fn level(&self, a: &NoiseState) -> usize {
        a.level.0
    }
    fn lowered<'a>(&self, a: &'a NoiseState, level: usize) -> Result<Cow<'a, NoiseState>, BgvError> {
        if a.level.0 <= level {
            return Ok(Cow::Borrowed(a));
        }
        self.noise.switch_to(a.clone(), 2, Level(level)).map(Cow::Owned)
    }
    fn constant(&self, constant: i64, level: usize) -> Result<NoiseState, BgvError> {
        self.noise.constant(&constant.into(), Level(level))
    }
    fn add(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BgvError> {
        let level = a.level.0.min(b.level.0);
        self.noise
            .add(&*ExactArithmetic::lowered(self, a, level)?, &*ExactArithmetic::lowered(self, b, level)?)
    }
    fn sub(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BgvError> {
        ExactArithmetic::add(self, a, b)
    }
    fn multiply(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, BgvError> {
        let level = a.level.0.min(b.level.0);
        let (a, b) = (ExactArithmetic::lowered(self, a, level)?, ExactArithmetic::lowered(self, b, level)?);
        self.noise.multiply_settled(&a, &b)
    }
    fn weighted_sum(&self, values: &[&NoiseState], weights: &[u64]) -> Result<NoiseState, BgvError> {
        Ok(self.noise.weighted_sum(&states(values), weights)?.0)
    }
    fn bilinear_form(
        &self,
        left: &[&NoiseState],
        weights: &[u64],
        right: &[&NoiseState],
    ) -> Result<NoiseState, BgvError> {
        let (form, _) = self.noise.bilinear_form(&states(left), weights, &states(right))?;
        self.noise.relinearise_settled(form)
    }
}

fn states(values: &[&NoiseState]) -> Vec<NoiseState> {
    values.iter().map(|&state| state.clone()).collect()
}

impl Slots for BgvModel {
    type Ciphertext = NoiseState;
    type Error = BgvError;

    fn ring_degree(&self) -> usize {
        self.params.rlwe().ring_degree()
    }
    fn trace(&self, a: &NoiseState, trace: &Trace) -> Result<NoiseState, BgvError> {
        self.noise.trace(a.clone(), trace)
    }
}

exact_engine!(BgvEngine, asanoha_bgv: BgvParams, BgvCiphertext, BgvPlaintext, BgvError; plaintext_modulus);
