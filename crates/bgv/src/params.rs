//! Parameters: the ring's and the plaintext modulus.

use std::sync::Arc;

use asanoha_kernels::{NttError, evaluation_exponent, is_prime};
use asanoha_lattice::{Level, ParamsError, RlweLiteral, RlweParams};
use asanoha_ring::{Backend, Basis, MAX_RING_DEGREE, MIN_RING_DEGREE, Modulus, RingError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::embedding::Embedding;

/// The widest plaintext modulus, in bits.
pub const MAX_PLAINTEXT_BITS: u32 = 60;

/// BGV parameters as written down, unchecked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BgvLiteral {
    /// The ring's parameters. Their noise factor is t in decimal; left empty, it's filled in.
    pub rlwe: RlweLiteral,
    /// The plaintext modulus t: a prime that is 1 modulo 2N, of at most 60 bits.
    pub plaintext_modulus: u64,
}

/// What's wrong with a literal.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BgvParamsError {
    /// The ring's parameters.
    #[error(transparent)]
    Ring(#[from] ParamsError),
    /// Not a prime that is 1 modulo 2N.
    #[error(
        "plaintext modulus {plaintext_modulus} must be a prime that is 1 modulo {}, for ring degree {ring_degree}; the nearest such {}",
        2 * ring_degree,
        nearest(*below, *above)
    )]
    NotBatching {
        /// The plaintext modulus.
        plaintext_modulus: u64,
        /// The ring degree N.
        ring_degree: usize,
        /// The largest prime below that would do.
        below: Option<u64>,
        /// The smallest prime above that would do.
        above: Option<u64>,
    },
    /// A plaintext modulus of more than 60 bits.
    #[error("plaintext modulus {0} must have at most {MAX_PLAINTEXT_BITS} bits")]
    TooWide(u64),
    /// The plaintext modulus is a prime of the ciphertext modulus or the special modulus.
    #[error(
        "plaintext modulus {0} is also a prime of the ciphertext modulus; choose another for one of them"
    )]
    SharedPrime(u64),
    /// The noise factor is given and isn't the plaintext modulus.
    #[error(
        "noise factor {noise_factor} must be the plaintext modulus {plaintext_modulus} (or empty, to be filled in)"
    )]
    NoiseFactor {
        /// The noise factor given.
        noise_factor: String,
        /// The plaintext modulus.
        plaintext_modulus: u64,
    },
}

fn nearest(below: Option<u64>, above: Option<u64>) -> String {
    match (below, above) {
        (Some(below), Some(above)) => format!("are {below} and {above}"),
        (Some(one), None) | (None, Some(one)) => format!("is {one}"),
        (None, None) => "doesn't exist".to_owned(),
    }
}

/// Checked BGV parameters with their tables. Cloning shares them.
///
/// A plaintext is N integers modulo t in two rows of N/2.
#[derive(Clone, Debug)]
pub struct BgvParams(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    literal: BgvLiteral,
    rlwe: RlweParams,
    modulus: Modulus,
    plain: Basis,
    /// Where every slot stands in evaluation order.
    slot_positions: Vec<u32>,
    embedding: Embedding,
}

impl BgvLiteral {
    /// Checks the literal and builds the tables, with the kernels of the given back-end.
    ///
    /// ```
    /// use asanoha_bgv::{BgvLiteral, BgvParamsError};
    /// use asanoha_lattice::RlweLiteral;
    /// use asanoha_ring::Backend;
    ///
    /// let rlwe = RlweLiteral {
    ///     ring_degree: 1024,
    ///     q_primes: vec![1152921504606830593],
    ///     p_primes: vec![1152921504606748673],
    ///     digits: 1,
    ///     noise_factor: String::new(),
    ///     insecure: true,
    /// };
    /// let error = BgvLiteral { rlwe, plaintext_modulus: 65539 }.check(Backend::Scalar).unwrap_err();
    /// assert!(matches!(error, BgvParamsError::NotBatching { below: Some(65537), .. }));
    /// ```
    pub fn check(mut self, backend: Backend) -> Result<BgvParams, BgvParamsError> {
        let t = self.plaintext_modulus;
        let ring_degree = self.rlwe.ring_degree;
        if !ring_degree.is_power_of_two() || !(MIN_RING_DEGREE..=MAX_RING_DEGREE).contains(&ring_degree) {
            return Err(ParamsError::from(RingError::from(NttError::RingDegree(ring_degree))).into());
        }
        if t >> MAX_PLAINTEXT_BITS != 0 {
            return Err(BgvParamsError::TooWide(t));
        }
        if !batches(t, ring_degree) {
            return Err(self.not_batching());
        }
        if self.primes().any(|prime| prime == t) {
            return Err(BgvParamsError::SharedPrime(t));
        }
        if self.rlwe.noise_factor.is_empty() {
            self.rlwe.noise_factor = t.to_string();
        }
        if self.rlwe.noise_factor != t.to_string() {
            let noise_factor = self.rlwe.noise_factor;
            return Err(BgvParamsError::NoiseFactor { noise_factor, plaintext_modulus: t });
        }
        let rlwe = self.rlwe.clone().check(backend)?;
        let plain = Basis::new(ring_degree, &[t], backend).map_err(ParamsError::from)?;
        Ok(BgvParams(Arc::new(Inner {
            literal: self,
            modulus: *plain.modulus(0),
            rlwe,
            plain,
            slot_positions: slot_positions(ring_degree),
            embedding: Embedding::new(ring_degree),
        })))
    }

    fn primes(&self) -> impl Iterator<Item = u64> {
        self.rlwe.q_primes.iter().chain(&self.rlwe.p_primes).copied()
    }

    fn not_batching(&self) -> BgvParamsError {
        let (t, ring_degree) = (self.plaintext_modulus, self.rlwe.ring_degree);
        let step = 2 * ring_degree as u64;
        let fits =
            |&candidate: &u64| batches(candidate, ring_degree) && self.primes().all(|q| q != candidate);
        // The largest candidate that is at most t.
        let start = t.saturating_sub(1) / step * step + 1;
        let below = (1..=start / step).rev().map(|k| k * step + 1).find(fits);
        let above = (start / step + 1..(1u64 << MAX_PLAINTEXT_BITS) / step).map(|k| k * step + 1).find(fits);
        BgvParamsError::NotBatching { plaintext_modulus: t, ring_degree, below, above }
    }
}

fn batches(t: u64, ring_degree: usize) -> bool {
    t % (2 * ring_degree as u64) == 1 && is_prime(t)
}

/// Slot j of the first row stands at ψ^(5^j), slot j of the second at ψ^(−5^j): the position in evaluation order
/// of every slot, row after row.
fn slot_positions(ring_degree: usize) -> Vec<u32> {
    let order = 2 * ring_degree;
    let mut position_of = vec![0u32; ring_degree];
    for position in 0..ring_degree {
        position_of[evaluation_exponent(ring_degree, position) / 2] = position as u32;
    }
    let powers = std::iter::successors(Some(1), |power| Some(power * 5 % order)).take(ring_degree / 2);
    let first = powers.clone().map(|exponent| position_of[exponent / 2]);
    let second = powers.map(|exponent| position_of[(order - exponent) / 2]);
    first.chain(second).collect()
}

impl PartialEq for BgvParams {
    fn eq(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }
}

impl BgvParams {
    /// The literal that these parameters were made of, with the noise factor filled in.
    pub fn literal(&self) -> &BgvLiteral {
        &self.0.literal
    }

    /// The ring's parameters.
    pub fn rlwe(&self) -> &RlweParams {
        &self.0.rlwe
    }

    /// A digest of the parameters, which keys and ciphertexts carry. The ring's parameters hold t, so theirs is
    /// enough.
    pub fn digest(&self) -> &str {
        self.0.rlwe.digest()
    }

    /// The plaintext modulus t.
    pub fn plaintext_modulus(&self) -> &Modulus {
        &self.0.modulus
    }

    /// The number of slots, N, in two rows of N/2.
    pub fn slots(&self) -> usize {
        self.0.rlwe.ring_degree()
    }

    /// The number of slots of a row, N/2.
    pub fn row_slots(&self) -> usize {
        self.slots() / 2
    }

    /// The largest value of a slot, (t − 1)/2; the smallest is its negative.
    pub fn largest_value(&self) -> i64 {
        (self.0.modulus.value() / 2) as i64
    }

    /// The level of fresh ciphertexts.
    pub fn max_level(&self) -> Level {
        self.0.rlwe.max_level()
    }

    /// The basis of the one prime t.
    pub(crate) fn plain(&self) -> &Basis {
        &self.0.plain
    }

    /// Where every slot stands in evaluation order.
    pub(crate) fn slot_positions(&self) -> &[u32] {
        &self.0.slot_positions
    }

    /// The canonical embedding, for norms.
    pub(crate) fn embedding(&self) -> &Embedding {
        &self.0.embedding
    }
}
