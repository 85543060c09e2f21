//! Conversion between the words of polynomials in coefficient form and big integers.

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use rayon::prelude::*;

use super::basis::{Basis, Limb};

/// The residues modulo the prime at a position.
fn limb_of<'w>(basis: &Basis, words: &'w [u64], position: usize) -> &'w [u64] {
    let n = basis.ring_degree();
    &words[position * n..(position + 1) * n]
}

/// Writes the residues of [`Poly::from_integers`](super::Poly::from_integers) modulo one prime.
pub(super) fn from_integers(limb: &Limb, coefficients: &[BigInt], words: &mut [u64]) {
    let q = BigInt::from(limb.modulus().value());
    words.iter_mut().zip(coefficients).for_each(|(word, c)| {
        *word = (((c % &q) + &q) % &q).to_u64().expect("below a word-sized modulus");
    });
}

/// [`Poly::to_integers`](super::Poly::to_integers).
pub(super) fn to_integers(basis: &Basis, words: &[u64]) -> Vec<BigInt> {
    let limb = |i: usize| limb_of(basis, words, i);
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
                units.iter().enumerate().map(|(i, unit)| unit * limb(i)[j]).sum::<BigUint>() % &product;
            if sum > half { BigInt::from(sum) - BigInt::from(product.clone()) } else { BigInt::from(sum) }
        })
        .collect()
}

/// [`Poly::to_i128`](super::Poly::to_i128).
pub(super) fn to_i128(basis: &Basis, words: &[u64]) -> Vec<i128> {
    let limb = |i: usize| limb_of(basis, words, i);
    let q0 = basis.modulus(0);
    match basis.len() {
        1 => limb(0).iter().map(|&x| i128::from(q0.centre(x))).collect(),
        2 => {
            let q1 = basis.modulus(1);
            let inverse = q1.shoup(q1.inverse(q1.reduce(q0.value())).expect("distinct primes"));
            let product = i128::from(q0.value()) * i128::from(q1.value());
            limb(0)
                .iter()
                .zip(limb(1))
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

/// [`Poly::write_floats`](super::Poly::write_floats).
pub(super) fn write_floats(basis: &Basis, words: &[u64], out: &mut [f64]) {
    let limb = |i: usize| limb_of(basis, words, i);
    assert_eq!(out.len(), basis.ring_degree());
    let q0 = basis.modulus(0);
    match basis.len() {
        1 => out.iter_mut().zip(limb(0)).for_each(|(out, &x)| *out = q0.centre(x) as f64),
        2 => {
            let (q1, kernels) = (basis.modulus(1), basis.backend().kernels(basis.max_bits()));
            let inverse = q1.shoup(q1.inverse(q1.reduce(q0.value())).expect("distinct primes"));
            let (mut low, mut digits) = (basis.words(), basis.words());
            low.copy_from_slice(limb(0));
            digits.copy_from_slice(limb(1));
            if q0.value() > q1.value() {
                (kernels.mul_scalar_assign)(&mut low, q1.shoup(1), q1);
            }
            (kernels.sub_mul_scalar_assign)(&mut digits, &low, inverse, q1);
            (kernels.to_floats)(out, limb(0), &digits, [q0.value(), q1.value()]);
        }
        more => panic!("{more} primes are more than doubles hold"),
    }
}
