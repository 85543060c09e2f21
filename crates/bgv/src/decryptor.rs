//! Decryption.

use asanoha_lattice::{NoiseAboveBound, Norm, PlainPoly, SecretKey};
use asanoha_ring::{Coefficient, Poly, RelativeSize};
use num_bigint::{BigInt, BigUint};

use crate::{BgvCiphertext, BgvError, BgvNoise, BgvParams, encoder::words};

/// Decrypts ciphertexts.
///
/// The message is f⁻¹·v modulo t with v = c₀ + c₁·s + … centred modulo Q and the correction factor f. The conversion to t
/// is exact but next to ±Q/2, where the noise bound, which is looked at first, keeps v away from.
///
/// Decryption measures v and holds it against the noise bound: another secret key, altered evaluation keys or a damaged
/// ciphertext make it uniform modulo Q.
///
/// All fail with [`BgvError::NoiseAboveBound`] if v is larger than its bound, with [`BgvError::OutOfModulus`] if the bound
/// doesn't fit (evaluators never make such ciphertexts), and with [`BgvError::OtherParameters`] or [`BgvError::OtherKey`].
#[derive(Clone, Debug)]
pub struct Decryptor {
    params: BgvParams,
}

impl Decryptor {
    /// The decryptor of these parameters.
    pub fn new(params: &BgvParams) -> Self {
        Self { params: params.clone() }
    }

    /// The numbers of a ciphertext in (−t/2, t/2]: slots, the first row first, or coefficients.
    ///
    /// # Errors
    /// [`BgvError::WideModulus`] if t has more than 64 bits.
    pub fn decrypt(&self, secret: &SecretKey, ciphertext: &BgvCiphertext) -> Result<Vec<i64>, BgvError> {
        words(&self.params, &self.message(secret, ciphertext)?)
    }

    /// The numbers of a ciphertext in (−t/2, t/2], for t of any size.
    pub fn decrypt_integers(
        &self,
        secret: &SecretKey,
        ciphertext: &BgvCiphertext,
    ) -> Result<Vec<BigInt>, BgvError> {
        Ok(self.params.space().decode(&self.message(secret, ciphertext)?))
    }

    /// The numbers of a ciphertext in [0, t).
    pub fn decrypt_unsigned(
        &self,
        secret: &SecretKey,
        ciphertext: &BgvCiphertext,
    ) -> Result<Vec<BigUint>, BgvError> {
        Ok(self.params.space().decode_unsigned(&self.message(secret, ciphertext)?))
    }

    fn message(&self, secret: &SecretKey, ciphertext: &BgvCiphertext) -> Result<PlainPoly, BgvError> {
        let space = self.params.space();
        ciphertext.of(&self.params)?;
        secret.check(self.params.rlwe())?;
        BgvNoise::new(&self.params).check(ciphertext.state())?;
        let v = secret.decrypt(&ciphertext.rlwe);
        check_noise(&v, ciphertext.noise)?;
        let scaled = space.reduce(v);
        let inverse = ciphertext.factor.modinv(space.modulus()).expect("factors are units");
        Ok(space.scale(&scaled, &inverse.into()))
    }
}

/// Refuses a v that is larger than its bound. The canonical norm that the bound speaks of is at least the Euclidean norm of
/// the coefficients, which for uniform ones is about √(N/12)·Q, far above any bound below Q/2.
fn check_noise(v: &Poly<Coefficient>, bound: Norm) -> Result<(), NoiseAboveBound> {
    let error = (v.basis().ring_degree() as f64).sqrt() * RelativeSize::ERROR;
    NoiseAboveBound::check(v.basis(), v.relative_size(|_| 1).euclidean, error, bound)
}
