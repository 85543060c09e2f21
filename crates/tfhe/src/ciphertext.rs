//! Ciphertexts, and what needs no key: sums, differences, and multiples.

use asanoha_lattice::{KeyId, LweCiphertext};

use crate::{TfheError, TfheParams};

/// An encrypted number from 0 to [`TfheParams::messages`] − 1.
#[derive(Clone, Debug)]
pub struct Ciphertext {
    pub(crate) params: TfheParams,
    pub(crate) id: KeyId,
    /// Under the bits of the GLWE secret.
    pub(crate) lwe: LweCiphertext,
    /// The largest number that it may hold.
    pub(crate) largest: u64,
    /// The variance of the noise, in units of the squared torus.
    pub(crate) variance: f64,
}

impl Ciphertext {
    /// The largest number that it may hold.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// The variance of its noise, in units of the squared torus.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The identifier of the key generation that it belongs to.
    pub fn key_id(&self) -> KeyId {
        self.id
    }

    /// The words of its mask, which are public.
    pub fn mask(&self) -> &[u64] {
        self.lwe.parts().0
    }

    /// The sum.
    ///
    /// Noise: deviations are added, as the operands may depend on each other.
    pub fn add(&self, other: &Self) -> Result<Self, TfheError> {
        other.check_key(&self.params, self.id)?;
        let variance = (self.variance.sqrt() + other.variance.sqrt()).powi(2);
        let mut sum = self.with(self.largest + other.largest, variance)?;
        sum.lwe.add_assign(&other.lwe);
        Ok(sum)
    }

    /// A public number less this one.
    pub fn subtract_from(&self, number: u64) -> Result<Self, TfheError> {
        self.params.check_number(number)?;
        if number < self.largest {
            return Err(TfheError::Negative { largest: self.largest });
        }
        let mut difference = self.with(number, self.variance)?;
        difference.lwe.scale_assign(-1);
        difference.lwe.add_constant_assign(number * self.params.unit());
        Ok(difference)
    }

    /// The sum with a public number.
    pub fn add_constant(&self, number: u64) -> Result<Self, TfheError> {
        self.params.check_number(number)?;
        let mut sum = self.with(self.largest + number, self.variance)?;
        sum.lwe.add_constant_assign(number * self.params.unit());
        Ok(sum)
    }

    /// The product with a public number. It multiplies the noise too.
    pub fn scale(&self, factor: u64) -> Result<Self, TfheError> {
        self.params.check_number(factor)?;
        let mut product = self.with(self.largest * factor, self.variance * (factor * factor) as f64)?;
        product.lwe.scale_assign(factor.cast_signed());
        Ok(product)
    }

    /// Refuses a ciphertext of other parameters, or of another key generation than the given one.
    pub(crate) fn check_key(&self, params: &TfheParams, expected: KeyId) -> Result<(), TfheError> {
        params.is(&self.params)?;
        if self.id == expected { Ok(()) } else { Err(TfheError::OtherKey { found: self.id, expected }) }
    }

    /// The number, if it's public: nothing is hidden where the mask is zero. Ciphertexts from a file can add up to a public body that is
    /// no number up to the largest; that counts as hidden.
    pub(crate) fn public_value(&self) -> Option<u64> {
        let body = self.public_body()?;
        let number = body / self.params.unit();
        (number <= self.largest && number * self.params.unit() == body).then_some(number)
    }

    /// The body, if the ciphertext has no mask and no noise.
    fn public_body(&self) -> Option<u64> {
        (self.variance == 0.0 && self.mask().iter().all(|&word| word == 0)).then_some(self.lwe.parts().1)
    }

    /// Refuses a public body that is no number up to the largest.
    pub(crate) fn check_public(self) -> Result<Self, TfheError> {
        match (self.public_body(), self.public_value()) {
            (Some(body), None) => {
                Err(TfheError::NumberAboveBound { found: body / self.params.unit(), largest: self.largest })
            }
            _ => Ok(self),
        }
    }

    /// The same number, which the caller knows to be at most this much.
    pub(crate) fn at_most(self, largest: u64) -> Self {
        Self { largest, ..self }
    }

    /// The number less a public one, where the caller knows that it's at least that, and the difference at most `largest`.
    pub(crate) fn less(mut self, number: u64, largest: u64) -> Self {
        self.lwe.add_constant_assign((number * self.params.unit()).wrapping_neg());
        self.at_most(largest)
    }

    /// A copy that may hold other numbers with other noise, if these are allowed.
    fn with(&self, largest: u64, variance: f64) -> Result<Self, TfheError> {
        self.params.check_number(largest)?;
        self.params.check_noise(variance)?;
        Ok(Self { largest, variance, ..self.clone() })
    }
}
