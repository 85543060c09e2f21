//! Vectors of real numbers in the slots of CKKS's ciphertexts.

mod circuit;
mod parameters;

use std::time::Instant;

use asanoha_circuits::bootstrap::Bootstrapper;
use asanoha_ckks::{Ckks, CkksCiphertext, EvaluationKeys, Evaluator};
use asanoha_ring::{Sampler, Seed, keep_unused_memory};
use asanoha_scheme::{GenerateKeys, Scheme, SecretKey};

use self::{circuit::Circuit, parameters::SET};
use super::{
    VectorCase, VectorError, VectorRow,
    bench::{Bench, Times},
};
use crate::bootstrap::KEPT;

/// The seed of all randomness, fixed so that runs can be compared.
const SEED: Seed = Seed([13; 32]);

/// A row for each case and number of threads.
pub(super) fn measure(bench: &mut Bench<'_>, cases: &[VectorCase]) -> Result<(), VectorError> {
    keep_unused_memory(KEPT);
    for &case in cases {
        let subject = Subject::new(parameters::circuit(case, bench.backend)?)?;
        for pool in &bench.pools {
            (bench.push)(pool.install(|| subject.row())?);
        }
    }
    Ok(())
}

/// Keys and encrypted vectors.
struct Subject {
    circuit: Circuit,
    secret: SecretKey<Ckks>,
    evaluator: Evaluator,
    vectors: Vec<CkksCiphertext>,
    expected: f64,
}

impl Subject {
    fn new(circuit: Circuit) -> Result<Self, VectorError> {
        let Circuit { case, params, bootstrapper } = &circuit;
        let mut sampler = Sampler::new(&SEED);
        let (secret, public) = params.generate_keys_with(&mut sampler);
        if let Some(bootstrapper) = bootstrapper {
            bootstrapper.prepare()?;
        }
        let keys = circuit.keys()?;
        let keys = EvaluationKeys::generate_levels(params.rlwe(), secret.key(), &keys, &mut sampler);
        let numbers = case.numbers();
        let vectors = numbers.chunks(case.n).map(|vector| {
            let number = |slot: usize| vector.get(slot % case.block()).copied().unwrap_or(case.filling());
            let slots: Vec<f64> = (0..params.slots()).map(number).collect();
            public.encrypt_with(&slots, &mut sampler)
        });
        let vectors = vectors.collect::<Result<_, _>>()?;
        let (expected, evaluator) = (case.plain(&numbers), params.evaluator(keys));
        Ok(Self { circuit, secret, evaluator, vectors, expected })
    }

    /// Measures it on the threads of the pool.
    fn row(&self) -> Result<VectorRow, VectorError> {
        let Self { circuit: Circuit { case, params, bootstrapper }, evaluator, .. } = self;
        let (mut bootstraps, mut worst, mut predicted) = (0, 0f64, 0f64);
        let times = Times::of(|| {
            let start = Instant::now();
            let (result, count) = self.circuit.evaluate(evaluator, &self.vectors)?;
            let time = start.elapsed();
            (bootstraps, predicted) = (count, result.error_bound());
            let slots = self.secret.decrypt(&result)?;
            let errors = slots.iter().step_by(case.block()).map(|found| (found - self.expected).abs());
            worst = errors.fold(worst, f64::max);
            let is_within = worst <= predicted;
            if is_within {
                Ok(time)
            } else {
                Err(VectorError::Wrong { case: *case, found: worst.log2(), predicted: predicted.log2() })
            }
        })?;
        let (rlwe, set) = (params.rlwe(), if bootstrapper.is_some() { SET.name() } else { "leveled" });
        let ring = format!("N = 2^{}, log2 QP = {:.0}", rlwe.ring_degree().ilog2(), rlwe.log2_qp());
        Ok(VectorRow {
            case: *case,
            parameters: format!("{set}, {ring}"),
            ring_degree: Some(rlwe.ring_degree()),
            log2_q: Some(rlwe.q(params.max_level()).log2_product()),
            depth: Some(params.max_level().0),
            bits: None,
            bits_worst: Some(-worst.log2()),
            bits_predicted: Some(-predicted.log2()),
            threads: rayon::current_num_threads(),
            ms_min: times.ms_min,
            ms_median: times.ms_median,
            bootstraps,
            layers: None,
            key_bytes: evaluator.keys().bytes(),
            peak_bytes: times.peak_bytes,
            log2_failure: bootstrapper.as_ref().map(Bootstrapper::log2_failure),
        })
    }
}

#[cfg(test)]
mod tests {
    use asanoha_kernels::Backend;

    use super::*;
    use crate::vectors::{VectorMethod, VectorOperation, VectorScheme, case::LENGTHS};

    /// A chain at the set for bootstrapping in a small ring, which is insecure.
    fn chain(n: usize) -> Circuit {
        let params = SET.with_ring_degree(1 << 10).unwrap().check(Backend::detect().unwrap()).unwrap();
        let (operation, method) = (VectorOperation::Product, VectorMethod::Chain);
        Circuit::new(VectorCase { operation, scheme: VectorScheme::Ckks, method, n }, params).unwrap()
    }

    #[test]
    fn chains_are_bootstrapped_as_seldom_as_their_levels_allow() {
        // Seventeen products fit between two bootstrappings, and eighteen behind the last.
        for n in LENGTHS {
            assert_eq!(chain(n).predicted().unwrap().1, (n - 1).saturating_sub(18).div_ceil(17), "{n}");
        }
        // The counts of the published comparison of schemes.
        assert_eq!([60, 80, 100].map(|n| chain(n).predicted().unwrap().1), [3, 4, 5]);
    }

    #[test]
    fn bootstrapped_chains_are_right_within_what_is_predicted() {
        let subject = Subject::new(chain(60)).unwrap();
        let row = subject.row().unwrap();
        assert!(row.bootstraps == 3 && row.log2_failure < Some(-128.0), "{row:?}");
        assert!(row.bits_worst > Some(18.0) && row.bits_worst > row.bits_predicted, "{row:?}");
        assert!(row.bits_predicted > Some(6.0) && row.parameters.starts_with("s40"), "{row:?}");
        assert!(
            row.ring_degree == Some(1 << 10) && row.depth == Some(18) && row.log2_q > Some(600.0),
            "{row:?}"
        );
        // Another number than the product is noticed.
        let wrong = Subject { expected: subject.expected + 0.1, ..subject };
        assert!(matches!(wrong.row(), Err(VectorError::Wrong { .. })));
    }
}
