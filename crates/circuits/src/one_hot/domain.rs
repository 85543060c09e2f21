//! How slots hold ranges of integers.

use std::{
    ops::RangeInclusive,
    sync::{Arc, OnceLock},
};

use asanoha_kernels::is_prime;
use asanoha_ring::Modulus;
use thiserror::Error;

use super::interpolate::Interpolation;

/// The most integers in a domain, 0 to 2^16: more have too many powers.
const MAX_POINTS: usize = (1 << 16) + 1;

/// Why a domain can't be had, or a value isn't in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DomainError {
    /// No integers at all, or too many.
    #[error(
        "a domain has 1 to {MAX_POINTS} integers, and {first} to {last} are {count}: split the integers into digits"
    )]
    Size {
        /// The first integer.
        first: i64,
        /// The last one.
        last: i64,
        /// How many they are.
        count: i128,
    },
    /// A plaintext modulus that isn't prime.
    #[error("functions by polynomials need a prime plaintext modulus, and {0} isn't one")]
    NotPrime(u64),
    /// More integers than residues.
    #[error(
        "the {count} integers of a domain don't fit the plaintext modulus {modulus}: choose a larger one"
    )]
    Modulus {
        /// How many integers.
        count: usize,
        /// The plaintext modulus.
        modulus: u64,
    },
    /// No root of unity of the order.
    #[error(
        "the plaintext modulus {modulus} has no root of unity of order {order}: choose one that is 1 modulo it"
    )]
    NoRoot {
        /// The order.
        order: u64,
        /// The plaintext modulus.
        modulus: u64,
    },
    /// A value outside.
    #[error("{value} is not one of {first} to {last}")]
    Outside {
        /// The value.
        value: i64,
        /// The first integer.
        first: i64,
        /// The last one.
        last: i64,
    },
}

/// Consecutive integers and the residues modulo a prime t that represent them in slots.
///
/// Clones share what functions on it have in common: where there are several functions, the second is found faster.
#[derive(Clone, Debug)]
pub struct Domain {
    modulus: Modulus,
    first: i64,
    points: Vec<u64>,
    /// What interpolation asks of the points, once it was asked.
    pub(super) interpolation: Arc<OnceLock<Interpolation>>,
}

impl PartialEq for Domain {
    fn eq(&self, other: &Self) -> bool {
        let key = |domain: &Self| (domain.modulus, domain.first);
        key(self) == key(other) && self.points == other.points
    }
}

impl Eq for Domain {}

impl Domain {
    /// Integers as they are, modulo t.
    pub fn integers(modulus: &Modulus, range: RangeInclusive<i64>) -> Result<Self, DomainError> {
        let count = size(modulus, &range)?;
        if count as u64 > modulus.value() {
            return Err(DomainError::Modulus { count, modulus: modulus.value() });
        }
        let points = range.clone().map(|value| modulus.reduce_i64(value)).collect();
        Ok(Self { modulus: *modulus, first: *range.start(), points, interpolation: Arc::default() })
    }

    /// The integer u as ω^(u − first), for ω a root of unity whose order is the least power of two that is at least
    /// the number of integers. Sums of integers are then products of points.
    pub fn roots(modulus: &Modulus, range: RangeInclusive<i64>) -> Result<Self, DomainError> {
        let count = size(modulus, &range)?;
        let (q, order) = (modulus.value(), (count as u64).next_power_of_two());
        let root = (1..q.min(1 << 20))
            .filter(|_| (q - 1).is_multiple_of(order))
            .map(|g| modulus.pow(g, (q - 1) / order))
            .find(|&root| order == 1 || modulus.pow(root, order / 2) == q - 1)
            .ok_or(DomainError::NoRoot { order, modulus: q })?;
        let points = std::iter::successors(Some(1), |point| Some(modulus.mul(*point, root)));
        let points = points.take(count).collect();
        Ok(Self { modulus: *modulus, first: *range.start(), points, interpolation: Arc::default() })
    }

    /// The integers.
    pub fn range(&self) -> RangeInclusive<i64> {
        self.first..=self.first + self.points.len() as i64 - 1
    }

    /// How many integers.
    #[allow(clippy::len_without_is_empty)] // A domain is never empty.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// The prime t.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The residues that represent the integers, in order.
    pub(crate) fn points(&self) -> &[u64] {
        &self.points
    }

    /// What stands in a slot for an integer, in (−t/2, t/2).
    pub fn encode(&self, value: i64) -> Result<i64, DomainError> {
        self.point(value).map(|point| self.modulus.centre(point))
    }

    /// The integer that a slot's value represents, if any.
    pub fn decode(&self, slot: i64) -> Option<i64> {
        let point = self.modulus.reduce_i64(slot);
        let index = self.points.iter().position(|&candidate| candidate == point)?;
        Some(self.first + index as i64)
    }

    /// The residue that represents an integer.
    pub(crate) fn point(&self, value: i64) -> Result<u64, DomainError> {
        let index = value.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.points.get(index)).copied().ok_or_else(|| {
            let (first, last) = self.range().into_inner();
            DomainError::Outside { value, first, last }
        })
    }

    /// The coefficients of the indicators: row u holds those of the polynomial of degree below the number of points
    /// that is 1 at point u and 0 at the others, the constant one first.
    ///
    /// With M = ∏ (X − pᵤ), row u is the quotient Mᵤ = M/(X − pᵤ) over Mᵤ(pᵤ).
    pub(crate) fn indicators(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        let q = &self.modulus;
        let mut product = vec![1u64];
        for &point in &self.points {
            product.push(0);
            for k in (0..product.len()).rev() {
                let shifted = if k > 0 { product[k - 1] } else { 0 };
                product[k] = q.sub(shifted, q.mul(point, product[k]));
            }
        }
        self.points.iter().map(move |&point| {
            // Synthetic division from the leading coefficient down.
            let mut quotient = vec![0; self.points.len()];
            let mut carried = 0;
            for k in (0..quotient.len()).rev() {
                carried = q.add(product[k + 1], q.mul(carried, point));
                quotient[k] = carried;
            }
            let value = quotient.iter().rev().fold(0, |value, &c| q.add(q.mul(value, point), c));
            let scale = q.inverse(value).expect("the points differ");
            quotient.iter_mut().for_each(|c| *c = q.mul(*c, scale));
            quotient
        })
    }

    /// The coefficients of the polynomial with the given residues at the points, the constant one first.
    ///
    /// Its degree is below the number of points, or, where t − 1 is a power of two and more than half of all residues
    /// are points, below t − 1 (t − 1 if all are): such degrees take the same depth, and one Fourier transform finds the
    /// coefficients. What follows from the points alone is made once for a domain and its clones.
    ///
    /// # Panics
    /// If there aren't as many residues as points.
    pub(crate) fn interpolate(&self, values: &[u64]) -> Vec<u64> {
        assert_eq!(values.len(), self.len());
        let interpolation =
            self.interpolation.get_or_init(|| Interpolation::new(self.modulus(), self.points()));
        interpolation.polynomial(self.modulus(), self.points(), values)
    }
}

/// How many integers, for a modulus that is prime.
fn size(modulus: &Modulus, range: &RangeInclusive<i64>) -> Result<usize, DomainError> {
    if !is_prime(modulus.value()) {
        return Err(DomainError::NotPrime(modulus.value()));
    }
    let (first, last) = (*range.start(), *range.end());
    let count = i128::from(last) - i128::from(first) + 1;
    if (1..=MAX_POINTS as i128).contains(&count) {
        Ok(count as usize)
    } else {
        Err(DomainError::Size { first, last, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t() -> Modulus {
        Modulus::new(65537).unwrap()
    }

    #[test]
    fn indicators_are_one_at_their_point_and_zero_at_the_others() {
        for domain in [
            Domain::integers(&t(), 0..=15).unwrap(),
            Domain::integers(&t(), -20..=17).unwrap(),
            Domain::roots(&t(), -3..=4).unwrap(),
            Domain::roots(&t(), 0..=20).unwrap(),
            Domain::integers(&Modulus::new(17).unwrap(), 0..=16).unwrap(),
        ] {
            let q = domain.modulus();
            for (u, indicator) in domain.indicators().enumerate() {
                for (v, &point) in domain.points.iter().enumerate() {
                    let value = indicator.iter().rev().fold(0, |value, &c| q.add(q.mul(value, point), c));
                    assert_eq!(value, u64::from(u == v));
                }
            }
        }
    }

    #[test]
    fn roots_multiply_as_integers_add() {
        let domain = Domain::roots(&t(), 0..=255).unwrap();
        assert_eq!(t().mul(domain.points[200], domain.points[100]), domain.points[44]);
        for value in domain.range() {
            assert_eq!(domain.decode(domain.encode(value).unwrap()), Some(value));
        }
        assert_eq!(domain.decode(0), None);
    }

    #[test]
    fn unsuitable_domains_are_refused_with_the_figures() {
        let refused = Domain::integers(&t(), -1..=1 << 16).unwrap_err();
        assert_eq!(refused, DomainError::Size { first: -1, last: 1 << 16, count: (1 << 16) + 2 });
        let range = std::hint::black_box(5)..=4;
        assert_eq!(
            Domain::roots(&t(), range).unwrap_err(),
            DomainError::Size { first: 5, last: 4, count: 0 }
        );
        assert!(Domain::integers(&t(), i64::MIN..=i64::MAX).is_err());
        let small = Modulus::new(17).unwrap();
        assert_eq!(
            Domain::integers(&small, 0..=17).unwrap_err(),
            DomainError::Modulus { count: 18, modulus: 17 }
        );
        assert_eq!(
            Domain::roots(&small, 0..=16).unwrap_err(),
            DomainError::NoRoot { order: 32, modulus: 17 }
        );
        let composite = Modulus::new(15).unwrap();
        assert_eq!(Domain::integers(&composite, 0..=7).unwrap_err(), DomainError::NotPrime(15));
        let domain = Domain::integers(&t(), -8..=7).unwrap();
        for value in [8, -9, i64::MIN, i64::MAX] {
            assert_eq!(domain.encode(value), Err(DomainError::Outside { value, first: -8, last: 7 }));
        }
    }
}
