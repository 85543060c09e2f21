//! Publication: results for others than the key's holder.

use std::num::NonZeroU64;

use asanoha_lattice::SecretKey;
use asanoha_ring::Seed;
use asanoha_scheme::{Ciphertext, Scheme, SchemeError};
use zeroize::Zeroize;

use crate::{CkksParams, Complex64};

/// The least statistical security that results are published with, in bits.
pub const LEAST_STATISTICAL_BITS: u32 = 30;

/// log2 of the widest standard deviation that [`Sampler::gaussian`](asanoha_ring::Sampler::gaussian) gives.
const MAX_DEVIATION_BITS: u32 = 52;

const ID_CONTEXT: &str = "asanoha CKKS publication: what is published";
const FLOODING_CONTEXT: &str = "asanoha CKKS publication: flooding noise";

/// A result that may be handed to others.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The N/2 slots, flooded.
    pub values: Vec<Complex64>,
    /// Bound on the error of every slot: the ciphertext's own noise and the flooding.
    pub error_bound: f64,
    /// The standard deviation of the flooding noise of every coefficient, in scaled units.
    pub flooding_deviation: f64,
    /// log2 of the ciphertext's bound over `error_bound`: the bits that are left of the largest possible value.
    pub precision_bits: f64,
}

impl Published {
    /// The real parts of the slots.
    pub fn real(&self) -> Vec<f64> {
        self.values.iter().map(|value| value.re).collect()
    }
}

/// Names one publication: a ciphertext with its state, and the bits that it's published with. It says nothing of the
/// secret to whoever hasn't it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicationId(pub [u8; 32]);

impl PublicationId {
    pub(crate) fn new(
        params: &CkksParams,
        secret: &SecretKey,
        ciphertext: &Ciphertext<CkksParams>,
        statistical_bits: u32,
    ) -> Self {
        let mut hasher = hasher(params, ID_CONTEXT, secret, ciphertext, statistical_bits);
        let id = Self(*hasher.finalize().as_bytes());
        hasher.zeroize();
        id
    }
}

/// The τ that the c-th publication under a key is flooded for: 2c·(1 + ln c)².
///
/// A publication flooded for τ gives away a τ-th of what the rule allows, and all publications together Σ 1/τ. With τ = c
/// that sum would grow like a logarithm without end; here it stays below ½·(1 + ∫₁^∞ dx/(x·(1 + ln x)²)) = 1, however
/// many there are. The thousandth result has 8 bits more noise than the first.
pub fn publication_tau(ordinal: NonZeroU64) -> f64 {
    let c = ordinal.get() as f64;
    2.0 * c * (1.0 + c.ln()).powi(2)
}

/// The noise that a publication is flooded with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flooding {
    /// The standard deviation of every coefficient, in scaled units.
    pub deviation: f64,
    /// A bound on the norm of all of it, in scaled units, which a slot is off by at most.
    pub norm: f64,
}

impl Flooding {
    /// For a ciphertext of a noise bound, as the ordinal's publication: see [`Decryptor::publish`](crate::Decryptor::publish).
    ///
    /// # Errors
    /// [`SchemeError::TooFewStatisticalBits`] and [`SchemeError::FloodingTooWide`].
    pub fn new(
        params: &CkksParams,
        noise: f64,
        ordinal: NonZeroU64,
        statistical_bits: u32,
    ) -> Result<Self, SchemeError> {
        if statistical_bits < LEAST_STATISTICAL_BITS {
            let (asked, least) = (statistical_bits, LEAST_STATISTICAL_BITS);
            return Err(SchemeError::TooFewStatisticalBits { asked, least });
        }
        let spread = (12.0 * publication_tau(ordinal)).sqrt();
        let deviation = spread * (f64::from(statistical_bits) / 2.0).exp2() * noise;
        let deviation_bits = deviation.log2();
        // Written so that what isn't a number is refused too.
        let can_be_sampled = deviation_bits <= f64::from(MAX_DEVIATION_BITS);
        if !can_be_sampled {
            return Err(SchemeError::FloodingTooWide { deviation_bits, available_bits: MAX_DEVIATION_BITS });
        }
        let norm = params.rlwe().noise().independent(deviation * deviation + 1.0 / 12.0);
        Ok(Self { deviation, norm })
    }
}

/// The seed of the flooding noise of one publication.
pub(crate) fn flooding_seed(
    params: &CkksParams,
    secret: &SecretKey,
    ciphertext: &Ciphertext<CkksParams>,
    (ordinal, statistical_bits): (NonZeroU64, u32),
) -> Seed {
    let mut hasher = hasher(params, FLOODING_CONTEXT, secret, ciphertext, statistical_bits);
    hasher.update(&ordinal.get().to_le_bytes());
    let mut seed = Seed([0; 32]);
    hasher.finalize_xof().fill(&mut seed.0);
    hasher.zeroize();
    seed
}

/// A hash, keyed by the secret for one use, of the parameters, the bits, and the ciphertext with its state.
fn hasher(
    params: &CkksParams,
    context: &str,
    secret: &SecretKey,
    ciphertext: &Ciphertext<CkksParams>,
    statistical_bits: u32,
) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new_keyed(&secret.derive_key(context));
    let (state, parts) = (ciphertext.state(), &ciphertext.rlwe().parts);
    hasher.update(params.digest().as_bytes());
    hasher.update(&statistical_bits.to_le_bytes());
    for number in [state.level.0 as u64, parts.len() as u64] {
        hasher.update(&number.to_le_bytes());
    }
    for number in [state.scale(), state.bound(), state.noise.to_f64()] {
        hasher.update(&number.to_bits().to_le_bytes());
    }
    for words in parts.iter().flat_map(|part| part.words().chunks(1 << 10)) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        hasher.update(&bytes);
    }
    hasher
}
