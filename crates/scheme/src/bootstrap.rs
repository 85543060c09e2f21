//! What parameters say about bootstrapping.

use asanoha_lattice::{DiagonalSteps, Level, NoiseModel, RlweParams, SPARSE_WEIGHT};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Approximate, EncodeTransform, SchemeError};

/// The integers I of a raised ciphertext ([`asanoha_lattice::raise`]) are at most this large, always: m/q₀ + I is the sum of h + 1
/// numbers of (−½, ½), h the weight of the sparse secret, and so below (h + 1)/2, and |m/q₀| is at most ½.
pub const LARGEST_RAISED_INTEGER: u32 = SPARSE_WEIGHT as u32 / 2;

/// By how much more than the declared bound, relatively, coefficients may be: room for noise.
const SLACK: f64 = 1.0 / 16.0;

/// What values bootstrapping is for, and so what its polynomial makes of the cosine of x = m/q₀ + I.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum BootstrapValues {
    /// Numbers up to a bound: m/q₀, by a polynomial for the arcsine of sin 2πx.
    Numbers {
        /// The degree of the arcsine's polynomial: 1, 3, 5 or 7.
        arcsine_degree: usize,
    },
    /// Bits b, m = b·q₀/2: (1 − cos 2πx)/2.
    Bits,
}

/// How ciphertexts are bootstrapped, and which primes that takes. From the lowest on the primes are q₀; one for each matrix from
/// slots to coefficients; those of the program's levels; those of the polynomial; one for each matrix from coefficients to slots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootstrapShape {
    /// The matrices that put slots into coefficients.
    pub slots_to_coefficients: usize,
    /// The matrices that put coefficients into slots.
    pub coefficients_to_slots: usize,
    /// The degree of the cosine's polynomial, which is even.
    pub degree: usize,
    /// How often the cosine's angle is doubled.
    pub doublings: u32,
    /// What values are.
    pub values: BootstrapValues,
    /// The primes of each level of the polynomial, from the highest on: of the cosine, the doublings, and the arcsine.
    pub polynomial_primes: Vec<usize>,
    /// log2 of q₀ over the largest coefficient of a message; of bits, over how far a coefficient may be from 0 or q₀/2.
    pub log2_ratio: u32,
    /// log2 of the scale that the polynomial begins with.
    pub log2_scale: f64,
}

/// What's wrong with a shape.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("bootstrapping: {0}")]
pub struct BootstrapShapeError(pub String);

impl BootstrapShape {
    /// The levels of the cosine's polynomial: one for the square of its variable, and a series of half the degree.
    pub fn cosine_depth(&self) -> usize {
        1 + (self.degree / 2 + 1).next_power_of_two().ilog2() as usize
    }

    /// The levels of the arcsine's polynomial.
    pub fn arcsine_depth(&self) -> usize {
        match self.values {
            BootstrapValues::Numbers { arcsine_degree } => (arcsine_degree + 1).ilog2() as usize,
            BootstrapValues::Bits => 0,
        }
    }

    /// How large a message's coefficients with their noise may be, in parts of q₀; of bits, how far from 0 or ½.
    pub fn distance(&self) -> f64 {
        f64::from(self.log2_ratio).exp2().recip() * (1.0 + SLACK)
    }

    /// The level that ciphertexts are bootstrapped from.
    pub fn lowest_level(&self) -> Level {
        Level(self.slots_to_coefficients)
    }

    /// The level of bootstrapped ciphertexts, and of fresh ones.
    ///
    /// # Errors
    /// A shape that there are too few primes for, or whose numbers don't go together.
    pub fn check(&self, rlwe: &RlweParams) -> Result<Level, BootstrapShapeError> {
        let refuse = |problem: String| Err(BootstrapShapeError(problem));
        let primes = rlwe.max_level().0 + 1;
        if !rlwe.literal().encapsulated {
            return refuse("the ring's parameters don't allow keys under a sparse secret".into());
        }
        if self.degree < 2 || self.degree > 256 || !self.degree.is_multiple_of(2) {
            return refuse(format!("the cosine's degree {} must be even, from 2 to 256", self.degree));
        }
        let fewest = u32::from(self.values == BootstrapValues::Bits);
        if !(fewest..=8).contains(&self.doublings) {
            return refuse(format!("{} doublings must be from {fewest} to 8", self.doublings));
        }
        if let BootstrapValues::Numbers { arcsine_degree } = self.values
            && ![1, 3, 5, 7].contains(&arcsine_degree)
        {
            return refuse(format!("the arcsine's degree {arcsine_degree} must be one of 1, 3, 5, 7"));
        }
        if self.log2_ratio < 3 || self.log2_ratio > 40 || !(1.0..=200.0).contains(&self.log2_scale) {
            return refuse(format!(
                "the ratio 2^{} must be from 2^3 to 2^40, and the scale 2^{} from 2 to 2^200",
                self.log2_ratio, self.log2_scale
            ));
        }
        let depth = self.cosine_depth() + self.doublings as usize + self.arcsine_depth();
        if self.polynomial_primes.len() != depth || self.polynomial_primes.contains(&0) {
            return refuse(format!(
                "the polynomial has {depth} levels, and primes are given for {}: give each one at least",
                self.polynomial_primes.len()
            ));
        }
        let matrices = [self.slots_to_coefficients, self.coefficients_to_slots];
        if matrices.contains(&0) || matrices.iter().any(|&count| count > primes) {
            return refuse(format!("{matrices:?} matrices: both ways need one at least"));
        }
        let polynomial = self.polynomial_primes.iter().fold(0usize, |sum, &count| sum.saturating_add(count));
        let taken = polynomial.saturating_add(self.coefficients_to_slots);
        let left = primes.checked_sub(1).and_then(|highest| highest.checked_sub(taken));
        match left.filter(|&level| level > self.slots_to_coefficients) {
            Some(level) => Ok(Level(level)),
            None => refuse(format!(
                "{primes} primes are too few: {taken} go to the polynomial and the matrices from coefficients, {} are \
                 below, and a level must be left",
                1 + self.slots_to_coefficients
            )),
        }
    }
}

/// A scheme whose ciphertexts can be bootstrapped, where its parameters have a shape for it.
pub trait Bootstrappable: Approximate + EncodeTransform<Entry: From<[f64; 2]>, EntryScale = f64> {
    /// The shape, if the parameters have one.
    fn bootstrap_shape(&self) -> Option<&BootstrapShape>;

    /// The message of a raised ciphertext whose values count in units of q₀.
    fn raised(&self, lattice: &NoiseModel) -> Self::Message;

    /// What noise prediction knows of a transform before it's encoded ([`EncodeTransform::encode_transform`]).
    ///
    /// # Errors
    /// Entries that don't fit.
    fn known_transform(
        &self,
        steps: &DiagonalSteps,
        scale: f64,
        diagonal: impl Fn(usize) -> Vec<Self::Entry>,
    ) -> Result<Self::TransformState, SchemeError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// m + q·I is c₀ + Σ ±cⱼ, whose parts are below q/2 in size, and c₀ follows from the others and m. With h others, I is at least
    /// h/2 if their sum is at least (h − 1)/2 + m/q, for uniform parts with probability (½ − m/q)^h/h!; and likewise below 0.
    #[test]
    fn the_integers_of_raises_reach_half_the_weight_as_often_as_sums_are_large_and_go_no_further() {
        const Q: i64 = (1 << 30) - 35;
        const TRIALS: u32 = 200_000;
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) as i64
        };
        for weight in [2i64, 4, 6] {
            for part in [0.0, 1.0 / 32.0, -0.2, 0.45] {
                let message = (part * Q as f64) as i64;
                let mut extremes = 0;
                for _ in 0..TRIALS {
                    let sum: i64 = (0..weight).map(|_| random().rem_euclid(Q) - Q / 2).sum();
                    let first = (message - sum + Q / 2).rem_euclid(Q) - Q / 2;
                    let integer = (first + sum - message) / Q;
                    assert!((first + sum - message) % Q == 0 && integer.abs() <= weight / 2);
                    extremes += u32::from(integer.abs() == weight / 2);
                }
                let factorial: f64 = (1..=weight).map(|k| k as f64).product();
                let tail = |end: f64| end.powi(weight as i32) / factorial;
                let probability = tail(0.5 + part) + tail(0.5 - part);
                let expected = probability * f64::from(TRIALS);
                let off = (f64::from(extremes) - expected).abs();
                assert!(off < 5.0 * expected.sqrt() + 1.0, "{weight} {part}: {extremes} of {expected}");
            }
        }
        assert_eq!(LARGEST_RAISED_INTEGER as usize, SPARSE_WEIGHT / 2);
    }
}
