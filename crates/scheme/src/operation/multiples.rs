//! Sums of multiples by constants.

use asanoha_lattice::{Level, RlweCiphertext};
use asanoha_ring::{Poly, Scalar};
use num_bigint::BigInt;

use crate::{Approximate, Operand, Operations, SchemeError, State, model::TWO_PARTS};

impl<S: Approximate, V: Operand<S>> Operations<S, V> {
    /// Returns Σ kⱼ·aⱼ at a given level, for values of that level or higher ones, in one pass over their polynomials.
    ///
    /// The result and its noise are those of [`Operations::lowered`], [`Operations::mul_constant`] and [`Operations::add`] in
    /// turn.
    ///
    /// # Errors
    /// Those of [`Operations::lowered`], [`Operations::mul_constant`] and [`Operations::add`], and
    /// [`SchemeError::NotRelinearised`].
    ///
    /// # Panics
    /// If there are no terms.
    pub fn sum_of_multiples(&self, terms: &[(&V, S::Factor)], level: Level) -> Result<V, SchemeError> {
        let mut sum: Option<State<S>> = None;
        let mut integers: Vec<BigInt> = Vec::with_capacity(terms.len());
        for (a, factor) in terms {
            let lowered = self.model().switch_to(self.two_parts(a)?, TWO_PARTS, level)?;
            let (product, integer) = self.params().constant_product(&lowered, factor)?;
            integers.push(integer);
            sum = Some(match sum {
                None => product,
                Some(sum) => {
                    let (sum, multipliers) = self.params().sum(&sum, &product)?;
                    assert!(multipliers.is_none(), "approximate schemes add polynomials as they are");
                    sum
                }
            });
        }
        let state = self.model().check(sum.expect("there are terms"))?;
        let operands: Vec<&V> = terms.iter().map(|(a, _)| *a).collect();
        V::produce(&self.means, &operands, state, |operands, _| {
            let basis = self.params().rlwe().q(level);
            let part = |part: usize| {
                let factors = integers.iter().map(|integer| Scalar::new(basis, integer));
                let terms: Vec<_> = operands.iter().map(|a| &a.rlwe.parts[part]).zip(factors).collect();
                Poly::sum_of_multiples(basis, &terms)
            };
            Ok(RlweCiphertext { parts: vec![part(0), part(1)] })
        })
    }
}
