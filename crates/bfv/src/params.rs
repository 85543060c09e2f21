//! Parameters: the ring's and the plaintext modulus.

use std::sync::{Arc, OnceLock};

use asanoha_kernels::primes_congruent_to_one;
use asanoha_lattice::{Level, NoiseFactor, Norm, ParamsError, RlweLiteral, RlweParams};
use asanoha_ring::{Backend, Basis, Evaluation, Modulus, Poly, ScaledTensor};
use asanoha_scheme::{
    Binomial, Encoding, JsonInteger, NegatedInverse, ParametersBuilder, Plain, PlaintextError,
    PlaintextSpace, Space,
};
use num_bigint::BigUint;
use num_integer::Integer;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{BfvModulus, rounding::Rounding};

/// BFV parameters as written down, unchecked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BfvLiteral {
    /// The ring's parameters. Their noise factor is 1.
    pub rlwe: RlweLiteral,
    /// The plaintext modulus t.
    pub plaintext_modulus: BfvModulus,
    /// An integer t's prime factors, where it's to have slots, isn't prime and has more than 64 bits; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plaintext_factors: Vec<JsonInteger>,
    /// The encoding of plaintexts. By default slots if t has any. Polynomial moduli have one encoding of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

/// An error in a literal of parameters.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BfvParamsError {
    /// The ring's parameters.
    #[error(transparent)]
    Ring(#[from] ParamsError),
    /// The plaintext modulus.
    #[error(transparent)]
    Plaintext(#[from] PlaintextError),
    /// A polynomial modulus of another form.
    #[error(
        "plaintext modulus X^{exponent} - {base} must have an exponent that is a power of two, of at most the ring degree {ring_degree}, and a base from 2 to 2^32 - 1"
    )]
    Binomial {
        /// The exponent k.
        exponent: usize,
        /// The base b.
        base: u64,
        /// The ring degree N.
        ring_degree: usize,
    },
    /// A prime of the ciphertext modulus divides the plaintext modulus.
    #[error(
        "prime {0} of the ciphertext modulus divides the plaintext modulus, by which encoding divides modulo that prime; choose another prime"
    )]
    SharedPrime(u64),
    /// A plaintext space of another ring degree, modulus or encoding.
    #[error(
        "the plaintext space isn't that of the literal: make it of the literal's ring degree and modulus"
    )]
    OtherSpace,
    /// A noise factor that isn't 1.
    #[error("noise factor {0} must be 1 in BFV")]
    NoiseFactor(NoiseFactor),
}

/// Checked BFV parameters with their tables. Cloning shares them.
#[derive(Clone, Debug)]
pub struct BfvParams(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    literal: BfvLiteral,
    pub(crate) digest: String,
    pub(crate) rlwe: RlweParams,
    pub(crate) space: Space,
    levels: Vec<LevelTables>,
}

/// What belongs to one level, made at the first use.
#[derive(Debug)]
struct LevelTables {
    /// The modulus R of products.
    auxiliary: Basis,
    /// Primes enough for a decrypted polynomial.
    plain: Basis,
    tensor: OnceLock<ScaledTensor>,
    negated_inverse: OnceLock<NegatedInverse>,
    rounding: OnceLock<Rounding>,
}

impl BfvLiteral {
    /// Creates the literal of a ring and a plaintext modulus, with the encoding that the modulus allows.
    pub fn new(rlwe: RlweLiteral, plaintext_modulus: impl Into<BfvModulus>) -> Self {
        let plaintext_modulus = plaintext_modulus.into();
        Self { rlwe, plaintext_modulus, plaintext_factors: Vec::new(), encoding: None }
    }

    /// Checks the literal and builds the tables, with the kernels of the given back-end.
    pub fn check(self, backend: Backend) -> Result<BfvParams, BfvParamsError> {
        if !self.rlwe.noise_factor.is_one() {
            return Err(BfvParamsError::NoiseFactor(self.rlwe.noise_factor));
        }
        let rlwe = self.rlwe.clone().check(backend)?;
        let space = self.space(&rlwe, backend)?;
        self.with_tables(rlwe, space, backend)
    }

    /// Checks the literal with an existing plaintext space of its ring degree, modulus and encoding.
    ///
    /// Use it to search among many literals of one large modulus, whose primality test takes longer than everything else.
    ///
    /// # Errors
    /// Those of [`Self::check`], and [`BfvParamsError::OtherSpace`].
    pub fn check_in(self, space: PlaintextSpace, backend: Backend) -> Result<BfvParams, BfvParamsError> {
        let is_of = |t: &BigUint| space.is_of(self.rlwe.ring_degree, t, self.encoding);
        if !matches!(&self.plaintext_modulus, BfvModulus::Integer(t) if is_of(&t.0)) {
            return Err(BfvParamsError::OtherSpace);
        }
        if !self.rlwe.noise_factor.is_one() {
            return Err(BfvParamsError::NoiseFactor(self.rlwe.noise_factor));
        }
        let rlwe = self.rlwe.clone().check(backend)?;
        self.with_tables(rlwe, Space::Integer(space), backend)
    }

    fn with_tables(
        self,
        rlwe: RlweParams,
        space: Space,
        backend: Backend,
    ) -> Result<BfvParams, BfvParamsError> {
        let q = rlwe.q(rlwe.max_level());
        if let Some(shared) = q.primes().find(|&q| space.modulus().is_multiple_of(&q.into())) {
            return Err(BfvParamsError::SharedPrime(shared));
        }
        let auxiliary = auxiliary_primes(&rlwe, &space, backend);
        let tables = |level: usize| {
            let q = rlwe.q(Level(level));
            LevelTables {
                auxiliary: auxiliary.range(0..primes_for(&auxiliary, auxiliary_bits(q))),
                plain: auxiliary.range(0..primes_for(&auxiliary, plain_bits(&space))),
                tensor: OnceLock::new(),
                negated_inverse: OnceLock::new(),
                rounding: OnceLock::new(),
            }
        };
        let levels = (0..q.len()).map(tables).collect();
        let text = serde_json::to_string(&self).expect("plain data");
        let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        Ok(BfvParams(Arc::new(Inner { literal: self, digest, rlwe, space, levels })))
    }

    fn space(&self, rlwe: &RlweParams, backend: Backend) -> Result<Space, BfvParamsError> {
        let ring_degree = rlwe.ring_degree();
        let factors: Vec<BigUint> = self.plaintext_factors.iter().map(|factor| factor.0.clone()).collect();
        match &self.plaintext_modulus {
            BfvModulus::Integer(t) => {
                Ok(Space::Integer(PlaintextSpace::new(ring_degree, &t.0, &factors, self.encoding, backend)?))
            }
            &BfvModulus::Binomial { exponent, base } => {
                let good = exponent.is_power_of_two() && exponent <= ring_degree && base >= 2;
                match u32::try_from(base) {
                    Ok(base) if good => Ok(Space::Binomial(Binomial::new(ring_degree, exponent, base))),
                    _ => Err(BfvParamsError::Binomial { exponent, base, ring_degree }),
                }
            }
        }
    }
}

/// log2 of the least auxiliary modulus of a level: rounding R/Q·b then adds about as much noise as a fresh
/// ciphertext's rounding would.
fn auxiliary_bits(q: &Basis) -> f64 {
    q.log2_product() - 1.0
}

/// log2 of what holds a decrypted polynomial, of coefficients at most |t|/2 + 1.
fn plain_bits(space: &Space) -> f64 {
    space.modulus_norm().log2() + 2.0
}

/// How many primes of a basis have a given number of bits together.
fn primes_for(basis: &Basis, bits: f64) -> usize {
    let mut sum = 0.0;
    let enough = basis.primes().position(|prime| {
        sum += (prime as f64).log2();
        sum >= bits
    });
    enough.expect("the auxiliary basis is long enough") + 1
}

/// The primes of products: they follow from the ring's parameters, so that no file needs to hold them. As wide as the
/// widest of the ciphertext modulus, the largest that aren't primes of the ring's parameters; the next width where
/// there aren't enough.
fn auxiliary_primes(rlwe: &RlweParams, space: &Space, backend: Backend) -> Basis {
    let q = rlwe.q(rlwe.max_level());
    let bits = auxiliary_bits(q).max(plain_bits(space));
    let own: Vec<u64> = rlwe.qp().primes().collect();
    let step = 2 * rlwe.ring_degree() as u64;
    let primes = (q.max_bits()..=Modulus::MAX_BITS).find_map(|width| {
        // All are above 2^(width − 1).
        let count = (bits / f64::from(width - 1)).ceil().max(1.0) as usize;
        primes_congruent_to_one(width, step, count, &own).ok()
    });
    let primes = primes.expect("there are thousands of primes of 61 bits for every ring degree");
    Basis::new(rlwe.ring_degree(), &primes, backend).expect("distinct primes that are 1 modulo 2N")
}

impl PartialEq for BfvParams {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.digest == other.0.digest
    }
}

impl BfvParams {
    /// Returns a builder that chooses parameters by depth and plaintext modulus.
    ///
    /// ```
    /// use asanoha_bfv::Bfv;
    /// use asanoha_scheme::Scheme;
    ///
    /// let params = Bfv::parameters().depth(2).plaintext_modulus(65537).slots(1024).build()?;
    /// assert!(params.slots() >= 1024 && params.rlwe().security_bits() >= 128);
    /// # Ok::<(), asanoha_scheme::ParametersError>(())
    /// ```
    pub fn parameters() -> ParametersBuilder<Self> {
        ParametersBuilder::default()
    }

    /// Returns the literal of these parameters.
    pub fn literal(&self) -> &BfvLiteral {
        &self.0.literal
    }

    /// Returns the norm of t: t itself, or b + 1.
    pub fn modulus_norm(&self) -> Norm {
        self.0.space.modulus_norm()
    }

    /// Returns a bound on the norm of what rounding Q/t·m adds, for every m.
    pub fn encoding_noise(&self) -> Norm {
        self.0.space.encoding_noise()
    }

    /// The auxiliary basis of products at a level.
    pub(crate) fn auxiliary(&self, level: Level) -> &Basis {
        &self.0.levels[level.0].auxiliary
    }

    /// The products of a level.
    pub(crate) fn scaled_tensor(&self, level: Level) -> &ScaledTensor {
        let tables = &self.0.levels[level.0];
        tables.tensor.get_or_init(|| {
            let polynomial = self.0.space.polynomial_factor();
            let integer = |prime| self.0.space.integer_factor(prime);
            ScaledTensor::new(self.0.rlwe.q(level), &tables.auxiliary, integer, polynomial.as_deref())
        })
    }

    /// round(Q/t·m) modulo the primes of a level.
    pub(crate) fn scaled_plain(&self, plain: &Plain, level: Level) -> Poly<Evaluation> {
        let (space, basis) = (&self.0.space, self.0.rlwe.q(level));
        let inverse = self.0.levels[level.0].negated_inverse.get_or_init(|| space.negated_inverse(basis));
        space.scaled(plain, basis, inverse)
    }

    /// The rounding t/Q·v of a level.
    pub(crate) fn rounding(&self, level: Level) -> &Rounding {
        let tables = &self.0.levels[level.0];
        tables.rounding.get_or_init(|| Rounding::new(self.0.rlwe.q(level), &tables.plain, &self.0.space))
    }
}
