//! CKKS: the noise model and the evaluator as engines.

use asanoha_circuits::{Slots, sum_blocks};
use asanoha_ckks::{
    CkksCiphertext, CkksError, CkksNoise, CkksParams, CkksPlaintext, Decryptor, Encoder, Encryptor,
    Evaluator, NoiseState, PlainState, PublicKey, SecretKey,
};
use asanoha_lattice::{Level, Norm, Trace};
use asanoha_ring::Sampler;
use rayon::prelude::*;

use super::engine::{Engine, Model};
use crate::circuit::{Constant, Layout};

/// What is known of ciphertexts before there are any.
#[derive(Clone, Debug)]
pub struct CkksModel {
    params: CkksParams,
    noise: CkksNoise,
    layout: Layout,
}

impl CkksModel {
    /// The model of these parameters.
    pub fn new(params: &CkksParams, layout: Layout) -> Self {
        Self { params: params.clone(), noise: CkksNoise::new(params), layout }
    }

    /// The parameters.
    pub fn params(&self) -> &CkksParams {
        &self.params
    }
}

impl Model for CkksModel {
    fn fresh(&self, bound: f64) -> Result<NoiseState, CkksError> {
        let level = self.params.max_level();
        self.noise.fresh_public(level, PlainState { scale: self.params.scale_at(level), bound })
    }
    fn level_of(a: &NoiseState) -> Level {
        a.level
    }
    fn noise_of(a: &NoiseState) -> Norm {
        a.noise.into()
    }
}

impl Engine for CkksModel {
    type Value = NoiseState;
    type Error = CkksError;

    const REPRESENTS: bool = true;

    fn add(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, CkksError> {
        self.noise.add(*a, *b)
    }
    fn sub(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, CkksError> {
        self.noise.add(*a, *b)
    }
    fn neg(&self, a: &NoiseState) -> Result<NoiseState, CkksError> {
        Ok(*a)
    }
    fn mul(&self, a: &NoiseState, b: &NoiseState) -> Result<NoiseState, CkksError> {
        self.noise.multiply(*a, *b)
    }
    fn add_constant(
        &self,
        a: &NoiseState,
        c: &Constant,
        chunk: Option<usize>,
    ) -> Result<NoiseState, CkksError> {
        let c = c.to_f64();
        match chunk.filter(|&chunk| self.layout.has_padding(chunk)) {
            Some(_) => self.noise.add_plain(*a, PlainState { scale: a.scale, bound: c.abs() }),
            None => self.noise.add_constant(*a, c),
        }
    }
    fn mul_constant(&self, a: &NoiseState, k: &Constant, scale: f64) -> Result<NoiseState, CkksError> {
        self.noise.mul_constant(*a, k.to_f64(), scale)
    }
    fn mask_rows(&self, a: &NoiseState, chunk: usize) -> Result<NoiseState, CkksError> {
        let scale = self.params.scale_at(a.level);
        if self.layout.has_padding(chunk) {
            self.noise.mul_plain(*a, PlainState { scale, bound: 1.0 })
        } else {
            self.noise.mul_constant(*a, 1.0, scale)
        }
    }
    fn rescale(&self, a: &NoiseState) -> Result<NoiseState, CkksError> {
        self.noise.rescale(*a, 2)
    }
    fn switch_to(&self, a: &NoiseState, level: Level) -> Result<NoiseState, CkksError> {
        self.noise.drop_to(*a, level)
    }
    fn sum_block(&self, a: &NoiseState, factors: &[usize]) -> Result<NoiseState, CkksError> {
        sum_blocks(self, a, factors)
    }
    fn tighten(&self, a: NoiseState, bound: f64) -> Result<NoiseState, CkksError> {
        a.narrow_bound(bound)
    }
}

impl Slots for CkksModel {
    type Ciphertext = NoiseState;
    type Error = CkksError;

    fn ring_degree(&self) -> usize {
        self.params.rlwe().ring_degree()
    }
    fn trace(&self, a: &NoiseState, trace: &Trace) -> Result<NoiseState, CkksError> {
        self.noise.trace(*a, trace)
    }
}

/// The evaluator as an engine.
#[derive(Debug)]
pub struct CkksEngine {
    evaluator: Evaluator,
    encoder: Encoder,
    layout: Layout,
}

impl CkksEngine {
    /// An engine with these keys.
    pub fn new(evaluator: Evaluator, layout: Layout) -> Self {
        Self { encoder: Encoder::new(evaluator.params()), evaluator, layout }
    }

    fn on_rows(
        &self,
        value: f64,
        chunk: usize,
        level: Level,
        scale: f64,
    ) -> Result<CkksPlaintext, CkksError> {
        let rows = self.layout.spread_constant(chunk, &value);
        self.encoder.encode_real(&rows, value.abs(), level, scale)
    }
}

impl Engine for CkksEngine {
    type Value = CkksCiphertext;
    type Error = CkksError;

    fn add(&self, a: &CkksCiphertext, b: &CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        self.evaluator.add(a, b)
    }
    fn sub(&self, a: &CkksCiphertext, b: &CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        self.evaluator.sub(a, b)
    }
    fn neg(&self, a: &CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        Ok(self.evaluator.neg(a))
    }
    fn mul(&self, a: &CkksCiphertext, b: &CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        self.evaluator.multiply(a, b)
    }
    fn add_constant(
        &self,
        a: &CkksCiphertext,
        c: &Constant,
        chunk: Option<usize>,
    ) -> Result<CkksCiphertext, CkksError> {
        match chunk.filter(|&chunk| self.layout.has_padding(chunk)) {
            Some(chunk) => {
                let plaintext = self.on_rows(c.to_f64(), chunk, a.level(), a.scale())?;
                self.evaluator.add_plain(a, &plaintext)
            }
            None => self.evaluator.add_constant(a, c.to_f64()),
        }
    }
    fn mul_constant(
        &self,
        a: &CkksCiphertext,
        k: &Constant,
        scale: f64,
    ) -> Result<CkksCiphertext, CkksError> {
        self.evaluator.mul_constant(a, k.to_f64(), scale)
    }
    fn mask_rows(&self, a: &CkksCiphertext, chunk: usize) -> Result<CkksCiphertext, CkksError> {
        let scale = self.evaluator.params().scale_at(a.level());
        if self.layout.has_padding(chunk) {
            self.evaluator.mul_plain(a, &self.on_rows(1.0, chunk, a.level(), scale)?)
        } else {
            self.evaluator.mul_constant(a, 1.0, scale)
        }
    }
    fn rescale(&self, a: &CkksCiphertext) -> Result<CkksCiphertext, CkksError> {
        self.evaluator.rescale(a.clone())
    }
    fn switch_to(&self, a: &CkksCiphertext, level: Level) -> Result<CkksCiphertext, CkksError> {
        self.evaluator.drop_to(a.clone(), level)
    }
    fn sum_block(&self, a: &CkksCiphertext, factors: &[usize]) -> Result<CkksCiphertext, CkksError> {
        sum_blocks(&self.evaluator, a, factors)
    }
    fn tighten(&self, a: CkksCiphertext, bound: f64) -> Result<CkksCiphertext, CkksError> {
        a.narrow_bound(bound)
    }
}

/// Encrypts a column of real numbers up to a public bound, at the highest level.
pub(super) fn encrypt_column(
    params: &CkksParams,
    key: &PublicKey,
    layout: Layout,
    (column, bound): (&[f64], f64),
    sampler: &mut Sampler,
) -> Result<Vec<CkksCiphertext>, CkksError> {
    let (encoder, encryptor) = (Encoder::new(params), Encryptor::new(params));
    let level = params.max_level();
    let samplers: Vec<Sampler> = (0..layout.chunks()).map(|_| sampler.branch("ciphertext", &[])).collect();
    let encrypt = |(chunk, mut sampler): (usize, Sampler)| {
        let scale = params.scale_at(level);
        let plaintext = encoder.encode_real(&layout.spread(chunk, column), bound, level, scale)?;
        encryptor.encrypt(key, &plaintext, &mut sampler)
    };
    samplers.into_par_iter().enumerate().map(encrypt).collect()
}

/// Decrypts all slots of a value's ciphertexts, one after another.
pub(super) fn decrypt_slots(
    params: &CkksParams,
    secret: &SecretKey,
    ciphertexts: &[CkksCiphertext],
) -> Result<Vec<Vec<f64>>, CkksError> {
    let decryptor = Decryptor::new(params);
    ciphertexts.iter().map(|ciphertext| decryptor.decrypt_real(secret, ciphertext)).collect()
}
