//! What encryption under a public key computes, prime by prime, so that a prime's words stay in the second-level cache.

use asanoha_kernels::ShoupFactor;
use rayon::prelude::*;

use super::{
    basis::{Basis, Limb},
    convert::Prepared,
    memory::Words,
    poly::{Coefficient, Evaluation, Poly, Scalar, Work},
    rescale::Divider,
};

/// The parts of an encryption: (kₕ·u − f·eₕ)/D for h = 0 and 1, plus the message in the first.
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

impl Divider {
    /// Computes an encryption, rounded as the divider rounds: three NTTs for each kept prime. Everything but the result is
    /// in secret memory.
    ///
    /// # Panics
    /// If the mask or an error hasn't N coefficients, or a key lacks a prime.
    pub fn encrypt(&self, encryption: &Encryption<'_>) -> [Poly<Evaluation>; 2] {
        let Encryption { keys, errors, message, .. } = encryption;
        assert!(message.is_none_or(|message| message.basis() == self.kept()));
        let dropped = self.dropped().secret();
        let tails: [Prepared; 2] = std::array::from_fn(|h| {
            let tail = Poly::build(&dropped, Work::Transform, |i, limb, out| {
                let u = encryption.mask(&dropped, limb);
                multiply(keys[h], limb, &u, out);
                limb.inverse(out);
                let mut e = dropped.words();
                (limb.kernels().from_signed)(&mut e, errors[h], limb.modulus());
                let f = encryption.factor.factor(self.kept().len() + i);
                (limb.kernels().mul_scalar_assign)(&mut e, f, limb.modulus());
                (limb.kernels().sub_assign)(out, &e, limb.modulus());
            });
            self.converter().prepare(tail)
        });
        let (mut first, mut second) = (Poly::any(self.kept()), Poly::any(self.kept()));
        let compute = |(i, limb, outs): (usize, &Limb, [&mut [u64]; 2])| {
            let u = encryption.mask(&dropped, limb);
            let (mut delta, mut e) = (dropped.words(), dropped.words());
            for (h, out) in outs.into_iter().enumerate() {
                // (k·u − f·e − δ)/D + m = (k·u − (δ + f·e − D·m))/D.
                self.converter().rows(&tails[h].inputs(), i, &mut delta);
                (limb.kernels().from_signed)(&mut e, errors[h], limb.modulus());
                let f = encryption.factor.factor(i);
                (limb.kernels().fma_scalar_assign)(&mut delta, &e, f, limb.modulus());
                if let Some(message) = message.filter(|_| h == 0) {
                    let minus_d = self.minus_dropped(limb);
                    (limb.kernels().fma_scalar_assign)(&mut delta, message.limb(i), minus_d, limb.modulus());
                }
                limb.forward(&mut delta);
                multiply(keys[h], limb, &u, out);
                (limb.kernels().sub_mul_scalar_assign)(out, &delta, self.inverse(i), limb.modulus());
            }
        };
        let limbs = self.kept().limbs().iter();
        let outs = first.limbs_mut().zip(second.limbs_mut()).zip(limbs).enumerate();
        let outs: Vec<_> = outs.map(|(i, ((a, b), limb))| (i, &**limb, [a, b])).collect();
        if Work::Transform.is_worth_threads(2 * self.kept().len() * self.kept().ring_degree()) {
            outs.into_par_iter().for_each(compute);
        } else {
            outs.into_iter().for_each(compute);
        }
        [first, second]
    }

    /// −D modulo a kept prime.
    fn minus_dropped(&self, limb: &Limb) -> ShoupFactor {
        let q = limb.modulus();
        let product = self.dropped().primes().fold(1, |product, p| q.mul(product, q.reduce(p)));
        q.shoup(q.neg(product))
    }
}

impl Encryption<'_> {
    /// The values of u modulo a prime, in the memory of a secret basis.
    fn mask(&self, secret: &Basis, limb: &Limb) -> Words {
        let mut u = secret.words();
        (limb.kernels().from_signed)(&mut u, self.mask, limb.modulus());
        limb.forward(&mut u);
        u
    }
}

/// out ← k·u modulo a prime.
fn multiply(key: &Poly<Evaluation>, limb: &Limb, u: &[u64], out: &mut [u64]) {
    let q = limb.modulus();
    let position = key.basis().primes().position(|p| p == q.value()).expect("a prime of the key");
    (limb.kernels().inner_product)(out, &[(key.limb(position), u)], q);
}
