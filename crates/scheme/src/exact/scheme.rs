//! The trait of exact schemes, and their plaintexts.

use std::{borrow::Cow, sync::OnceLock};

use asanoha_lattice::{Level, Norm, SecretKey};
use asanoha_ring::{Evaluation, Poly};
use num_bigint::{BigInt, BigUint};

use crate::{Ciphertext, Plain, Plaintext, Scheme, SchemeError, Space};

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

    /// Returns a bound on the norm of every plaintext.
    fn largest_norm(&self) -> Norm {
        self.space().largest_norm()
    }

    /// Returns x modulo t in (−t/2, t/2].
    fn centred(&self, x: &BigInt) -> BigInt {
        let t = BigInt::from(self.plaintext_modulus().clone());
        let residue = ((x % &t) + &t) % &t;
        if &residue * 2 > t { residue - t } else { residue }
    }
}

/// Integers modulo t as a polynomial m, for ciphertexts of one level.
///
/// Products need m with small coefficients, and sums the same in BGV, round(Q/t·m) in BFV; each is made at its first use.
#[derive(Clone, Debug)]
pub struct ExactPlaintext<S: Exact> {
    scheme: S,
    plain: Plain,
    level: Level,
    scaled: OnceLock<Option<Poly<Evaluation>>>,
    small: OnceLock<(Poly<Evaluation>, Norm)>,
}

impl<S: Exact> ExactPlaintext<S> {
    /// Of a polynomial modulo t.
    pub fn new(scheme: &S, plain: Plain, level: Level) -> Self {
        Self { scheme: scheme.clone(), plain, level, scaled: OnceLock::new(), small: OnceLock::new() }
    }

    /// The polynomial modulo t.
    pub fn plain(&self) -> &Plain {
        &self.plain
    }

    /// The canonical norm of m with small coefficients, rounded up.
    ///
    /// It's that of the actual polynomial, by a double-precision transform. A bound for independent coefficients would be
    /// wrong here: those of chosen slots aren't independent, and for some choices all line up at one root of unity (the
    /// worst case is N·t/2); the sum of their absolute values would be true but lose about log2(√N) − 3 bits.
    pub fn norm(&self) -> Norm {
        self.small().1
    }

    fn small(&self) -> &(Poly<Evaluation>, Norm) {
        self.small.get_or_init(|| {
            let space = self.scheme.space();
            (space.lift(&self.plain, self.scheme.rlwe().q(self.level)), space.norm(&self.plain))
        })
    }
}

impl<S: Exact> Plaintext<S> for ExactPlaintext<S> {
    fn scheme(&self) -> &S {
        &self.scheme
    }
    fn level(&self) -> Level {
        self.level
    }
    fn addend(&self) -> &Poly<Evaluation> {
        let scaled = self.scaled.get_or_init(|| self.scheme.scaled(&self.plain, self.level));
        scaled.as_ref().unwrap_or_else(|| &self.small().0)
    }
    fn factor(&self) -> &Poly<Evaluation> {
        &self.small().0
    }
    fn state(&self) -> Norm {
        self.norm()
    }
    fn lowered(&self, level: Level) -> Cow<'_, Self> {
        if level >= self.level {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self::new(&self.scheme, self.plain.clone(), level))
    }
}
