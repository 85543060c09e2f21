//! Tensor products scaled by t/Q and rounded: BFV multiplication.

use asanoha_kernels::Modulus;
use rayon::prelude::*;

use super::{
    basis::{Basis, Limb},
    convert::Converter,
    poly::{Coefficient, Evaluation, Poly},
    work::Work,
};

/// The tensor product (a₀·b₀, a₀·b₁ + a₁·b₀, a₁·b₁) of two pairs of polynomials modulo Q, multiplied by t/Q and
/// rounded, where t is an integer or a polynomial.
///
/// With an auxiliary modulus R the product is computed as round(t/R·(a ⊗ b')) modulo Q for b' = round(R·b/Q), centred
/// modulo R. Changing a by Q or b' by R changes t/R times the product by a multiple of Q, so R needn't be as large as
/// the product: R ≈ Q is enough for every t. With a and b' the centred representatives, a ⊗ b' differs from R/Q·(a ⊗ b)
/// by a ⊗ ε, |ε| ≤ ½.
///
/// For k primes of Q and k of R it takes 16·k transforms (14·k if a is b) and 9 conversions. All constants are folded
/// into the weights of the conversions: the one to b' also multiplies by \[(R/rⱼ)⁻¹\] modulo rⱼ, which the two
/// conversions back from R need, and those to Q give t·R⁻¹·b' and −R⁻¹·\[t·a ⊗ b'\].
///
/// Source: Kim, Polyakov, Zucca, "Revisiting homomorphic encryption schemes for finite fields" (ASIACRYPT 2021),
/// Section 4, variant HPSPOVERQ.
#[derive(Debug)]
pub struct ScaledTensor {
    auxiliary: Basis,
    /// The polynomial factor of t modulo Q and modulo R, if there is one.
    polynomial: Option<[Poly<Evaluation>; 2]>,
    /// Converts a to t·a modulo R.
    extend: Converter,
    /// Converts b to b'·\[(R/rⱼ)⁻¹\] modulo R.
    scale: Converter,
    /// Converts b' to t·R⁻¹·b' modulo Q.
    back: Converter,
    /// Converts the product modulo R to −R⁻¹ times it, modulo Q.
    round: Converter,
}

impl ScaledTensor {
    /// Products modulo `q` by way of `auxiliary`, scaled by t/Q. t is the product of an integer and, if given, a
    /// polynomial: `integer` gives the residue of the integer modulo a prime; `polynomial` has the coefficients of the
    /// polynomial.
    ///
    /// # Panics
    /// If the bases share a prime or differ in ring degree.
    pub fn new(
        q: &Basis,
        auxiliary: &Basis,
        integer: impl Fn(u64) -> u64,
        polynomial: Option<&[i64]>,
    ) -> Self {
        assert!(q.primes().all(|q| auxiliary.primes().all(|r| r != q)));
        let t = |p: &Modulus| integer(p.value());
        let r_inverse = |q: &Modulus| q.inverse(residue(auxiliary.primes(), q)).expect("distinct primes");
        let scaled_back = |r: &Modulus| {
            let others = residue(auxiliary.primes().filter(|&p| p != r.value()), r);
            r.neg(r.inverse(r.mul(residue(q.primes(), r), others)).expect("distinct primes"))
        };
        let modulo = |basis: &Basis, coefficients| Poly::from_small(basis, coefficients).into_evaluation();
        Self {
            auxiliary: auxiliary.clone(),
            polynomial: polynomial
                .map(|coefficients| [modulo(q, coefficients), modulo(auxiliary, coefficients)]),
            extend: Converter::scaled(q, auxiliary, |_| 1, t),
            scale: Converter::scaled(q, auxiliary, |q| residue(auxiliary.primes(), q), scaled_back),
            back: Converter::scaled(auxiliary, q, |_| 1, |q| q.mul(t(q), r_inverse(q))),
            round: Converter::scaled(auxiliary, q, |_| 1, |q| q.neg(r_inverse(q))),
        }
    }

    /// The basis of operands and results.
    pub fn basis(&self) -> &Basis {
        self.extend.from()
    }

    /// The auxiliary basis.
    pub fn auxiliary(&self) -> &Basis {
        &self.auxiliary
    }

    /// The scaled product of two pairs, in three parts.
    pub fn product(&self, a: [&Poly<Evaluation>; 2], b: [&Poly<Evaluation>; 2]) -> [Poly<Evaluation>; 3] {
        // Part by part: the memory of one is reused for the next.
        let extended = a.map(|a| self.extend.convert(&a.to_coefficient()));
        let scaled = b.map(|b| self.scale.convert(&b.to_coefficient()));
        self.scaled_product(a, extended, scaled)
    }

    /// The scaled product of a pair with itself, in three parts.
    pub fn square(&self, a: [&Poly<Evaluation>; 2]) -> [Poly<Evaluation>; 3] {
        let [(e0, s0), (e1, s1)] = a.map(|a| {
            let coefficients = a.to_coefficient();
            (self.extend.convert(&coefficients), self.scale.convert(&coefficients))
        });
        self.scaled_product(a, [e0, e1], [s0, s1])
    }

    /// The product of a, given modulo R too, and b', given by its yⱼ.
    fn scaled_product(
        &self,
        a: [&Poly<Evaluation>; 2],
        extended: [Poly<Coefficient>; 2],
        scaled: [Poly<Coefficient>; 2],
    ) -> [Poly<Evaluation>; 3] {
        let back = scaled.each_ref().map(|b| self.back.convert_prepared(b));
        let high = self.auxiliary_part(extended, scaled);
        let rounded = high.map(|product| self.round.convert_prepared(&product));
        self.main_part(a, back, rounded)
    }

    /// The tensor product modulo R, in coefficient form.
    fn auxiliary_part(
        &self,
        [mut a0, mut a1]: [Poly<Coefficient>; 2],
        [mut b0, mut b1]: [Poly<Coefficient>; 2],
    ) -> [Poly<Coefficient>; 3] {
        let n = self.auxiliary.ring_degree();
        let mut middle = Poly::any(&self.auxiliary);
        let limbs = a0.limbs_mut().zip(a1.limbs_mut()).zip(b0.limbs_mut()).zip(b1.limbs_mut());
        for_each(
            limbs.zip(middle.limbs_mut()).zip(self.auxiliary.limbs()),
            n * self.auxiliary.len(),
            |i, (((((a0, a1), b0), b1), middle), limb)| {
                let (kernels, q) = (limb.kernels(), limb.modulus());
                for (a, b) in [(&mut *a0, &mut *b0), (&mut *a1, &mut *b1)] {
                    limb.forward(a);
                    if let Some([_, t]) = &self.polynomial {
                        (kernels.mul_assign)(a, t.limb(i), q);
                    }
                    limb.forward(b);
                }
                (kernels.inner_product)(middle, &[(a0, b1), (a1, b0)], q);
                limb.inverse(middle);
                for (a, b) in [(a0, b0), (a1, b1)] {
                    (kernels.mul_assign)(a, b, q);
                    limb.inverse(a);
                }
            },
        );
        [a0, middle, a1]
    }

    /// The tensor product of a and t·R⁻¹·b' modulo Q, plus the term that makes its division by R exact.
    fn main_part(
        &self,
        a: [&Poly<Evaluation>; 2],
        [mut b0, mut b1]: [Poly<Coefficient>; 2],
        [mut d0, mut d1, mut d2]: [Poly<Coefficient>; 3],
    ) -> [Poly<Evaluation>; 3] {
        let basis = self.basis();
        let limbs = b0.limbs_mut().zip(b1.limbs_mut());
        let limbs = limbs.zip(d0.limbs_mut()).zip(d1.limbs_mut()).zip(d2.limbs_mut()).zip(basis.limbs());
        let words = basis.ring_degree() * basis.len();
        for_each(limbs, words, |i, (((((b0, b1), d0), d1), d2), limb): (_, &std::sync::Arc<Limb>)| {
            let (kernels, q) = (limb.kernels(), limb.modulus());
            let factor = self.polynomial.as_ref().map(|[t, _]| t.limb(i));
            let a = a.map(|a| a.limb(i));
            // In this order, words are read right after their transform, while they're in the cache.
            for (b, d, a) in [(&mut *b0, d0, a[0]), (&mut *b1, d2, a[1])] {
                limb.forward(b);
                if let Some(t) = factor {
                    (kernels.mul_assign)(b, t, q);
                }
                limb.forward(d);
                (kernels.fma_assign)(d, a, b, q);
            }
            limb.forward(d1);
            (kernels.fma_assign)(d1, a[0], b1, q);
            (kernels.fma_assign)(d1, a[1], b0, q);
        });
        [d0, d1, d2].map(Poly::transformed)
    }
}

/// Calls `f(position, item)` for every item, in parallel if transforms of `words` words are worth it.
fn for_each<T: Send>(items: impl Iterator<Item = T>, words: usize, f: impl Fn(usize, T) + Send + Sync) {
    if Work::Transform.is_worth_threads(words) {
        let items: Vec<T> = items.collect();
        items.into_par_iter().enumerate().for_each(|(i, item)| f(i, item));
    } else {
        items.enumerate().for_each(|(i, item)| f(i, item));
    }
}

/// The product of the primes modulo p.
fn residue(primes: impl Iterator<Item = u64>, p: &Modulus) -> u64 {
    primes.fold(1, |product, q| p.mul(product, p.reduce(q)))
}
