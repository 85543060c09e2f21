//! Errors of encryptions and keys.

use asanoha_ring::{Basis, Coefficient, Evaluation, Poly, Sampler, Scalar};
use num_bigint::BigInt;

use crate::RlweParams;

/// f·e for a fresh error e, on a secret basis.
pub(crate) fn scaled_error(params: &RlweParams, basis: &Basis, sampler: &mut Sampler) -> Poly<Evaluation> {
    let error = sampler.error(params.ring_degree());
    let mut e = Poly::<Coefficient>::from_small(&basis.secret(), &error);
    if params.noise_factor() != &1u32.into() {
        e.mul_scalar_assign(&Scalar::new(basis, &BigInt::from(params.noise_factor().clone())));
    }
    e.into_evaluation()
}
