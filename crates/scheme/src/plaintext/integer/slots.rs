//! Slots: polynomials in Y = X^(N/M) and their values at the roots of unity modulo t.

use std::sync::LazyLock;

use asanoha_kernels::evaluation_exponent;
use asanoha_ring::{Backend, Basis, MIN_RING_DEGREE, Modulus, WideModulus, WideNtt, transform_size};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use rayon::prelude::*;

/// Values that one thread takes at a time.
pub(super) const VALUES: usize = 1 << 10;

/// The transform between the M slots and the coefficients of a polynomial in Y modulo t, by that modulo every prime
/// factor of t.
pub(super) struct SlotTransform {
    ring_degree: usize,
    modulus: WideModulus,
    factors: Vec<Factor>,
    /// Where every slot stands in evaluation order, row after row.
    positions: Vec<u32>,
}

/// One prime factor p of t.
struct Factor {
    modulus: WideModulus,
    transform: Transform,
    /// The residue modulo t that is 1 modulo p and 0 modulo the other factors.
    unit: BigUint,
}

enum Transform {
    /// One slot is the constant coefficient.
    Identity,
    /// By the kernels, where they take p and M.
    Kernels(Basis),
    /// Its tables are made where something is encoded: who only plans needs none.
    Wide(Box<LazyLock<WideNtt, MakeNtt>>),
}

type MakeNtt = Box<dyn FnOnce() -> WideNtt + Send + Sync>;

impl SlotTransform {
    pub(super) fn new(
        ring_degree: usize,
        modulus: &WideModulus,
        primes: &[BigUint],
        backend: Backend,
    ) -> Self {
        let count =
            primes.iter().map(|p| transform_size(p, ring_degree)).min().expect("t has a prime factor");
        let t = modulus.value();
        let factor = |p: &BigUint| {
            let wide = WideModulus::new(p).expect("a prime is above 1");
            let word = p.to_u64().filter(|&p| count >= MIN_RING_DEGREE && Modulus::new(p).is_ok());
            let transform = match word {
                Some(word) => Transform::Kernels(
                    Basis::new(count, &[word], backend).expect("a prime that is 1 modulo 2M"),
                ),
                None if count == 1 => Transform::Identity,
                None => {
                    let wide = wide.clone();
                    let make: MakeNtt = Box::new(move || WideNtt::new(&wide, count));
                    Transform::Wide(Box::new(LazyLock::new(make)))
                }
            };
            let others = t / p;
            let inverse = (&others % p).modinv(p).expect("the factors are distinct primes");
            Factor { modulus: wide, transform, unit: others * inverse % t }
        };
        Self {
            ring_degree,
            modulus: modulus.clone(),
            factors: primes.iter().map(factor).collect(),
            positions: positions(count),
        }
    }

    /// One slot modulo any t, whose factors needn't be known.
    pub(super) fn constant(ring_degree: usize, modulus: &WideModulus) -> Self {
        let factor =
            Factor { modulus: modulus.clone(), transform: Transform::Identity, unit: BigUint::from(1u32) };
        Self { ring_degree, modulus: modulus.clone(), factors: vec![factor], positions: positions(1) }
    }

    /// The number of slots M.
    pub(super) fn count(&self) -> usize {
        self.positions.len()
    }

    /// The prime factors of t.
    pub(super) fn factors(&self) -> Vec<BigUint> {
        self.factors.iter().map(|factor| factor.modulus.value().clone()).collect()
    }

    /// The rows of the polynomial whose slots are the given rows.
    pub(super) fn encode(&self, slots: &[u64]) -> Vec<u64> {
        let (limbs, count) = (self.modulus.limbs(), self.count());
        let mut ordered = vec![0; count * limbs];
        for (row, &position) in slots.chunks_exact(limbs).zip(&self.positions) {
            ordered[position as usize * limbs..][..limbs].copy_from_slice(row);
        }
        let dense = self.by_factors(ordered, Transform::to_coefficients);
        if count == self.ring_degree {
            return dense;
        }
        let mut rows = vec![0; self.ring_degree * limbs];
        let stride = self.ring_degree / count * limbs;
        for (row, dense) in rows.chunks_exact_mut(stride).zip(dense.chunks_exact(limbs)) {
            row[..limbs].copy_from_slice(dense);
        }
        rows
    }

    /// What a function makes of the slots of a polynomial in Y.
    pub(super) fn decode<V: Send>(&self, rows: Vec<u64>, value: impl Fn(&[u64]) -> V + Sync) -> Vec<V> {
        let (limbs, count) = (self.modulus.limbs(), self.count());
        let stride = self.ring_degree / count * limbs;
        let dense = if stride == limbs {
            rows
        } else {
            rows.chunks_exact(stride).flat_map(|row| &row[..limbs]).copied().collect()
        };
        let ordered = self.by_factors(dense, Transform::to_slots);
        let positions = self.positions.par_iter().with_min_len(VALUES);
        if limbs == 1 {
            return positions.map(|&p| value(std::slice::from_ref(&ordered[p as usize]))).collect();
        }
        positions.map(|&p| value(&ordered[p as usize * limbs..][..limbs])).collect()
    }

    /// Transforms rows modulo t by their residues modulo its factors, and puts the results together.
    fn by_factors(&self, rows: Vec<u64>, transform: fn(&Transform, Vec<u64>) -> Vec<u64>) -> Vec<u64> {
        let limbs = self.modulus.limbs();
        if let [factor] = &self.factors[..] {
            return transform(&factor.transform, rows);
        }
        let mut sum = vec![0; rows.len()];
        for factor in &self.factors {
            let residues = transform(&factor.transform, factor.modulus.reduce(&rows, limbs));
            let mut terms = vec![0; rows.len()];
            let narrow = residues.chunks_exact(factor.modulus.limbs());
            for (term, residue) in terms.chunks_exact_mut(limbs).zip(narrow) {
                term[..residue.len()].copy_from_slice(residue);
            }
            self.modulus.scale(&mut terms, &factor.unit);
            self.modulus.add_assign(&mut sum, &terms);
        }
        sum
    }
}

impl Transform {
    fn to_coefficients(&self, mut slots: Vec<u64>) -> Vec<u64> {
        match self {
            Self::Identity => {}
            Self::Kernels(basis) => {
                let limb = &basis.limbs()[0];
                (limb.kernels().ntt_inverse)(&mut slots, limb.table());
            }
            Self::Wide(ntt) => ntt.inverse(&mut slots),
        }
        slots
    }

    fn to_slots(&self, mut coefficients: Vec<u64>) -> Vec<u64> {
        match self {
            Self::Identity => {}
            Self::Kernels(basis) => {
                let limb = &basis.limbs()[0];
                (limb.kernels().ntt_forward)(&mut coefficients, limb.table());
            }
            Self::Wide(ntt) => ntt.forward(&mut coefficients),
        }
        coefficients
    }
}

/// Slot j of the first row stands at ψ^(5^j), slot j of the second at ψ^(−5^j): the position in evaluation order
/// of every slot, row after row.
fn positions(count: usize) -> Vec<u32> {
    if count == 1 {
        return vec![0];
    }
    let order = 2 * count;
    let mut position_of = vec![0u32; count];
    for position in 0..count {
        position_of[evaluation_exponent(count, position) / 2] = position as u32;
    }
    let powers = std::iter::successors(Some(1), |power| Some(power * 5 % order)).take(count / 2);
    let first = powers.clone().map(|exponent| position_of[exponent / 2]);
    let second = powers.map(|exponent| position_of[(order - exponent) / 2]);
    first.chain(second).collect()
}
