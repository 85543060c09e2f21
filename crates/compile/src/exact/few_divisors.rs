//! Division by one of few divisors: a sum over these, of whether the divisor is the one times the quotient by it.
//!
//! Where dividend and divisor are computed from one column each, the client encrypts both factors, and all that is left are products
//! of fresh ciphertexts.

use asanoha_circuits::BinaryFunction;
use asanoha_lang::{
    Analysed, NodeId,
    ops::{binary, with_constant},
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{
    Exact,
    views::{column_of, derived},
};
use crate::{
    error::ExpandError,
    expander::{Expander, Value},
    ir::Op,
};

/// The most divisors: each is a product, and two columns that the client encrypts.
const MOST_DIVISORS: usize = 64;
/// The most values of a dividend that the client doesn't encrypt: it has a table for each divisor.
const MOST_DIVIDENDS: u64 = 1 << 12;

/// The divisors other than 0 of a division that is fastest so, if it is: of operands that the client encrypts, or, if no
/// table holds them both, of a dividend of few values.
pub(super) fn few_divisors(
    analysed: &Analysed<'_>,
    a: NodeId,
    b: NodeId,
    has_table: bool,
) -> Option<Vec<i64>> {
    let (first, last) = analysed.range(b).whole_ends();
    let few = &last - &first < BigInt::from(MOST_DIVISORS);
    let viewed = |id: NodeId| column_of(analysed, id).is_some();
    let fits = viewed(a) && viewed(b)
        || !has_table && (viewed(a) || analysed.range(a).whole_count() <= MOST_DIVIDENDS.into());
    if a == b || !few || !fits || !analysed.is_whole(a) || !analysed.is_whole(b) {
        return None;
    }
    Some((first.to_i64()?..=last.to_i64()?).filter(|&divisor| divisor != 0).collect())
}

/// ⌊a/b⌋ or a − b·⌊a/b⌋ for b among some divisors or 0, for which the quotient is 0.
pub(super) fn division_by_few(
    e: &mut Expander<'_, Exact<'_>>,
    function: BinaryFunction,
    (a, b): (NodeId, NodeId),
    divisors: &[i64],
) -> Result<Value, ExpandError> {
    let name = binary(function).name();
    let mut quotient = None;
    for &divisor in divisors {
        let is_it = derived(e, name, b, |p, x| with_constant(p, BinaryFunction::Equal, x, divisor))?;
        let by_it = derived(e, name, a, |p, x| with_constant(p, BinaryFunction::Quotient, x, divisor))?;
        let term = e.mul(&is_it, &by_it);
        quotient = Some(match quotient {
            None => term,
            Some(sum) => e.sum_of_two(&sum, &term, Op::Add),
        });
    }
    let quotient = quotient.expect("a divisor other than 0");
    if function == BinaryFunction::Quotient {
        return Ok(quotient);
    }
    let [a, b] = [derived(e, name, a, |_, x| Ok(x))?, derived(e, name, b, |_, x| Ok(x))?];
    let product = e.mul(&b, &quotient);
    Ok(e.sum_of_two(&a, &product, Op::Sub))
}
