//! Conversion between polynomials and big integers.

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use rayon::prelude::*;

use super::{
    basis::Basis,
    poly::{Coefficient, Poly, Work},
};

impl Poly<Coefficient> {
    /// The polynomial of the given integer coefficients, as residues modulo each prime.
    ///
    /// # Panics
    /// If there aren't N coefficients.
    pub fn from_integers(basis: &Basis, coefficients: &[BigInt]) -> Self {
        assert_eq!(coefficients.len(), basis.ring_degree());
        Self::build(basis, Work::Transform, |_, limb, words| {
            let q = BigInt::from(limb.modulus().value());
            words.iter_mut().zip(coefficients).for_each(|(word, c)| {
                *word = (((c % &q) + &q) % &q).to_u64().expect("below a word-sized modulus");
            });
        })
    }

    /// The coefficients as integers in (−Q/2, Q/2].
    pub fn to_integers(&self) -> Vec<BigInt> {
        let basis = self.basis();
        let product = basis.product();
        let half = &product >> 1;
        // (Q/qᵢ)·[(Q/qᵢ)⁻¹ mod qᵢ], the integer that is 1 modulo qᵢ and 0 modulo the others.
        let units: Vec<BigUint> = basis
            .limbs()
            .iter()
            .map(|limb| {
                let q = limb.modulus();
                let others = &product / q.value();
                let residue = (&others % q.value()).to_u64().expect("below a word-sized modulus");
                others * q.inverse(residue).expect("distinct primes")
            })
            .collect();
        (0..basis.ring_degree())
            .into_par_iter()
            .map(|j| {
                let sum: BigUint =
                    units.iter().enumerate().map(|(i, unit)| unit * self.limb(i)[j]).sum::<BigUint>()
                        % &product;
                if sum > half { BigInt::from(sum) - BigInt::from(product.clone()) } else { BigInt::from(sum) }
            })
            .collect()
    }

    /// The coefficients in (−Q/2, Q/2] as words, for a Q of one or two primes.
    ///
    /// # Panics
    /// If the basis has more than two primes.
    pub fn to_i128(&self) -> Vec<i128> {
        let basis = self.basis();
        let q0 = basis.modulus(0);
        match basis.len() {
            1 => self.limb(0).iter().map(|&x| i128::from(q0.centre(x))).collect(),
            2 => {
                let q1 = basis.modulus(1);
                let inverse = q1.shoup(q1.inverse(q1.reduce(q0.value())).expect("distinct primes"));
                let product = i128::from(q0.value()) * i128::from(q1.value());
                self.limb(0)
                    .iter()
                    .zip(self.limb(1))
                    .map(|(&x0, &x1)| {
                        // Garner: x = x0 + q0·[(x1 − x0)/q0] modulo q1.
                        let digit = q1.mul_shoup(q1.sub(x1, q1.reduce(x0)), inverse);
                        let x = i128::from(x0) + i128::from(q0.value()) * i128::from(digit);
                        // The sign of what is left is that of x in the upper half: all ones take the product off.
                        x - (product & ((product / 2 - x) >> 127))
                    })
                    .collect()
            }
            more => panic!("{more} primes don't fit in 128 bits"),
        }
    }

    /// Writes the coefficients in (−Q/2, Q/2], each rounded to double precision once, for a Q of one or two primes.
    ///
    /// # Panics
    /// If the basis has more than two primes, or `out` hasn't N numbers.
    pub fn write_floats(&self, out: &mut [f64]) {
        let basis = self.basis();
        assert_eq!(out.len(), basis.ring_degree());
        let q0 = basis.modulus(0);
        match basis.len() {
            1 => out.iter_mut().zip(self.limb(0)).for_each(|(out, &x)| *out = q0.centre(x) as f64),
            2 => {
                let (q1, kernels) = (basis.modulus(1), basis.backend().kernels(basis.max_bits()));
                let inverse = q1.shoup(q1.inverse(q1.reduce(q0.value())).expect("distinct primes"));
                let (mut low, mut digits) = (basis.words(), basis.words());
                low.copy_from_slice(self.limb(0));
                digits.copy_from_slice(self.limb(1));
                if q0.value() > q1.value() {
                    (kernels.mul_scalar_assign)(&mut low, q1.shoup(1), q1);
                }
                (kernels.sub_mul_scalar_assign)(&mut digits, &low, inverse, q1);
                (kernels.to_floats)(out, self.limb(0), &digits, [q0.value(), q1.value()]);
            }
            more => panic!("{more} primes are more than doubles hold"),
        }
    }
}
