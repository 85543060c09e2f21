//! Functions of few whole numbers where arithmetic is real: polynomials through their values.

use std::cell::RefCell;

use asanoha_circuits::polynomial;
use asanoha_lang::{Function, NodeId, Operand};
use asanoha_numeric::number;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::{
    Real,
    by_steps::by_steps,
    differences::equality_by_sign,
    polynomial::{Building, NO_NOISE, fit_bits, free_half},
    steps::Steps,
    whole_table::WholeTable,
};
use crate::{
    error::ExpandError,
    expander::{Expander, Value},
    ir::Op,
};

/// A function of few whole numbers, of the operation `id`: its polynomial is off by half of 2^fit_bits, as is what comes of
/// operands that aren't whole numbers up to their noise.
pub(super) fn by_values(
    e: &mut Expander<'_, Real<'_>>,
    id: NodeId,
    function: &Function,
    operands: &[Operand],
) -> Result<Value, ExpandError> {
    let name = function.name();
    if !operands.iter().filter_map(|operand| operand.node()).all(|id| e.analysed.is_whole(id)) {
        return Err(ExpandError::NotApproximate(name));
    }
    let table = match (&e.target.fitted.tables[id.0], operands) {
        (Some(table), _) => table.clone(),
        (None, &[a, b]) if function.is_equality() => {
            return equality_by_sign(e, id, function, [a, b]);
        }
        (None, _) => {
            let steps =
                Steps::of(function, operands, e.analysed.ranges()).ok_or(ExpandError::ManyValues(name))?;
            let dividend = operands[0].node().expect("it's what's divided");
            return by_steps(e, id, function, &steps, &e.value(dividend));
        }
    };
    let x = place(e, &table);
    let first = exactly(table.values[0]);
    if table.half_spread() == 0.0 {
        return Ok(e.constant_like(&x, &first));
    }
    if table.is_line() {
        let rise = exactly(table.values[1]) - &first;
        let line = Value { factor: &x.factor * rise, ..x };
        return Ok(e.offset(&line, &first));
    }
    let x = e.padded(&x);
    let allowed = number::times_power_of_two(1.0, fit_bits(e, id, name)?.into());
    let margin = table.margin(allowed);
    let (middle, half) = table.interval(margin);
    let half = free_half(half * (1.0 + 8.0 * f64::EPSILON), middle, &x, half);
    let scale = e.range(id).log2_bound().unwrap_or(0);
    let error = number::times_power_of_two(allowed / 2.0, -scale);
    let series = table.fit(name, (middle, half), scale, error)?;
    let centred = e.offset(&x, &-exactly(middle));
    let one = BigRational::one();
    let centred = Value { factor: &centred.factor / exactly(half), ..centred };
    let y = e.with_factor(&centred, &one);
    e.graph.tighten(y, 1.0);
    // Half of the margin is left to the noise.
    let absorbed = e.graph.push(Op::AbsorbNoise { a: y, within: margin / 2.0 / half, left: NO_NOISE });
    let y = Value { node: absorbed, factor: one.clone() };
    let sum = polynomial::evaluate(&Building(RefCell::new(e)), &series, &y)?;
    let node = e.with_factor(&sum, &one);
    e.graph.tighten(node, 1.0 + 2.0 * error);
    // As for signs, noise and all is within the error, so that twice the error bounds what noise made of it.
    let node = e.graph.push(Op::AbsorbNoise { a: node, within: error, left: 3.0 * error });
    Ok(Value { node, factor: number::power_of_two(scale) })
}

/// x, counted from 0 on.
fn place(e: &mut Expander<'_, Real<'_>>, table: &WholeTable) -> Value {
    let terms = table.strides.iter().map(|(id, stride)| {
        let value = &e.value(*id);
        Value { factor: &value.factor * BigInt::from(*stride), ..value.clone() }
    });
    let terms: Vec<Value> = terms.collect();
    let sum = terms[1..].iter().fold(terms[0].clone(), |sum, term| e.sum_of_two(&sum, term, Op::Add));
    e.offset(&sum, &BigRational::from_integer(table.shift.clone()))
}

fn exactly(value: f64) -> BigRational {
    BigRational::from_float(value).expect("tables hold finite numbers")
}
