//! The numbers that are encoded, and those that decryption gives.

use asanoha_lattice::SecretKey;
use asanoha_scheme::{Approximate, Ciphertext, EncodeFor, Encodes, Holds, Numbers, Scheme, SchemeError};
use zeroize::Zeroizing;

use crate::{CkksParams, CkksPlaintext, Complex64, Decryptor, Encoder, complex::largest};

/// The largest integer up to which doubles hold every one.
const LARGEST_WHOLE: u64 = 1 << 53;

impl Encodes<Complex64> for CkksParams {
    /// At the scale of fresh ciphertexts of the level, at that of the ciphertext of a sum, or at the one that leaves a product at the
    /// scale of the level below.
    fn encode_for(
        &self,
        values: &[Complex64],
        purpose: EncodeFor<'_, Self>,
    ) -> Result<CkksPlaintext, SchemeError> {
        let level = purpose.level();
        let (bound, scale) = match purpose {
            EncodeFor::Fresh { bound, .. } => (bound, self.scale_at(level.min(self.max_level()))),
            EncodeFor::Sum(state) => (None, state.scale()),
            EncodeFor::Product(state) => (None, self.constant_scale(state)?),
        };
        let encoder = Encoder::new(self);
        match (bound, purpose) {
            (Some(bound), _) => encoder.encode(values, bound, level, scale),
            (None, EncodeFor::Fresh { .. }) => {
                Ok(encoder.encode(values, largest(values)?.1, level, scale)?.with_values(values))
            }
            (None, _) => encoder.encode(values, largest(values)?.1, level, scale),
        }
    }
}

impl Encodes<f64> for CkksParams {
    fn encode_for(&self, values: &[f64], purpose: EncodeFor<'_, Self>) -> Result<CkksPlaintext, SchemeError> {
        let values: Vec<Complex64> = values.iter().map(|&re| re.into()).collect();
        self.encode_for(&Zeroizing::new(values), purpose)
    }
}

macro_rules! exact_in_doubles {
    ($($number:ty)*) => {$(
        impl Encodes<$number> for CkksParams {
            fn encode_for(
                &self,
                values: &[$number],
                purpose: EncodeFor<'_, Self>,
            ) -> Result<CkksPlaintext, SchemeError> {
                let values: Vec<f64> = values.iter().map(|&value| value.into()).collect();
                self.encode_for(&*Zeroizing::new(values), purpose)
            }
        }
    )*};
}

exact_in_doubles!(f32 i8 i16 i32 u8 u16 u32);

macro_rules! integers {
    ($($integer:ty)*) => {$(
        /// Integers that doubles hold; others are refused.
        impl Encodes<$integer> for CkksParams {
            fn encode_for(
                &self,
                values: &[$integer],
                purpose: EncodeFor<'_, Self>,
            ) -> Result<CkksPlaintext, SchemeError> {
                let is_held = |value: &$integer| value.abs_diff(0) as u64 <= LARGEST_WHOLE;
                if let Some(index) = values.iter().position(|value| !is_held(value)) {
                    return Err(SchemeError::NotHeld { index });
                }
                let values: Vec<f64> = values.iter().map(|&value| value as f64).collect();
                self.encode_for(&*Zeroizing::new(values), purpose)
            }
        }
    )*};
}

integers!(i64 isize u64 usize);

impl Numbers<CkksParams> for Complex64 {
    fn encode_for(
        &self,
        params: &CkksParams,
        purpose: EncodeFor<'_, CkksParams>,
    ) -> Result<CkksPlaintext, SchemeError> {
        params.encode_for(&Zeroizing::new(vec![*self; params.slots()]), purpose)
    }
}

impl Holds<f64> for CkksParams {
    fn decrypt(&self, secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> Result<Vec<f64>, SchemeError> {
        Decryptor::new(self).decrypt_real(secret, ciphertext)
    }
}

impl Holds<Complex64> for CkksParams {
    fn decrypt(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext<Self>,
    ) -> Result<Vec<Complex64>, SchemeError> {
        Decryptor::new(self).decrypt(secret, ciphertext)
    }
}
