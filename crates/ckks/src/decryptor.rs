//! Decryption, for the key's holder, and publication, for others.

use asanoha_lattice::{Level, SecretKey};
use asanoha_ring::Sampler;

use crate::{
    CkksCiphertext, CkksError, CkksNoise, CkksParams, Complex64,
    encoder::{coefficients, primes_for, slots},
};

/// log2 of the widest standard deviation that [`Sampler::gaussian`] gives.
const MAX_DEVIATION_BITS: u32 = 52;

/// What decryption may exceed the bound by, relatively, for the rounding of double precision.
const DECODING_SLACK: f64 = 1.0 / (1u64 << 30) as f64;

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

/// Decrypts ciphertexts.
#[derive(Clone, Debug)]
pub struct Decryptor {
    params: CkksParams,
}

impl Decryptor {
    /// The decryptor of these parameters.
    pub fn new(params: &CkksParams) -> Self {
        Self { params: params.clone() }
    }

    /// The N/2 slots of a ciphertext, for the key's holder only.
    ///
    /// The low bits of the result depend on the secret key: whoever sees them together with the ciphertext can find
    /// the key (Li, Micciancio 2021). To hand a result to anyone else use [`Decryptor::publish`].
    ///
    /// Only as many primes are read as bound·scale + noise needs.
    ///
    /// # Errors
    /// [`CkksError::WrongKey`] if a slot is beyond the bound that the ciphertext carries;
    /// [`CkksError::OtherParameters`], [`CkksError::OtherKey`].
    pub fn decrypt(
        &self,
        secret: &SecretKey,
        ciphertext: &CkksCiphertext,
    ) -> Result<Vec<Complex64>, CkksError> {
        self.decrypt_with(secret, ciphertext, None)
    }

    /// The real parts of the N/2 slots of a ciphertext, for the key's holder only.
    ///
    /// # Errors
    /// Those of [`Decryptor::decrypt`].
    pub fn decrypt_real(
        &self,
        secret: &SecretKey,
        ciphertext: &CkksCiphertext,
    ) -> Result<Vec<f64>, CkksError> {
        Ok(self.decrypt(secret, ciphertext)?.into_iter().map(|value| value.re).collect())
    }

    /// The N/2 slots of a ciphertext, flooded with noise so that they can be shown to others.
    ///
    /// Every coefficient gets a rounded Gaussian of standard deviation σ = √(12τ)·2^(s/2)·B, where τ is the number
    /// of results handed out under this key, this one included, s the bits of statistical security (30) and B the
    /// ciphertext's noise bound: not a measured noise, which would tell of the secret. The canonical norm B is at
    /// least the Euclidean length of the error's coefficient vector, and that length over σ is what decides how far
    /// flooded results of two errors can be told apart: τ results together by at most 2^−s/24 (relative entropy).
    /// OpenFHE puts the deviation of one coefficient in the place of B, which is some log2(N)/2 + 3 bits less noise
    /// and less security.
    ///
    /// Noise: B and the norm of the flooding, D·√N·σ with D ≈ 10.
    /// Source: Li, Micciancio, Schultz, Sorrell, "Securing approximate homomorphic encryption using differential
    /// privacy" (2022).
    ///
    /// # Errors
    /// [`CkksError::NoPrecision`] if less than one bit of the largest possible value would be left,
    /// [`CkksError::FloodingTooWide`] if σ exceeds 2^52, and those of [`Decryptor::decrypt`].
    pub fn publish(
        &self,
        secret: &SecretKey,
        ciphertext: &CkksCiphertext,
        results_handed_out: u64,
        statistical_bits: u32,
        sampler: &mut Sampler,
    ) -> Result<Published, CkksError> {
        let spread = (12.0 * results_handed_out.max(1) as f64).sqrt();
        let deviation = spread * (f64::from(statistical_bits) / 2.0).exp2() * ciphertext.noise();
        let deviation_bits = deviation.log2();
        // Written so that what isn't a number is refused too.
        let can_be_sampled = deviation_bits <= f64::from(MAX_DEVIATION_BITS);
        if !can_be_sampled {
            return Err(CkksError::FloodingTooWide { deviation_bits, available_bits: MAX_DEVIATION_BITS });
        }
        let flooding = self.params.rlwe().noise().independent(deviation * deviation + 1.0 / 12.0).to_f64();
        let message = ciphertext.bound() * ciphertext.scale();
        let precision_bits = (message / (ciphertext.noise() + flooding)).log2();
        let is_left = precision_bits >= 1.0;
        if !is_left {
            let (flooding_bits, message_bits) = (flooding.log2(), message.log2());
            return Err(CkksError::NoPrecision { flooding_bits, message_bits });
        }
        let noise = sampler.gaussian(self.params.rlwe().ring_degree(), deviation);
        Ok(Published {
            values: self.decrypt_with(secret, ciphertext, Some((&noise, flooding)))?,
            error_bound: (ciphertext.noise() + flooding) / ciphertext.scale(),
            flooding_deviation: deviation,
            precision_bits,
        })
    }

    /// The slots, with flooding noise of the given norm added to the coefficients.
    fn decrypt_with(
        &self,
        secret: &SecretKey,
        ciphertext: &CkksCiphertext,
        flooding: Option<(&[i64], f64)>,
    ) -> Result<Vec<Complex64>, CkksError> {
        let params = &self.params;
        ciphertext.of(params)?;
        secret.check(params.rlwe())?;
        let state = CkksNoise::new(params).check(ciphertext.state())?;
        let size = state.bound * state.scale + state.noise;
        let count = primes_for(params, state.level, size);
        let lowest = ciphertext.rlwe.clone().drop_to(Level(count - 1));
        let poly = secret.decrypt(&lowest);
        let coefficients = coefficients(&poly, flooding.map(|(noise, _)| noise));
        let values = slots(params, &coefficients, state.scale);

        let limit = size + flooding.map_or(0.0, |(_, norm)| norm);
        let within = |value: &Complex64| value.abs() * state.scale <= limit * (1.0 + DECODING_SLACK);
        if values.iter().all(within) {
            Ok(values)
        } else {
            let found = values.iter().map(|value| value.abs()).fold(0.0, f64::max) * state.scale;
            Err(CkksError::WrongKey { found_bits: found.log2(), bound_bits: limit.log2() })
        }
    }
}
