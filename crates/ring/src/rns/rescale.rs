//! Division by dropped primes. CKKS rescaling, BGV modulus switching and the mod-down of key switching are this one
//! operation.

use std::sync::Arc;

use asanoha_kernels::ShoupFactor;
use rayon::prelude::*;

use super::{
    basis::{Basis, Limb},
    cofactors::Prepared,
    convert::Converter,
    encryption::Encryption,
    groups::for_each_group,
    poly::{Coefficient, Evaluation, Poly},
    scalar::Scalar,
    work::Work,
};
use crate::EvaluationPermutation;

/// Division of x modulo Q·D by D, rounded: (x − δ)/D with δ ≡ x modulo D, |δ| ≤ D·f/2 and f | δ.
///
/// With f = 1 it rounds to the nearest integer (CKKS rescaling, mod-down). With f = t the result is ≡ D⁻¹·x modulo t
/// (BGV modulus switching and its mod-down), and it differs from x/D by at most t/2 a coefficient, uniformly
/// distributed. Several primes are dropped by one base conversion.
#[derive(Debug)]
pub struct Divider {
    whole: Basis,
    kept: Basis,
    converter: Converter,
    /// D⁻¹ modulo every kept prime.
    inverses: Vec<ShoupFactor>,
    /// −D⁻¹ modulo every kept prime.
    negated: Vec<ShoupFactor>,
}

impl Divider {
    /// Division from `kept` joined with `dropped` to `kept`. `factor` gives the residue of f modulo a prime.
    ///
    /// # Panics
    /// If f has no inverse modulo a dropped prime.
    pub fn new(kept: &Basis, dropped: &Basis, factor: impl Fn(u64) -> u64) -> Self {
        let inverse = |q: &asanoha_kernels::Modulus| {
            let product = dropped.primes().fold(1, |product, p| q.mul(product, q.reduce(p)));
            q.inverse(product).expect("distinct primes")
        };
        let moduli = || kept.limbs().iter().map(|limb| limb.modulus());
        Self {
            whole: kept.join(dropped),
            kept: kept.clone(),
            converter: Converter::exact_multiple_of(dropped, kept, factor),
            inverses: moduli().map(|q| q.shoup(inverse(q))).collect(),
            negated: moduli().map(|q| q.shoup(q.neg(inverse(q)))).collect(),
        }
    }

    /// The basis of the operand.
    pub fn whole(&self) -> &Basis {
        &self.whole
    }

    /// The basis of the result.
    pub fn kept(&self) -> &Basis {
        &self.kept
    }

    /// The basis of the dropped primes, whose product D is divided by.
    pub fn dropped(&self) -> &Basis {
        self.converter.from()
    }

    /// The conversion of what is rounded off.
    pub(super) fn converter(&self) -> &Converter {
        &self.converter
    }

    /// D⁻¹ modulo the kept prime at a position.
    pub(super) fn inverse(&self, position: usize) -> ShoupFactor {
        self.inverses[position]
    }

    /// Divides in evaluation form: one inverse NTT for each dropped prime and one forward NTT for each kept prime. The
    /// result takes over the memory of x.
    pub fn divide(&self, x: Poly<Evaluation>) -> Poly<Evaluation> {
        self.divide_and(x, |_, _, _| ())
    }

    /// Divides x and adds the image of y under an automorphism to the quotient.
    ///
    /// # Panics
    /// Unless y has the primes that are kept, and the permutation their ring degree.
    pub fn divide_and_add(
        &self,
        x: Poly<Evaluation>,
        y: &Poly<Evaluation>,
        automorphism: &EvaluationPermutation,
    ) -> Poly<Evaluation> {
        assert!(*y.basis() == self.kept && automorphism.0.len() == self.kept.ring_degree());
        let pool = Arc::clone(x.basis().pool());
        self.divide_and(x, |i, limb, words| {
            let mut image = pool.take(words.len());
            (limb.kernels().permute)(&mut image, y.limb(i), &automorphism.0);
            (limb.kernels().add_assign)(words, &image, limb.modulus());
        })
    }

    /// Divides, and calls `f(position, limb, words)` for the quotient modulo each kept prime.
    fn divide_and(
        &self,
        mut x: Poly<Evaluation>,
        f: impl Fn(usize, &Limb, &mut [u64]) + Send + Sync,
    ) -> Poly<Evaluation> {
        assert_eq!(*x.basis(), self.whole);
        let n = self.kept.ring_degree();
        let pool = Arc::clone(x.basis().pool());
        let (head, tail) = x.words_mut().split_at_mut(self.kept.len() * n);
        let quotients = self.converter.prepare_values(tail, &pool, |_, _| ());
        let inputs = inputs(tail, n, quotients.as_deref());
        for_each_group(&self.kept, head, |first, limbs, words| {
            let mut deltas = pool.take(words.len());
            self.converter.rows(&inputs, first, &mut deltas);
            let pairs = words.chunks_exact_mut(n).zip(deltas.chunks_exact_mut(n));
            for ((i, (words, delta)), limb) in (first..).zip(pairs).zip(limbs) {
                limb.forward(delta);
                (limb.kernels().sub_mul_scalar_assign)(words, delta, self.inverses[i], limb.modulus());
                f(i, limb, words);
            }
        });
        x.truncate(self.kept.len())
    }

    /// As [`Divider::divide`], but x is left unchanged and the result has memory of its own size: for an x or a result
    /// that is kept.
    pub fn quotient(&self, x: &Poly<Evaluation>) -> Poly<Evaluation> {
        assert_eq!(*x.basis(), self.whole);
        let prepared = self.converter.prepare_part(x, self.kept.len());
        self.difference(x, &prepared.inputs(), |_, _, _| ())
    }

    /// (x + w·y)/D, rounded as in [`Divider::divide`], where w is a constant and the primes of w and y are the first ones of
    /// x. The result has memory of its own size.
    ///
    /// # Panics
    /// If w and y have other primes, or fewer than are kept.
    pub fn quotient_of_sum(
        &self,
        mut x: Poly<Evaluation>,
        w: &Scalar,
        y: &Poly<Evaluation>,
    ) -> Poly<Evaluation> {
        assert_eq!(*x.basis(), self.whole);
        assert!(
            y.basis().is_prefix_of(&self.whole)
                && y.basis() == w.basis()
                && y.basis().len() >= self.kept.len()
        );
        let (n, kept) = (self.kept.ring_degree(), self.kept.len());
        let pool = Arc::clone(x.basis().pool());
        let quotients = self.converter.prepare_values(&mut x.words_mut()[kept * n..], &pool, |i, words| {
            if kept + i < y.basis().len() {
                let limb = &y.basis().limbs()[kept + i];
                (limb.kernels().fma_scalar_assign)(
                    words,
                    y.limb(kept + i),
                    w.factor(kept + i),
                    limb.modulus(),
                );
            }
        });
        let inputs = inputs(&x.words()[kept * n..], n, quotients.as_deref());
        self.difference(&x, &inputs, |i, limb, words| {
            let q = limb.modulus();
            let factor = q.shoup(q.mul(w.residue(i), self.inverses[i].value));
            (limb.kernels().fma_scalar_assign)(words, y.limb(i), factor, q);
        })
    }

    /// (x − δ)/D in new memory, to which `add` adds modulo each prime; `inputs` gives δ.
    fn difference(
        &self,
        x: &Poly<Evaluation>,
        inputs: &[&[u64]],
        add: impl Fn(usize, &Limb, &mut [u64]) + Send + Sync,
    ) -> Poly<Evaluation> {
        let mut quotient = Poly::any(&self.kept);
        for_each_group(&self.kept, quotient.words_mut(), |first, limbs, words| {
            self.converter.rows(inputs, first, words);
            for ((i, words), limb) in
                (first..).zip(words.chunks_exact_mut(self.kept.ring_degree())).zip(limbs)
            {
                limb.forward(words);
                // (x − δ)/D = (δ − x)·(−1/D), in the place of δ.
                (limb.kernels().sub_mul_scalar_assign)(words, x.limb(i), self.negated[i], limb.modulus());
                add(i, limb, words);
            }
        });
        quotient
    }

    /// Divides a polynomial in coefficient form.
    pub fn divide_coefficients(&self, x: Poly<Coefficient>) -> Poly<Coefficient> {
        assert_eq!(*x.basis(), self.whole);
        let prepared = self.converter.prepare(x.range(self.kept.len()..self.whole.len()));
        let inputs = prepared.inputs();
        let mut quotient = x.truncate(self.kept.len());
        let n = self.kept.ring_degree();
        for_each_group(&self.kept, quotient.words_mut(), |first, limbs, words| {
            let mut deltas = self.kept.pool().take(words.len());
            self.converter.rows(&inputs, first, &mut deltas);
            let pairs = words.chunks_exact_mut(n).zip(deltas.chunks_exact(n));
            for (((words, delta), limb), inverse) in pairs.zip(limbs).zip(&self.inverses[first..]) {
                (limb.kernels().sub_mul_scalar_assign)(words, delta, *inverse, limb.modulus());
            }
        });
        quotient
    }

    /// Computes an encryption, rounded as the divider rounds: three NTTs for each kept prime. Everything but the result is
    /// in secret memory.
    ///
    /// # Panics
    /// If the mask or an error hasn't N coefficients, or a key lacks a prime.
    pub fn encrypt(&self, encryption: &Encryption<'_>) -> [Poly<Evaluation>; 2] {
        // Prime by prime, so that a prime's words stay in the second-level cache.
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

/// What a conversion reads: the yᵢ, limb after limb, and v.
fn inputs<'a>(words: &'a [u64], ring_degree: usize, quotients: Option<&'a [u64]>) -> Vec<&'a [u64]> {
    words.chunks_exact(ring_degree).chain(quotients).collect()
}

/// out ← k·u modulo a prime.
fn multiply(key: &Poly<Evaluation>, limb: &Limb, u: &[u64], out: &mut [u64]) {
    let q = limb.modulus();
    let position = key.basis().primes().position(|p| p == q.value()).expect("a prime of the key");
    (limb.kernels().inner_product)(out, &[(key.limb(position), u)], q);
}
