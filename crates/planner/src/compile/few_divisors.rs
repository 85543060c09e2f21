//! Division by one of few divisors: a sum over these, of whether the divisor is the one times the quotient by it.
//!
//! Where dividend and divisor are computed from one column each, the client encrypts both factors, and all that is left are products
//! of fresh ciphertexts.

use asanoha_circuits::BinaryFunction;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{
    expand::{ExpandError, Expander, Value, Values},
    graph::Operation,
};
use crate::program::{
    NodeId,
    ops::{binary, with_constant},
};

/// The most divisors: each is a product, and two columns that the client encrypts.
const MOST_DIVISORS: usize = 64;
/// The most values of a dividend that the client doesn't encrypt: it has a table for each divisor.
const MOST_DIVIDENDS: u64 = 1 << 12;

impl Expander<'_> {
    /// The divisors other than 0 of a division that is fastest so, if it is: of operands that the client encrypts, or, if no
    /// table holds them both, of a dividend of few values.
    pub(super) fn few_divisors(&self, a: NodeId, b: NodeId, has_table: bool) -> Option<Vec<i64>> {
        let (first, last) = self.ranges[b.0].whole_ends();
        let few = &last - &first < BigInt::from(MOST_DIVISORS);
        let viewed = |id: NodeId| self.column_of(id).is_some();
        let fits =
            viewed(a) && viewed(b) || !has_table && (viewed(a) || self.count(a) <= MOST_DIVIDENDS.into());
        if a == b || !few || !fits || !self.analysed.is_whole(a) || !self.analysed.is_whole(b) {
            return None;
        }
        Some((first.to_i64()?..=last.to_i64()?).filter(|&divisor| divisor != 0).collect())
    }

    /// ⌊a/b⌋ or a − b·⌊a/b⌋ for b among some divisors or 0, for which the quotient is 0.
    pub(super) fn division_by_few(
        &mut self,
        function: BinaryFunction,
        (a, b): (NodeId, NodeId),
        divisors: &[i64],
        values: &Values,
    ) -> Result<Value, ExpandError> {
        let name = binary(function).name();
        let mut quotient = None;
        for &divisor in divisors {
            let is_it =
                self.derived(name, b, |p, x| with_constant(p, BinaryFunction::Equal, x, divisor), values)?;
            let by_it =
                self.derived(name, a, |p, x| with_constant(p, BinaryFunction::Quotient, x, divisor), values)?;
            let term = self.mul(&is_it, &by_it);
            quotient = Some(match quotient {
                None => term,
                Some(sum) => self.sum_of_two(&sum, &term, Operation::Add),
            });
        }
        let quotient = quotient.expect("a divisor other than 0");
        if function == BinaryFunction::Quotient {
            return Ok(quotient);
        }
        let [a, b] =
            [self.derived(name, a, |_, x| Ok(x), values)?, self.derived(name, b, |_, x| Ok(x), values)?];
        let product = self.mul(&b, &quotient);
        Ok(self.sum_of_two(&a, &product, Operation::Sub))
    }
}
