//! What is done to a vector that is filled up to a power of two and repeated all over the slots, so that rotations turn it
//! round.

use asanoha_circuits::bootstrap::{BootstrapError, Bootstrapper, SlotKind};
use asanoha_ckks::{Ckks, CkksPredictor, CkksState, Scaled};
use asanoha_lattice::{KeyLevels, Level};
use asanoha_ring::GaloisElement;
use asanoha_scheme::{Operand, Operations, Scheme, SchemeError, sum_trace};

use super::super::{VectorCase, VectorMethod};

/// The operations of a case with some parameters.
pub(super) struct Circuit {
    pub(super) case: VectorCase,
    pub(super) params: Ckks,
    /// Of parameters that are made for it.
    pub(super) bootstrapper: Option<Bootstrapper<Ckks>>,
}

impl Circuit {
    pub(super) fn new(case: VectorCase, params: Ckks) -> Result<Self, BootstrapError> {
        let is_bootstrapped = params.literal().bootstrap.is_some();
        let bootstrapper =
            is_bootstrapped.then(|| Bootstrapper::new(&params, case.block(), 1.0)).transpose()?;
        Ok(Self { case, params, bootstrapper })
    }

    /// The keys, each with the highest level at which it's needed.
    pub(super) fn keys(&self) -> Result<KeyLevels, SchemeError> {
        let (rlwe, Level(highest)) = (self.params.rlwe(), self.params.max_level());
        let rotation = |places: usize| GaloisElement::rotation(rlwe.ring_degree(), places as i64);
        let mut keys = self.bootstrapper.as_ref().map(Bootstrapper::keys).unwrap_or_default();
        keys.add_relinearisations(rlwe, Level(1)..=Level(highest));
        match self.case.method {
            VectorMethod::Tree => {
                for stage in 0..self.case.depth() {
                    keys.add_automorphism(rlwe, rotation(1 << stage), Level(highest - stage));
                }
            }
            VectorMethod::Chain => {
                (1..=highest).for_each(|level| keys.add_automorphism(rlwe, rotation(1), Level(level)));
            }
            VectorMethod::Sum => {
                let trace = sum_trace(&self.params, self.case.block())?;
                trace.elements().for_each(|g| keys.add_automorphism(rlwe, g, Level(highest - 1)));
            }
        }
        Ok(keys)
    }

    /// The result, in the first slot of every block, and how many bootstrappings it took.
    pub(super) fn evaluate<V: Operand<Ckks>>(
        &self,
        operations: &Operations<Ckks, V>,
        vectors: &[V],
    ) -> Result<(V, usize), SchemeError> {
        let (mut result, mut bootstraps) = (vectors[0].clone(), 0);
        match self.case.method {
            VectorMethod::Tree => {
                for stage in 0..self.case.depth() {
                    result = product(operations, &operations.rotate(&result, 1 << stage)?, &result)?;
                }
            }
            VectorMethod::Chain => {
                // Slot j holds the product of so many numbers from j on; turned by a place and multiplied by number j, of one more.
                for left in (1..self.case.n).rev() {
                    if let Some(bootstrapper) = self.bootstrapper_at(result.state().level, left) {
                        result = bootstrapper.bootstrap(operations, &result, SlotKind::Real)?;
                        bootstraps += 1;
                    }
                    result = product(operations, &operations.rotate(&result, 1)?, &vectors[0])?;
                }
            }
            VectorMethod::Sum => {
                result = operations.sum(&product(operations, &result, &vectors[1])?, self.case.block())?;
            }
        }
        Ok((result, bootstraps))
    }

    /// The bootstrapping of a ciphertext with so many products left, if there it's the last level for it, and too low.
    fn bootstrapper_at(&self, level: Level, left: usize) -> Option<&Bootstrapper<Ckks>> {
        let shape = self.params.literal().bootstrap.as_ref()?;
        self.bootstrapper.as_ref().filter(|_| level == shape.lowest_level() && left > level.0)
    }

    /// What will be known of the result of vectors of numbers up to 1, and the bootstrappings.
    pub(super) fn predicted(&self) -> Result<(CkksState, usize), SchemeError> {
        let (predictor, level) = (CkksPredictor::new(&self.params), self.params.max_level());
        let fresh = predictor
            .model()
            .fresh_public(level, &Scaled { scale: self.params.scale_at(level), bound: 1.0 })?;
        self.evaluate(&predictor, &vec![fresh; self.case.operation.count(1)])
    }
}

/// a·b, a level below a, for b of the same level or a higher one.
fn product<V: Operand<Ckks>>(operations: &Operations<Ckks, V>, a: &V, b: &V) -> Result<V, SchemeError> {
    let Level(level) = a.state().level;
    let product = operations.multiply_without_relinearise(a, &operations.adjust_to(b, Level(level))?)?;
    operations.relinearise_rescaled(product, Level(level - 1))
}
