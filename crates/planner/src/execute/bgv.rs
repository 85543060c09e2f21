//! BGV: the noise model and the evaluator as engines.

use std::borrow::Cow;

use asanoha_bgv::{
    BgvCiphertext, BgvError, BgvNoise, BgvParams, BgvPlaintext, Decryptor, Encoder, Encryptor, Evaluator,
    NoiseState, PublicKey, SecretKey,
};
use asanoha_circuits::{ExactArithmetic, Slots, sum_blocks};
use asanoha_lattice::{Level, Trace};
use asanoha_ring::{Sampler, Seed};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};
use rayon::prelude::*;

use super::engine::Engine;
use crate::circuit::{Constant, Layout, SmallFunction};

fn whole(constant: &Constant) -> &BigInt {
    match constant {
        Constant::Whole(value) => value,
        Constant::Real(_) => unreachable!("exact schedules have whole constants"),
    }
}

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

    /// The parameters.
    pub fn params(&self) -> &BgvParams {
        &self.params
    }

    /// The noise of single operations.
    pub fn noise(&self) -> &BgvNoise {
        &self.noise
    }

    /// A fresh encryption under the public key.
    pub fn fresh(&self) -> Result<NoiseState, BgvError> {
        self.noise.fresh_public(self.params.max_level())
    }
}

impl Engine for BgvModel {
    type Value = NoiseState;
    type Error = BgvError;

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
    fn function(
        &self,
        function: &SmallFunction,
        a: &NoiseState,
        b: Option<&NoiseState>,
    ) -> Result<NoiseState, BgvError> {
        function.apply(self, a, b)
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

/// The evaluator as an engine.
#[derive(Debug)]
pub struct BgvEngine {
    evaluator: Evaluator,
    encoder: Encoder,
    layout: Layout,
}

impl BgvEngine {
    /// An engine with these keys.
    pub fn new(evaluator: Evaluator, layout: Layout) -> Self {
        Self { encoder: Encoder::new(evaluator.params()), evaluator, layout }
    }

    /// A number modulo t in the rows of a chunk, zero in its padding.
    fn on_rows(&self, value: &BigInt, chunk: usize, level: Level) -> Result<BgvPlaintext, BgvError> {
        let t = self.evaluator.params().space().wide_modulus();
        let residue = t.centred(&t.row(value));
        match residue.to_i64() {
            Some(word) => self.encoder.encode(&self.layout.spread_constant(chunk, &word), level),
            None => self.encoder.encode_integers(&self.layout.spread_constant(chunk, &residue), level),
        }
    }
}

impl Engine for BgvEngine {
    type Value = BgvCiphertext;
    type Error = BgvError;

    fn add(&self, a: &BgvCiphertext, b: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        self.evaluator.add(a, b)
    }
    fn sub(&self, a: &BgvCiphertext, b: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        self.evaluator.sub(a, b)
    }
    fn neg(&self, a: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        Ok(self.evaluator.neg(a))
    }
    fn mul(&self, a: &BgvCiphertext, b: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        self.evaluator.multiply(a, b)
    }
    fn add_constant(
        &self,
        a: &BgvCiphertext,
        c: &Constant,
        chunk: Option<usize>,
    ) -> Result<BgvCiphertext, BgvError> {
        match chunk.filter(|&chunk| self.layout.has_padding(chunk)) {
            Some(chunk) => self.evaluator.add_plain(a, &self.on_rows(whole(c), chunk, a.level())?),
            None => self.evaluator.add_constant(a, whole(c).clone()),
        }
    }
    fn mul_constant(&self, a: &BgvCiphertext, k: &Constant, _scale: f64) -> Result<BgvCiphertext, BgvError> {
        self.evaluator.mul_constant(a, whole(k).clone())
    }
    fn mask_rows(&self, a: &BgvCiphertext, chunk: usize) -> Result<BgvCiphertext, BgvError> {
        if !self.layout.has_padding(chunk) {
            return Ok(a.clone());
        }
        self.evaluator.mul_plain(a, &self.on_rows(&BigInt::one(), chunk, a.level())?)
    }
    fn rescale(&self, _: &BgvCiphertext) -> Result<BgvCiphertext, BgvError> {
        unreachable!("BGV switches the modulus")
    }
    fn switch_to(&self, a: &BgvCiphertext, level: Level) -> Result<BgvCiphertext, BgvError> {
        self.evaluator.switch_to(a.clone(), level)
    }
    fn sum_block(&self, a: &BgvCiphertext, factors: &[usize]) -> Result<BgvCiphertext, BgvError> {
        sum_blocks(&self.evaluator, a, factors)
    }
    fn function(
        &self,
        function: &SmallFunction,
        a: &BgvCiphertext,
        b: Option<&BgvCiphertext>,
    ) -> Result<BgvCiphertext, BgvError> {
        function.apply(&self.evaluator, a, b)
    }
}

/// Encrypts a column of whole numbers, at the highest level.
pub(super) fn encrypt_column(
    params: &BgvParams,
    key: &PublicKey,
    layout: Layout,
    column: &[i64],
    sampler: &mut Sampler,
) -> Result<Vec<BgvCiphertext>, BgvError> {
    let (encoder, encryptor) = (Encoder::new(params), Encryptor::new(params));
    let seeds: Vec<Seed> = (0..layout.chunks()).map(|_| sampler.seed()).collect();
    let encrypt = |(chunk, seed): (usize, &Seed)| {
        let plaintext = encoder.encode(&layout.spread(chunk, column), params.max_level())?;
        encryptor.encrypt(key, &plaintext, &mut Sampler::new(seed))
    };
    seeds.par_iter().enumerate().map(encrypt).collect()
}

/// Decrypts a column, or a number, which is one slot of one ciphertext.
pub(super) fn decrypt_values(
    params: &BgvParams,
    secret: &SecretKey,
    layout: Layout,
    ciphertexts: &[BgvCiphertext],
    column: bool,
) -> Result<Vec<i64>, BgvError> {
    let decryptor = Decryptor::new(params);
    let mut values = Vec::new();
    for (chunk, ciphertext) in ciphertexts.iter().enumerate() {
        let count = if column { layout.chunk(chunk).len() } else { 1 };
        values.extend_from_slice(&decryptor.decrypt(secret, ciphertext)?[..count]);
    }
    Ok(values)
}
