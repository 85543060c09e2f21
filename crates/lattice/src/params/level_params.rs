//! The bases, digits and conversions of one level.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use asanoha_ring::{Basis, Converter, Divider, Scalar};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use super::tiers::TierLayout;

/// The bases and digits of one level, and its tables.
#[derive(Debug)]
pub(crate) struct LevelParams {
    pub(crate) q: Basis,
    /// The special primes of the keys for this level.
    pub(crate) p: Basis,
    pub(crate) qp: Basis,
    /// The positions of the primes of every digit.
    pub(crate) digits: Vec<Range<usize>>,
    /// Made at the first use: planning inspects many parameters and computes with few.
    pub(super) tables: OnceLock<LevelTables>,
    /// Division by the first special prime, apart from `tables`: encryption needs no more than this.
    pub(super) encryption: OnceLock<Divider>,
}

/// The base conversions and divisions of one level.
#[derive(Debug)]
pub(crate) struct LevelTables {
    /// From the primes of every digit to the other primes of `qp`, in order.
    pub(crate) mod_up: Vec<Arc<Converter>>,
    pub(crate) mod_down: Divider,
    /// P modulo the ciphertext primes.
    pub(crate) special: Scalar,
    /// For every lower level, division by the primes above it.
    pub(super) dividers: Vec<OnceLock<Divider>>,
    /// For every lower level, division by P and the primes above it.
    pub(super) special_dividers: Vec<OnceLock<Divider>>,
}

impl LevelParams {
    pub(super) fn new(all: &Basis, layout: &TierLayout, level: usize) -> Self {
        let (q, p, primes) = (all.range(0..level + 1), layout.p.clone(), level + 1);
        let digit = |start: usize| start..(start + layout.digit_primes).min(primes);
        let digits = (0..primes).step_by(layout.digit_primes).map(digit).collect();
        Self { qp: q.join(&p), digits, q, p, tables: OnceLock::new(), encryption: OnceLock::new() }
    }
}

impl LevelTables {
    pub(super) fn new(params: &LevelParams, noise_factor: &BigUint) -> Self {
        let LevelParams { q, p, qp, digits, .. } = params;
        let factor = |prime: u64| residue(noise_factor, prime);
        let mod_up = digits
            .iter()
            .map(|range| {
                let before = (range.start > 0).then(|| qp.range(0..range.start));
                let after = qp.range(range.end..qp.len());
                let others = before.map_or(after.clone(), |before| before.join(&after));
                Arc::new(Converter::exact(&qp.range(range.clone()), &others))
            })
            .collect();
        let dividers = || (0..q.len() - 1).map(|_| OnceLock::new()).collect();
        Self {
            mod_up,
            mod_down: Divider::new(q, p, factor),
            special: Scalar::new(q, &BigInt::from(p.product())),
            dividers: dividers(),
            special_dividers: dividers(),
        }
    }
}

pub(super) fn residue(value: &BigUint, q: u64) -> u64 {
    (value % q).to_u64().expect("below a word-sized modulus")
}
