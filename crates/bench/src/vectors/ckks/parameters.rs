//! The smallest parameters of a case: by the noise model of its own circuit, since errors grow less along a chain of fresh numbers
//! than in the squarings that the builder of parameters counts with.

use asanoha_ckks::{BootstrapSet, Ckks, CkksLiteral, rescaling_primes};
use asanoha_kernels::Backend;
use asanoha_lattice::largest_log2_modulus;
use asanoha_scheme::{Primes, SwitchLevels, choose_digits, segment};

use super::{
    super::{VectorCase, VectorError, VectorMethod},
    circuit::Circuit,
};

/// The set of products that no ring up to its own holds without bootstrapping.
pub(super) const SET: BootstrapSet = BootstrapSet::S40;
/// The smallest ring degree that is looked at, as log2.
const SMALLEST_LOG2_RING_DEGREE: u32 = 10;
const SECURITY_BITS: u32 = 128;
/// The bits that results without bootstrapping are sure of: about as many as bootstrapped ones are. Measured errors are some bits
/// smaller.
const PRECISION_BITS: f64 = 12.0;
/// The smallest scale, as log2: below there are few primes.
const SMALLEST_SCALE: f64 = 30.0;
/// Room above the largest result, in bits: its sign, and noise.
const SIGN_BITS: f64 = 2.0;

/// Those of the smallest ring whose result is precise to [`PRECISION_BITS`], or else the set for bootstrapping.
pub(super) fn circuit(case: VectorCase, backend: Backend) -> Result<Circuit, VectorError> {
    let largest = SET.ring_degree().ilog2();
    match (SMALLEST_LOG2_RING_DEGREE..=largest).find_map(|log2| leveled(case, 1 << log2, backend)) {
        Some(circuit) => Ok(circuit),
        None => Ok(Circuit::new(case, SET.literal()?.check(backend)?)?),
    }
}

/// Without bootstrapping: a bit of scale is a bit of precision.
fn leveled(case: VectorCase, ring_degree: usize, backend: Backend) -> Option<Circuit> {
    let mut log2_scale = SMALLEST_SCALE;
    loop {
        let circuit = Circuit::new(case, at_scale(case, ring_degree, log2_scale, backend)?).ok()?;
        let missing = circuit.predicted().ok()?.0.error_bound().log2() + PRECISION_BITS;
        if missing <= 0.0 {
            return Some(circuit);
        }
        log2_scale += missing.ceil();
    }
}

/// A bottom that holds the result, and a prime of the scale's size for each product.
fn at_scale(case: VectorCase, ring_degree: usize, log2_scale: f64, backend: Backend) -> Option<Ckks> {
    let largest = f64::from(largest_log2_modulus(ring_degree, SECURITY_BITS)?);
    let sum_bits = if case.method == VectorMethod::Sum { case.block().ilog2() } else { 0 };
    let mut primes = Primes::new(ring_degree, &[]);
    let rescaling = rescaling_primes(&mut primes, &vec![log2_scale; case.depth() + 1]).ok()?;
    let bottom = segment(log2_scale + SIGN_BITS + f64::from(sum_bits));
    let mut q = bottom.iter().map(|size| primes.at_most(*size, 1)).collect::<Result<Vec<_>, _>>().ok()?;
    q.extend(rescaling);
    let rlwe = choose_digits(&q, &primes, largest, SwitchLevels::All, None).ok()??;
    CkksLiteral::new(rlwe, log2_scale).check(backend).ok()
}

#[cfg(test)]
mod tests {
    use asanoha_scheme::Scheme as _;

    use super::*;
    use crate::vectors::{VectorOperation, VectorScheme};

    #[test]
    fn parameters_are_secure_and_as_precise_as_asked_and_hardly_more() {
        let backend = Backend::detect().unwrap();
        let of = |operation| VectorScheme::Ckks.cases(operation, false);
        for case in of(VectorOperation::Product).into_iter().chain(of(VectorOperation::Dot)) {
            let circuit = circuit(case, backend).unwrap();
            let (state, bootstraps) = circuit.predicted().unwrap();
            assert!(circuit.params.rlwe().security_bits() >= SECURITY_BITS);
            assert_eq!(circuit.bootstrapper.is_some(), bootstraps > 0, "{case}");
            assert_eq!(bootstraps > 0, case.method == VectorMethod::Chain && case.n > 40, "{case}");
            if bootstraps == 0 {
                let bits = -state.error_bound().log2();
                assert!((PRECISION_BITS..PRECISION_BITS + 2.0).contains(&bits), "{case}: {bits} bits");
                assert_eq!(state.level.0 + case.depth(), circuit.params.max_level().0, "{case}");
            }
        }
    }
}
