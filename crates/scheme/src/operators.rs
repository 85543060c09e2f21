//! `&a + &b`, `&a - &b` and `-&a` of ciphertexts.
//!
//! Sums give a `Result`, not a panic: that operands fit together depends on data from outside wherever ciphertexts come from a
//! file or a peer, and a program must not end by it. So `(&a + &b)?`. There's no `&a * &b`, as a product takes evaluation keys, which
//! only an [`Evaluator`] has.

use std::ops::{Add, Neg, Sub};

use asanoha_lattice::EvaluationKeys;

use crate::{Ciphertext, Evaluator, Scheme, SchemeError};

impl<S: Scheme> Ciphertext<S> {
    /// An evaluator without keys.
    fn adder(&self) -> Evaluator<S> {
        Evaluator::new(self.scheme(), EvaluationKeys::default())
    }
}

/// [`Evaluator::add`].
impl<S: Scheme> Add for &Ciphertext<S> {
    type Output = Result<Ciphertext<S>, SchemeError>;

    fn add(self, right: Self) -> Self::Output {
        self.adder().add(self, right)
    }
}

/// [`Evaluator::sub`].
impl<S: Scheme> Sub for &Ciphertext<S> {
    type Output = Result<Ciphertext<S>, SchemeError>;

    fn sub(self, right: Self) -> Self::Output {
        self.adder().sub(self, right)
    }
}

/// [`Evaluator::neg`].
impl<S: Scheme> Neg for &Ciphertext<S> {
    type Output = Ciphertext<S>;

    fn neg(self) -> Ciphertext<S> {
        self.adder().neg(self)
    }
}
