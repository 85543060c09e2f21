//! Decryption by the key holder, for itself and for others.

use std::num::NonZeroU64;

use asanoha_lattice::{Level, SecretKey};
use asanoha_ring::Sampler;
use asanoha_scheme::{Ciphertext, Model, Scheme, SchemeError};

use crate::{
    CkksParams, Complex64, Flooding, PublicationId, Published,
    embedding::{Slots, primes_for},
    publication::flooding_seed,
};

/// What decryption may exceed the bound by, relatively, for the rounding of double precision.
const DECODING_SLACK: f64 = 1.0 / (1u64 << 30) as f64;

/// A decryptor of ciphertexts.
#[derive(Clone, Debug)]
pub struct Decryptor {
    params: CkksParams,
}

impl Decryptor {
    /// Creates the decryptor of these parameters.
    pub fn new(params: &CkksParams) -> Self {
        Self { params: params.clone() }
    }

    /// Decrypts the N/2 slots of a ciphertext, for the key holder only.
    ///
    /// The low bits of the result depend on the secret key: anyone who sees them together with the ciphertext can find the key
    /// (Li, Micciancio 2021). To share a result use [`Decryptor::publish`].
    ///
    /// Reads only as many primes as bound·scale + noise needs.
    ///
    /// # Errors
    /// [`SchemeError::WrongKey`] if a slot exceeds the ciphertext's bound; [`SchemeError::OtherParameters`],
    /// [`SchemeError::OtherKey`].
    pub fn decrypt(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext<CkksParams>,
    ) -> Result<Vec<Complex64>, SchemeError> {
        self.decrypt_with(secret, ciphertext, None).map(|slots| slots.numbers())
    }

    /// Decrypts the real parts of the N/2 slots of a ciphertext, for the key holder only.
    ///
    /// # Errors
    /// Those of [`Decryptor::decrypt`].
    pub fn decrypt_real(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext<CkksParams>,
    ) -> Result<Vec<f64>, SchemeError> {
        self.decrypt_with(secret, ciphertext, None).map(|slots| slots.reals())
    }

    /// The name of a publication, by which whoever counts knows it again.
    pub fn publication_id(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext<CkksParams>,
        statistical_bits: u32,
    ) -> PublicationId {
        PublicationId::new(&self.params, secret, ciphertext, statistical_bits)
    }

    /// The N/2 slots of a ciphertext, flooded with noise so that they can be shown to others.
    ///
    /// Every coefficient gets a rounded Gaussian of standard deviation σ = √(12τ)·2^(s/2)·B, where s is the bits of
    /// statistical security, τ follows from the publication's ordinal ([`publication_tau`](crate::publication_tau)), and B is the
    /// ciphertext's noise bound: not a measured noise, which would tell of the secret. The canonical norm B is at
    /// least the Euclidean length of the error's coefficient vector, and that length over σ is what decides how far
    /// flooded results of two errors can be told apart: one publication by at most 2^−s/24τ, all under a key
    /// together by at most 2^−s/24 (relative entropy).
    /// OpenFHE puts the deviation of one coefficient in the place of B, which is some log2(N)/2 + 3 bits less noise
    /// and less security.
    ///
    /// The flooding is pseudorandom: it follows from the secret, the ciphertext with its state, s, and the ordinal. The same
    /// publication is the same bits every time, so that asking again averages nothing away; and everything that σ depends
    /// on is in it, for noise of one direction and two sizes would give the result itself.
    ///
    /// The ordinal counts the publications under a key from 1. Whoever calls keeps the count, and by
    /// [`Decryptor::publication_id`] the ordinal of every publication, so that the same one gets the same ordinal, and no two
    /// get one: `asanoha` keeps a record beside the secret key.
    ///
    /// Noise: B and the norm of the flooding, D·√N·σ with D ≈ 10.
    /// Source: Li, Micciancio, Schultz, Sorrell, "Securing approximate homomorphic encryption using differential
    /// privacy" (2022).
    ///
    /// # Errors
    /// [`SchemeError::TooFewStatisticalBits`] for fewer than [`LEAST_STATISTICAL_BITS`](crate::LEAST_STATISTICAL_BITS),
    /// [`SchemeError::NoPrecision`] if less than one bit of the largest possible value would be left,
    /// [`SchemeError::FloodingTooWide`] if σ exceeds 2^52, and those of [`Decryptor::decrypt`].
    pub fn publish(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext<CkksParams>,
        ordinal: NonZeroU64,
        statistical_bits: u32,
    ) -> Result<Published, SchemeError> {
        let Flooding { deviation, norm: flooding } =
            Flooding::new(&self.params, ciphertext.noise().to_f64(), ordinal, statistical_bits)?;
        let message = ciphertext.bound() * ciphertext.scale();
        let precision_bits = (message / (ciphertext.noise().to_f64() + flooding)).log2();
        let is_left = precision_bits >= 1.0;
        if !is_left {
            let (flooding_bits, message_bits) = (flooding.log2(), message.log2());
            return Err(SchemeError::NoPrecision { flooding_bits, message_bits });
        }
        let seed = flooding_seed(&self.params, secret, ciphertext, (ordinal, statistical_bits));
        let noise = Sampler::new(&seed).gaussian(self.params.rlwe().ring_degree(), deviation);
        Ok(Published {
            values: self.decrypt_with(secret, ciphertext, Some((&noise, flooding)))?.numbers(),
            error_bound: (ciphertext.noise().to_f64() + flooding) / ciphertext.scale(),
            flooding_deviation: deviation,
            precision_bits,
        })
    }

    /// The slots, with flooding noise of the given norm added to the coefficients.
    fn decrypt_with(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext<CkksParams>,
        flooding: Option<(&[i64], f64)>,
    ) -> Result<Slots, SchemeError> {
        let params = &self.params;
        ciphertext.of(params)?;
        secret.check(params.rlwe())?;
        let state = Model::new(params).check(ciphertext.state().clone())?;
        let scale = state.scale();
        let size = state.bound() * scale + state.noise.to_f64();
        let count = primes_for(params, state.level, size);
        let poly = secret.decrypt_at(ciphertext.rlwe(), Level(count - 1));
        let slots = Slots::new(params, &poly, flooding.map(|(noise, _)| noise), scale);

        let limit = size + flooding.map_or(0.0, |(_, norm)| norm);
        // By squares of what is at most about 1: a limit of 0, of a product with 0, leaves zeros alone. What isn't a number fails.
        let unit = (scale / limit).min(f64::MAX);
        let within = |(re, im): (f64, f64)| {
            let [re, im] = [re * unit, im * unit];
            re * re + im * im <= (1.0 + DECODING_SLACK) * (1.0 + DECODING_SLACK)
        };
        // All of them, without an end before: in vectors.
        if slots.parts().fold(true, |all, value| all & within(value)) {
            Ok(slots)
        } else {
            let found = slots.parts().map(|(re, im)| re.hypot(im)).fold(0.0, f64::max) * scale;
            Err(SchemeError::WrongKey { found_bits: found.log2(), bound_bits: limit.log2() })
        }
    }
}
