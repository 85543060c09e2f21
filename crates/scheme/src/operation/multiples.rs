//! Sums of multiples by constants.

use asanoha_lattice::{Level, RlweCiphertext};
use asanoha_ring::Scalar;
use num_bigint::BigInt;

use crate::{
    Approximate, Operand, Operations, Scheme, SchemeError, State, checks::same_level, model::TWO_PARTS,
};

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
        let forms = self.linear_forms(&operands, &integers, vec![state])?;
        Ok(forms.into_iter().next().expect("one row"))
    }
}

impl<S: Scheme, V: Operand<S>> Operations<S, V> {
    /// Returns Σₖ wᵣₖ·aₖ for every row r of a matrix of integers, which come row after row, of values that a sum of multiples can
    /// be of (BGV: of one correction factor): each with the state given, at the one level of the states, which no value is below.
    /// All values are read from memory once for all rows.
    ///
    /// The states are taken on trust, as in [`Operations::set_state`]: those to which the multiples and sums lead one after
    /// another.
    ///
    /// # Errors
    /// [`SchemeError::NotRelinearised`], [`SchemeError::LevelMismatch`].
    ///
    /// # Panics
    /// If there are no values or no states, or the integers aren't a row for each state.
    pub fn linear_forms(
        &self,
        values: &[&V],
        weights: &[BigInt],
        states: Vec<State<S>>,
    ) -> Result<Vec<V>, SchemeError> {
        assert!(!values.is_empty() && weights.len() == states.len() * values.len());
        let level = states[0].level;
        states.iter().try_for_each(|state| same_level(level, state.level))?;
        for value in values {
            let own = self.two_parts(value)?.level;
            same_level(level, own.min(level))?;
        }
        V::produce_many(&self.means, values, states, |values, _| {
            let basis = self.params().rlwe().q(level);
            let weights: Vec<Scalar> = weights.iter().map(|weight| Scalar::new(basis, weight)).collect();
            let values: Vec<&RlweCiphertext> = values.iter().map(|value| &value.rlwe).collect();
            Ok(RlweCiphertext::linear_forms(basis, &values, &weights))
        })
    }
}
