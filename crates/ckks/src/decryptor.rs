//! Decryption by the key holder.

use asanoha_lattice::{Level, SecretKey};
use asanoha_scheme::{Scheme, SchemeError};

use crate::{
    CkksCiphertext, CkksModel, CkksParams, Complex64,
    encoder::{Slots, primes_for},
};

/// What decryption may exceed the bound by, relatively, for the rounding of double precision.
const DECODING_SLACK: f64 = 1.0 / (1u64 << 30) as f64;

/// A decryptor of ciphertexts.
#[derive(Clone, Debug)]
pub struct Decryptor {
    pub(crate) params: CkksParams,
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
        ciphertext: &CkksCiphertext,
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
        ciphertext: &CkksCiphertext,
    ) -> Result<Vec<f64>, SchemeError> {
        self.decrypt_with(secret, ciphertext, None).map(|slots| slots.reals())
    }

    /// The slots, with flooding noise of the given norm added to the coefficients.
    pub(crate) fn decrypt_with(
        &self,
        secret: &SecretKey,
        ciphertext: &CkksCiphertext,
        flooding: Option<(&[i64], f64)>,
    ) -> Result<Slots, SchemeError> {
        let params = &self.params;
        ciphertext.of(params)?;
        secret.check(params.rlwe())?;
        let state = CkksModel::new(params).check(ciphertext.state().clone())?;
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
