//! Division by dropped primes. CKKS rescaling, BGV modulus switching and the mod-down of key switching are this one
//! operation.

use asanoha_kernels::ShoupFactor;

use super::{
    basis::Basis,
    convert::Converter,
    poly::{Coefficient, Evaluation, Poly, Work},
};

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
        assert_eq!(*x.basis(), self.whole);
        let tail = x.range(self.kept.len()..self.whole.len()).into_coefficient();
        let prepared = self.converter.prepare(tail);
        let mut quotient = x.truncate(self.kept.len());
        quotient.for_each_limb(Work::Transform, |i, limb, words| {
            let mut delta = self.kept.pool().take(words.len());
            self.converter.row(&prepared, i, limb, &mut delta);
            limb.forward(&mut delta);
            (limb.kernels().sub_mul_scalar_assign)(words, &delta, self.inverses[i], limb.modulus());
        });
        quotient
    }

    /// As [`Divider::divide`], but x is left unchanged and the result has memory of its own size: for an x or a result
    /// that is kept.
    pub fn quotient(&self, x: &Poly<Evaluation>) -> Poly<Evaluation> {
        assert_eq!(*x.basis(), self.whole);
        let tail = x.range(self.kept.len()..self.whole.len()).into_coefficient();
        let prepared = self.converter.prepare(tail);
        Poly::build(&self.kept, Work::Transform, |i, limb, words| {
            self.converter.row(&prepared, i, limb, words);
            limb.forward(words);
            // (x − δ)/D = (δ − x)·(−1/D), in the place of δ.
            (limb.kernels().sub_mul_scalar_assign)(words, x.limb(i), self.negated[i], limb.modulus());
        })
    }

    /// Divides a polynomial in coefficient form.
    pub fn divide_coefficients(&self, x: Poly<Coefficient>) -> Poly<Coefficient> {
        assert_eq!(*x.basis(), self.whole);
        let prepared = self.converter.prepare(x.range(self.kept.len()..self.whole.len()));
        let mut quotient = x.truncate(self.kept.len());
        quotient.for_each_limb(Work::Transform, |i, limb, words| {
            let mut delta = self.kept.pool().take(words.len());
            self.converter.row(&prepared, i, limb, &mut delta);
            (limb.kernels().sub_mul_scalar_assign)(words, &delta, self.inverses[i], limb.modulus());
        });
        quotient
    }
}
