//! Ciphertexts.

use asanoha_ring::{Evaluation, Poly};

use crate::{Level, RlweParams};

/// Polynomials (c₀, c₁, …) such that c₀ + c₁·s + c₂·s² + … is the message with its noise. The scheme decides what
/// counts as noise: its own ciphertexts carry a bound on it.
#[derive(Clone, Debug)]
pub struct RlweCiphertext {
    /// c₀ and c₁, and c₂ in a product that wasn't relinearised; all of one level.
    pub parts: Vec<Poly<Evaluation>>,
}

impl RlweCiphertext {
    /// Whether these are two or three polynomials modulo the primes of one level of the parameters. A ciphertext from a
    /// file or from another source needn't be.
    pub fn is_of(&self, params: &RlweParams) -> bool {
        let Some(first) = self.parts.first() else { return false };
        let level = Level(first.basis().len() - 1);
        (2..=3).contains(&self.parts.len())
            && level <= params.max_level()
            && self.parts.iter().all(|part| part.basis() == params.q(level))
    }

    /// The level of the ciphertext.
    pub fn level(&self) -> Level {
        Level(self.parts[0].basis().len() - 1)
    }

    /// self ← self + other. Both have the same level.
    pub fn add_assign(&mut self, other: &Self) {
        let common = self.parts.len().min(other.parts.len());
        self.parts[..common].iter_mut().zip(&other.parts).for_each(|(a, b)| a.add_assign(b));
        self.parts.extend_from_slice(&other.parts[common..]);
    }

    /// self ← self − other. Both have the same level.
    pub fn sub_assign(&mut self, other: &Self) {
        let common = self.parts.len().min(other.parts.len());
        self.parts[..common].iter_mut().zip(&other.parts).for_each(|(a, b)| a.sub_assign(b));
        self.parts.extend(other.parts[common..].iter().map(|part| {
            let mut negated = part.clone();
            negated.neg_assign();
            negated
        }));
    }

    /// self ← −self.
    pub fn neg_assign(&mut self) {
        self.parts.iter_mut().for_each(Poly::neg_assign);
    }

    /// The tensor product, in three parts, of two ciphertexts of two parts and of the same level.
    ///
    /// # Panics
    /// If an operand has three parts or the levels differ.
    pub fn tensor(&self, other: &Self) -> Self {
        Self::tensor_sum(&[self], &[other])
    }

    /// The sum of the tensor products of pairs of ciphertexts of two parts and of one level, reduced once.
    ///
    /// # Panics
    /// If there are no ciphertexts, not as many on both sides, one has three parts or the levels differ.
    pub fn tensor_sum(left: &[&Self], right: &[&Self]) -> Self {
        assert!(left.len() == right.len());
        assert!(left.iter().chain(right).all(|operand| operand.parts.len() == 2));
        let basis = left[0].parts[0].basis();
        let pairs = |places: &[(usize, usize)]| -> Vec<(&Poly<Evaluation>, &Poly<Evaluation>)> {
            let pairs = left.iter().zip(right);
            pairs.flat_map(|(a, b)| places.iter().map(|&(i, j)| (&a.parts[i], &b.parts[j]))).collect()
        };
        let sums = [pairs(&[(0, 0)]), pairs(&[(0, 1), (1, 0)]), pairs(&[(1, 1)])];
        Self { parts: Poly::inner_products(basis, sums.each_ref().map(|pairs| &pairs[..])).into() }
    }

    /// self ← self·m for a plaintext polynomial of the same level.
    pub fn mul_plain_assign(&mut self, plain: &Poly<Evaluation>) {
        self.parts.iter_mut().for_each(|part| part.mul_assign(plain));
    }

    /// Drops the primes above level `to` without dividing, for messages that don't depend on the modulus.
    ///
    /// # Panics
    /// If `to` is above the level.
    pub fn dropped_to(&self, to: Level) -> Self {
        Self { parts: self.parts.iter().map(|part| part.range(0..to.0 + 1)).collect() }
    }

    /// Divides by D, the product of the primes above level `to`, rounding so that the residue modulo the noise factor
    /// is kept up to D⁻¹. The noise is divided by D, and [`crate::NoiseModel::rounding`] in units of the noise factor
    /// is added.
    ///
    /// # Panics
    /// If `to` is above the level.
    pub fn divide_to(self, params: &RlweParams, to: Level) -> Self {
        if to == self.level() {
            return self;
        }
        Self { parts: self.parts.into_iter().map(|part| params.divide(part, to)).collect() }
    }
}
