//! Parameters: an unchecked literal becomes checked parameters.

use std::sync::{Arc, OnceLock};

use asanoha_kernels::SlotTable;
use asanoha_lattice::{Level, NoiseFactor, ParamsError, RlweLiteral, RlweParams};
use asanoha_ring::Backend;
use asanoha_scheme::{BootstrapShape, BootstrapShapeError, ParametersBuilder};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Scaled, scaled::ROUNDING};

/// The smallest and largest log2 of the scale of fresh ciphertexts.
const LOG2_SCALES: std::ops::RangeInclusive<f64> = 10.0..=110.0;

/// The smallest and largest log2 of the canonical scale of any level.
const LOG2_CANONICAL_SCALES: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

/// CKKS parameters as written down, unchecked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CkksLiteral {
    /// The ring; its noise factor is "1".
    pub rlwe: RlweLiteral,
    /// log2 of the scale of fresh ciphertexts.
    pub log2_scale: f64,
    /// How ciphertexts are bootstrapped, if they can be: fresh ones then stand below the primes that this takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<BootstrapShape>,
}

/// An error in a literal of parameters.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CkksParamsError {
    /// The ring's parameters.
    #[error(transparent)]
    Rlwe(#[from] ParamsError),
    /// A shape of bootstrapping that doesn't fit.
    #[error(transparent)]
    Bootstrap(#[from] BootstrapShapeError),
    /// A noise factor other than 1.
    #[error("noise factor {0} must be 1 in CKKS")]
    NoiseFactor(NoiseFactor),
    /// A scale out of range.
    #[error("log2 of the scale is {log2_scale}; it must be from 10 to 110 and below log2(Q) = {log2_q:.1}")]
    Scale {
        /// The scale asked for.
        log2_scale: f64,
        /// The size of the ciphertext modulus.
        log2_q: f64,
    },
    /// Primes so far from the scale that the scales of lower levels run away.
    #[error(
        "the scale of level {level} would be 2^{log2_scale:.1}: choose the primes above it close to the scale"
    )]
    ScaleDrift {
        /// The first level where the scale is out of range.
        level: usize,
        /// Its log2.
        log2_scale: f64,
    },
}

/// Checked CKKS parameters. Cloning shares them.
#[derive(Clone, Debug)]
pub struct CkksParams(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    literal: CkksLiteral,
    pub(crate) digest: String,
    pub(crate) rlwe: RlweParams,
    /// The canonical scale of every level up to that of fresh ciphertexts.
    scales: Vec<f64>,
    /// Made at the first use: a server that only evaluates never encodes.
    slot_table: OnceLock<SlotTable>,
}

impl CkksLiteral {
    /// Creates a literal without bootstrapping.
    pub fn new(rlwe: RlweLiteral, log2_scale: f64) -> Self {
        Self { rlwe, log2_scale, bootstrap: None }
    }

    /// Checks the literal and builds the tables, with the kernels of the given back-end.
    ///
    /// # Errors
    /// [`CkksParamsError`].
    pub fn check(self, backend: Backend) -> Result<CkksParams, CkksParamsError> {
        self.check_with(backend, RlweLiteral::check)
    }

    /// Checks the literal of a kept plan, whose keys to the sparse secret may have less than 128 bits: see [`RlweLiteral::check_kept`].
    ///
    /// # Errors
    /// [`CkksParamsError`].
    pub fn check_kept(self, backend: Backend) -> Result<CkksParams, CkksParamsError> {
        self.check_with(backend, RlweLiteral::check_kept)
    }

    fn check_with(
        self,
        backend: Backend,
        check: fn(RlweLiteral, Backend) -> Result<RlweParams, ParamsError>,
    ) -> Result<CkksParams, CkksParamsError> {
        if !self.rlwe.noise_factor.is_one() {
            return Err(CkksParamsError::NoiseFactor(self.rlwe.noise_factor));
        }
        let rlwe = check(self.rlwe.clone(), backend)?;
        let fresh = match &self.bootstrap {
            Some(shape) => shape.check(&rlwe)?,
            None => rlwe.max_level(),
        };
        let log2_q = rlwe.q(fresh).log2_product();
        let log2_scale = self.log2_scale;
        if !LOG2_SCALES.contains(&log2_scale) || log2_scale >= log2_q {
            return Err(CkksParamsError::Scale { log2_scale, log2_q });
        }
        let mut scales = vec![log2_scale.exp2()];
        for (level, q) in rlwe.q(fresh).primes().enumerate().skip(1).rev() {
            let above = scales[scales.len() - 1];
            let scale = above * above / q as f64;
            if !LOG2_CANONICAL_SCALES.contains(&scale.log2()) {
                return Err(CkksParamsError::ScaleDrift { level: level - 1, log2_scale: scale.log2() });
            }
            scales.push(scale);
        }
        scales.reverse();
        let text = serde_json::to_string(&self).expect("plain data");
        let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        Ok(CkksParams(Arc::new(Inner { literal: self, digest, rlwe, scales, slot_table: OnceLock::new() })))
    }
}

impl PartialEq for CkksParams {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.digest == other.0.digest
    }
}

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

    /// The level of fresh ciphertexts: the highest one that has a canonical scale.
    pub(crate) fn fresh_level(&self) -> Level {
        Level(self.0.scales.len() - 1)
    }

    /// Returns the literal of these parameters.
    pub fn literal(&self) -> &CkksLiteral {
        &self.0.literal
    }

    /// Returns the canonical scale of a level l: S = 2^log2_scale for fresh ciphertexts, and S_{l−1} = S_l²/q_l below.
    ///
    /// So a product of two ciphertexts of canonical scale, rescaled, has exactly the canonical scale of the next level.
    ///
    /// # Panics
    /// If the level is above that of fresh ciphertexts.
    pub fn scale_at(&self, level: Level) -> f64 {
        self.0.scales[level.0]
    }

    /// The error of encoding: the coefficients' rounding, uniform in ±½ and independent as for any but contrived
    /// values, and that of the transform in double precision, at most log2(N) roundings of the bound, spread over
    /// the slots.
    pub fn encoding_error(&self, plain: Scaled) -> f64 {
        let noise = self.0.rlwe.noise();
        let n = self.0.rlwe.ring_degree() as f64;
        let transform = noise.independent(1.0 / n) * n.log2() * ROUNDING;
        noise.independent(1.0 / 12.0) + transform * plain.size()
    }

    pub(crate) fn slot_table(&self) -> &SlotTable {
        self.0.slot_table.get_or_init(|| SlotTable::new(self.0.rlwe.ring_degree() / 2))
    }
}
