//! What encryption under a public key takes.

use super::{
    basis::{Basis, Limb},
    poly::{Coefficient, Evaluation, Poly},
    scalar::Scalar,
};
use crate::memory::Words;

/// The parts of an encryption: (kₕ·u − f·eₕ)/D for h = 0 and 1, plus the message in the first
/// ([`Divider::encrypt`](super::Divider::encrypt)).
#[derive(Clone, Copy, Debug)]
pub struct Encryption<'a> {
    /// The public key k, modulo the divider's primes and perhaps others.
    pub keys: [&'a Poly<Evaluation>; 2],
    /// The small secret u.
    pub mask: &'a [i64],
    /// The small errors e.
    pub errors: [&'a [i64]; 2],
    /// f, modulo all primes of the divider.
    pub factor: &'a Scalar,
    /// The message, modulo the primes that are kept.
    pub message: Option<&'a Poly<Coefficient>>,
}

impl Encryption<'_> {
    /// The values of u modulo a prime, in the memory of a secret basis.
    pub(super) fn mask(&self, secret: &Basis, limb: &Limb) -> Words {
        let mut u = secret.words();
        (limb.kernels().from_signed)(&mut u, self.mask, limb.modulus());
        limb.forward(&mut u);
        u
    }
}
