//! Element-wise modular arithmetic.

use crate::{Modulus, ShoupFactor};

pub(crate) fn add_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
    assert_eq!(a.len(), b.len());
    a.iter_mut().zip(b).for_each(|(a, &b)| *a = q.add(*a, b));
}

pub(crate) fn sub_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
    assert_eq!(a.len(), b.len());
    a.iter_mut().zip(b).for_each(|(a, &b)| *a = q.sub(*a, b));
}

pub(crate) fn neg_assign(a: &mut [u64], q: &Modulus) {
    a.iter_mut().for_each(|a| *a = q.neg(*a));
}

pub(crate) fn mul_assign(a: &mut [u64], b: &[u64], q: &Modulus) {
    assert_eq!(a.len(), b.len());
    a.iter_mut().zip(b).for_each(|(a, &b)| *a = q.mul(*a, b));
}

pub(crate) fn fma_assign(c: &mut [u64], a: &[u64], b: &[u64], q: &Modulus) {
    assert!(c.len() == a.len() && c.len() == b.len());
    c.iter_mut().zip(a).zip(b).for_each(|((c, &a), &b)| *c = q.add(*c, q.mul(a, b)));
}

pub(crate) fn mul_scalar_assign(a: &mut [u64], w: ShoupFactor, q: &Modulus) {
    a.iter_mut().for_each(|a| *a = q.mul_shoup(*a, w));
}

pub(crate) fn fma_scalar_assign(c: &mut [u64], a: &[u64], w: ShoupFactor, q: &Modulus) {
    assert_eq!(c.len(), a.len());
    c.iter_mut().zip(a).for_each(|(c, &a)| *c = q.add(*c, q.mul_shoup(a, w)));
}

pub(crate) fn sub_mul_scalar_assign(a: &mut [u64], b: &[u64], w: ShoupFactor, q: &Modulus) {
    assert_eq!(a.len(), b.len());
    a.iter_mut().zip(b).for_each(|(a, &b)| *a = q.mul_shoup(q.sub(*a, b), w));
}
