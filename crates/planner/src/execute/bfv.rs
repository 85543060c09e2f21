//! BFV: the noise model and the evaluator as engines.

use std::borrow::Cow;

use asanoha_bfv::{
    BfvCiphertext, BfvError, BfvNoise, BfvParams, BfvPlaintext, Decryptor, Encoder, Encryptor, Evaluator,
    NoiseState, PublicKey, SecretKey,
};
use asanoha_circuits::{ExactArithmetic, Slots, sum_blocks};
use asanoha_lattice::{Level, Norm, RlweParams, Trace};
use asanoha_ring::Sampler;
use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{
    engine::Engine,
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

    /// A fresh encryption under the public key.
    pub fn fresh(&self) -> Result<NoiseState, BfvError> {
        self.noise.fresh_public(self.params.max_level())
    }
}

impl ExactModel for BfvModel {
    fn rlwe(&self) -> &RlweParams {
        self.params.rlwe()
    }
    fn fresh(&self) -> Result<NoiseState, BfvError> {
        BfvModel::fresh(self)
    }
    fn level_of(a: &NoiseState) -> Level {
        a.level
    }
    fn noise_of(a: &NoiseState) -> Norm {
        a.noise.bounds.norm()
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

/// The evaluator as an engine.
#[derive(Debug)]
pub struct BfvEngine {
    evaluator: Evaluator,
    layout: Layout,
}

impl BfvEngine {
    /// An engine with these keys.
    pub fn new(evaluator: Evaluator, layout: Layout) -> Self {
        Self { evaluator, layout }
    }
}

impl Engine for BfvEngine {
    type Value = BfvCiphertext;
    type Error = BfvError;

    fn add(&self, a: &BfvCiphertext, b: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        self.evaluator.add(a, b)
    }
    fn sub(&self, a: &BfvCiphertext, b: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        self.evaluator.sub(a, b)
    }
    fn neg(&self, a: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        Ok(self.evaluator.neg(a))
    }
    fn mul(&self, a: &BfvCiphertext, b: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        self.evaluator.multiply(a, b)
    }
    fn add_constant(
        &self,
        a: &BfvCiphertext,
        c: &Constant,
        chunk: Option<usize>,
    ) -> Result<BfvCiphertext, BfvError> {
        match chunk.filter(|&chunk| self.layout.has_padding(chunk)) {
            Some(chunk) => {
                let plain = on_rows(self.evaluator.params(), self.layout, whole(c), chunk, a.level())?;
                self.evaluator.add_plain(a, &plain)
            }
            None => self.evaluator.add_constant(a, whole(c).clone()),
        }
    }
    fn mul_constant(&self, a: &BfvCiphertext, k: &Constant, _scale: f64) -> Result<BfvCiphertext, BfvError> {
        self.evaluator.mul_constant(a, whole(k).clone())
    }
    fn mask_rows(&self, a: &BfvCiphertext, chunk: usize) -> Result<BfvCiphertext, BfvError> {
        if !self.layout.has_padding(chunk) {
            return Ok(a.clone());
        }
        let mask = on_rows(self.evaluator.params(), self.layout, &BigInt::one(), chunk, a.level())?;
        self.evaluator.mul_plain(a, &mask)
    }
    fn rescale(&self, _: &BfvCiphertext) -> Result<BfvCiphertext, BfvError> {
        unreachable!("BFV has no scales to keep")
    }
    fn switch_to(&self, a: &BfvCiphertext, level: Level) -> Result<BfvCiphertext, BfvError> {
        self.evaluator.switch_to(a.clone(), level)
    }
    fn sum_block(&self, a: &BfvCiphertext, factors: &[usize]) -> Result<BfvCiphertext, BfvError> {
        sum_blocks(&self.evaluator, a, factors)
    }
    fn functions(
        &self,
        operation: &WholeOperation,
        operands: &[&BfvCiphertext],
    ) -> Result<Vec<BfvCiphertext>, BfvError> {
        operation.apply(&self.evaluator, operands)
    }
}

impl ExactScheme for BfvParams {
    type Ciphertext = BfvCiphertext;
    type Plaintext = BfvPlaintext;
    type Error = BfvError;

    fn modulus(&self) -> &BigUint {
        self.value_modulus()
    }
    fn highest(&self) -> Level {
        self.max_level()
    }
    fn encode(&self, slots: &[i64], level: Level) -> Result<BfvPlaintext, BfvError> {
        Encoder::new(self).encode(slots, level)
    }
    fn encode_integers(&self, slots: &[BigInt], level: Level) -> Result<BfvPlaintext, BfvError> {
        Encoder::new(self).encode_integers(slots, level)
    }
    fn encrypt(
        &self,
        key: &PublicKey,
        plaintext: &BfvPlaintext,
        sampler: &mut Sampler,
    ) -> Result<BfvCiphertext, BfvError> {
        Encryptor::new(self).encrypt(key, plaintext, sampler)
    }
    fn decrypt(&self, secret: &SecretKey, ciphertext: &BfvCiphertext) -> Result<Vec<i64>, BfvError> {
        Decryptor::new(self).decrypt(secret, ciphertext)
    }
    fn decrypt_integers(
        &self,
        secret: &SecretKey,
        ciphertext: &BfvCiphertext,
    ) -> Result<Vec<BigInt>, BfvError> {
        Decryptor::new(self).decrypt_integers(secret, ciphertext)
    }
    fn noise(&self, ciphertext: &BfvCiphertext) -> Noise {
        let budget_bits = asanoha_bfv::budget_bits(self, ciphertext);
        Noise { predicted_bits: ciphertext.noise.log2(), budget_bits }
    }
}
