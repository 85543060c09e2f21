//! Parameters: the ring's and the plaintext modulus.

use std::sync::Arc;

use asanoha_kernels::NttError;
use asanoha_lattice::{NoiseFactor, ParamsError, RlweLiteral, RlweParams};
use asanoha_ring::{Backend, MAX_RING_DEGREE, MIN_RING_DEGREE, RingError};
use asanoha_scheme::{Encoding, JsonInteger, ParametersBuilder, PlaintextError, PlaintextSpace, Space};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// BGV parameters as written down, unchecked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BgvLiteral {
    /// The ring's parameters. Their noise factor is t in decimal; left empty, it's filled in.
    pub rlwe: RlweLiteral,
    /// The plaintext modulus t, from 2 on, without a common factor with the primes.
    pub plaintext_modulus: JsonInteger,
    /// t's prime factors, where it's to have slots, isn't prime and has more than 64 bits; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plaintext_factors: Vec<JsonInteger>,
    /// The encoding of plaintexts. By default slots if t has several, otherwise coefficients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

/// An error in a literal of parameters.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BgvParamsError {
    /// The ring's parameters.
    #[error(transparent)]
    Ring(#[from] ParamsError),
    /// The plaintext modulus or its encoding.
    #[error(transparent)]
    Plaintext(#[from] PlaintextError),
    /// A prime of the ciphertext modulus or the special modulus divides the plaintext modulus.
    #[error(
        "plaintext modulus {plaintext_modulus} is divisible by {prime}, a prime of the ciphertext modulus or the special modulus; choose another for one of them"
    )]
    SharedPrime {
        /// The plaintext modulus.
        plaintext_modulus: BigUint,
        /// The prime.
        prime: u64,
    },
    /// A plaintext space of another ring degree, modulus or encoding.
    #[error(
        "the plaintext space isn't that of the literal: make it of the literal's ring degree and modulus"
    )]
    OtherSpace,
    /// The noise factor is given and isn't the plaintext modulus.
    #[error(
        "noise factor {noise_factor} must be the plaintext modulus {plaintext_modulus} (or 1, which is replaced by it)"
    )]
    NoiseFactor {
        /// The noise factor given.
        noise_factor: NoiseFactor,
        /// The plaintext modulus.
        plaintext_modulus: BigUint,
    },
}

/// Checked BGV parameters with their tables. Cloning shares them.
#[derive(Clone, Debug)]
pub struct BgvParams(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    literal: BgvLiteral,
    pub(crate) rlwe: RlweParams,
    pub(crate) space: Space,
}

impl BgvLiteral {
    /// Creates the literal of a ring and a plaintext modulus, with the encoding that the modulus allows.
    pub fn new(rlwe: RlweLiteral, plaintext_modulus: impl Into<BigUint>) -> Self {
        let plaintext_modulus = JsonInteger(plaintext_modulus.into());
        Self { rlwe, plaintext_modulus, plaintext_factors: Vec::new(), encoding: None }
    }

    /// Checks the literal and builds the tables, with the kernels of the given back-end.
    ///
    /// ```
    /// use asanoha_bgv::{BgvLiteral, BgvParamsError};
    /// use asanoha_lattice::RlweLiteral;
    /// use asanoha_ring::Backend;
    /// use asanoha_scheme::Encoding;
    ///
    /// let rlwe = RlweLiteral::new(1024, vec![1152921504606830593], vec![1152921504606748673], 1).insecure();
    /// let literal = BgvLiteral { encoding: Some(Encoding::Slots), ..BgvLiteral::new(rlwe, 65536u32) };
    /// let error = literal.check(Backend::Scalar).unwrap_err();
    /// assert!(error.to_string().contains("61441 and 65537"));
    /// ```
    pub fn check(self, backend: Backend) -> Result<BgvParams, BgvParamsError> {
        let ring_degree = self.rlwe.ring_degree;
        if !ring_degree.is_power_of_two() || !(MIN_RING_DEGREE..=MAX_RING_DEGREE).contains(&ring_degree) {
            return Err(ParamsError::from(RingError::from(NttError::RingDegree(ring_degree))).into());
        }
        let t = &self.plaintext_modulus.0;
        let factors: Vec<BigUint> = self.plaintext_factors.iter().map(|factor| factor.0.clone()).collect();
        let space = PlaintextSpace::new(ring_degree, t, &factors, self.encoding, backend)?;
        self.check_in(space, backend)
    }

    /// Checks the literal with an existing plaintext space of its ring degree, modulus and encoding.
    ///
    /// Use it to search among many literals of one large modulus, whose primality test takes longer than everything else.
    ///
    /// # Errors
    /// Those of [`Self::check`], and [`BgvParamsError::OtherSpace`].
    pub fn check_in(mut self, space: PlaintextSpace, backend: Backend) -> Result<BgvParams, BgvParamsError> {
        let t = &self.plaintext_modulus.0;
        if !space.is_of(self.rlwe.ring_degree, t, self.encoding) {
            return Err(BgvParamsError::OtherSpace);
        }
        let space = Space::Integer(space);
        let mut primes = self.rlwe.q_primes.iter().chain(&self.rlwe.p_primes);
        if let Some(&prime) = primes.find(|&&prime| prime > 1 && t % prime == BigUint::ZERO) {
            return Err(BgvParamsError::SharedPrime { plaintext_modulus: t.clone(), prime });
        }
        if self.rlwe.noise_factor.is_one() {
            self.rlwe.noise_factor = t.clone().into();
        }
        if self.rlwe.noise_factor.value() != t {
            let noise_factor = self.rlwe.noise_factor;
            return Err(BgvParamsError::NoiseFactor { noise_factor, plaintext_modulus: t.clone() });
        }
        let rlwe = self.rlwe.clone().check(backend)?;
        Ok(BgvParams(Arc::new(Inner { literal: self, rlwe, space })))
    }
}

impl PartialEq for BgvParams {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.rlwe == other.0.rlwe && self.integers() == other.integers())
    }
}

impl BgvParams {
    /// Returns a builder that chooses parameters by depth and plaintext modulus.
    ///
    /// ```
    /// use asanoha_bgv::Bgv;
    /// use asanoha_scheme::Scheme;
    ///
    /// let params = Bgv::parameters().depth(2).plaintext_modulus(65537).slots(1024).build()?;
    /// assert!(params.slots() >= 1024 && params.rlwe().security_bits() >= 128);
    /// # Ok::<(), asanoha_scheme::ParametersError>(())
    /// ```
    pub fn parameters() -> ParametersBuilder<Self> {
        ParametersBuilder::default()
    }

    /// Returns the literal of these parameters, with the noise factor filled in.
    pub fn literal(&self) -> &BgvLiteral {
        &self.0.literal
    }

    /// Returns the plaintext space of integers modulo t.
    pub fn integers(&self) -> &PlaintextSpace {
        match &self.0.space {
            Space::Integer(space) => space,
            Space::Binomial(_) => unreachable!("t is an integer"),
        }
    }
}
