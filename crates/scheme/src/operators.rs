//! `&a + &b`, `&a - &b` and `-&a` of ciphertexts.
//!
//! Sums return a `Result` instead of panicking, because operands that come from a file or a peer may not fit together. Write
//! `(&a + &b)?`. There is no `&a * &b`: a product needs evaluation keys, which only an [`Evaluator`] has.

use std::ops::{Add, Neg, Sub};

use asanoha_lattice::EvaluationKeys;

use crate::{Ciphertext, Evaluator, Scheme, SchemeError};

/// Returns an evaluator without keys, of a ciphertext's parameters.
fn adder<S: Scheme>(a: &Ciphertext<S>) -> Evaluator<S> {
    Evaluator::new(a.scheme(), EvaluationKeys::default())
}

/// Adds two ciphertexts, as [`Evaluator::add`] does.
impl<S: Scheme> Add for &Ciphertext<S> {
    type Output = Result<Ciphertext<S>, SchemeError>;

    fn add(self, right: Self) -> Self::Output {
        adder(self).add(self, right)
    }
}

/// Subtracts two ciphertexts, as [`Evaluator::sub`] does.
impl<S: Scheme> Sub for &Ciphertext<S> {
    type Output = Result<Ciphertext<S>, SchemeError>;

    fn sub(self, right: Self) -> Self::Output {
        adder(self).sub(self, right)
    }
}

/// Negates a ciphertext, as [`Evaluator::neg`] does.
impl<S: Scheme> Neg for &Ciphertext<S> {
    type Output = Ciphertext<S>;

    fn neg(self) -> Ciphertext<S> {
        adder(self).neg(self)
    }
}
