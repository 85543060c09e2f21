//! The shared parts of exact schemes: plaintext spaces of integers modulo t, encoders, decryption and forms.

mod binomial;
mod decryptor;
mod encoder;
mod integer;
mod mask;
mod space;

use asanoha_lattice::{Level, Norm, SecretKey};
use asanoha_ring::{Evaluation, Poly};
use num_bigint::{BigInt, BigUint};

use crate::{Ciphertext, Scheme, SchemeError};

pub use binomial::Binomial;
pub use decryptor::Decryptor;
pub use encoder::{Encoder, ExactPlaintext};
pub use integer::{
    Encoding, JsonInteger, MAX_PLAINTEXT_BITS, PlainPoly, PlaintextError, PlaintextSpace, batching_primes,
    is_prime_integer, nearest_batching_primes, next_batching_prime,
};
pub use mask::{Mask, MaskEncoder};
pub use space::{NegatedInverse, Plain, Space};

/// A scheme that computes exactly on integers modulo t.
pub trait Exact:
    Scheme<
        Value = i64,
        Plaintext = ExactPlaintext<Self>,
        Public = (),
        PlainState = Norm,
        TransformState = Norm,
        Constant = BigInt,
        Factor = BigInt,
    >
{
    /// Whether the polynomials of a bilinear form are multiplied by t.
    const FORMS_TIMES_T: bool = false;

    /// Returns the plaintext space.
    fn space(&self) -> &Space;

    /// Returns the message of a ciphertext without correction: factor 1.
    fn plain_message(&self) -> Self::Message;

    /// Returns round(Q/t·m) for a plaintext m, or `None` if the scheme encrypts m as it is.
    fn scaled(&self, _plain: &Plain, _level: Level) -> Option<Poly<Evaluation>> {
        None
    }

    /// Returns the plaintext of a ciphertext, and checks its measured noise against its bound.
    ///
    /// # Errors
    /// [`SchemeError::NoiseAboveBound`].
    fn decrypted(&self, secret: &SecretKey, ciphertext: &Ciphertext<Self>) -> Result<Plain, SchemeError>;

    /// Returns the factor modulo t of a ciphertext in forms: the inverse of its correction factor.
    fn form_unit(&self, _message: &Self::Message, _t: u64) -> u64 {
        1
    }

    /// Returns the factor modulo t of all weights of a bilinear form at a level.
    fn bilinear_unit(&self, _level: Level, _t: u64) -> u64 {
        1
    }

    /// Returns the integer modulus of the values: t, or b^(N/k) + 1 where t is X^k − b.
    fn plaintext_modulus(&self) -> &BigUint {
        self.space().modulus()
    }

    /// Returns the largest value, ⌊t/2⌋; the smallest is its negative, or one more for an even t.
    fn largest_value(&self) -> BigInt {
        BigInt::from(self.plaintext_modulus() >> 1u32)
    }

    /// Returns the norm of the worst plaintext: as many coefficients of t/2 as plaintexts hold numbers.
    fn largest_norm(&self) -> Norm {
        Norm::from(self.slots() as f64) * Norm::from(self.largest_value().magnitude())
    }

    /// Returns x modulo t in (−t/2, t/2].
    fn centred(&self, x: &BigInt) -> BigInt {
        let t = BigInt::from(self.plaintext_modulus().clone());
        let residue = ((x % &t) + &t) % &t;
        if &residue * 2 > t { residue - t } else { residue }
    }
}
