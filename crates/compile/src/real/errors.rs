//! How far approximated functions put everything that is computed from them off.

use std::convert::Infallible;

use asanoha_lang::{Analysed, Arg, Argument, Domain, Function, Kind, NodeId, Range, all};
use asanoha_numeric::number;
use num_rational::BigRational;
use num_traits::Signed;

use super::fitted::Fitted;

/// How steep a smooth function is at most on a range, widened by an error.
pub(super) fn steepest(function: &Function, on: &Range, error: f64) -> f64 {
    function.smooth().map_or(f64::INFINITY, |smooth| smooth.steepest(widened(on, error)))
}

/// The operation that a value is of.
pub(super) fn node<V>(a: Arg<'_, V>) -> NodeId {
    a.node.expect("operations are of operations")
}

/// The values of an argument.
pub(super) fn range<V>(analysed: &Analysed<'_>, of: Argument<'_, V>) -> Range {
    match of {
        Argument::Value(a) => analysed.range(node(a)).clone(),
        Argument::Constant(constant) => Range::whole(constant, constant).expect("one number"),
    }
}

/// Half of the width of an operation's range.
pub(super) fn half_width(analysed: &Analysed<'_>, id: NodeId) -> f64 {
    let (lo, hi) = analysed.range(id).to_f64();
    (hi - lo) / 2.0
}

/// A range as doubles, widened by an error.
fn widened(range: &Range, error: f64) -> (f64, f64) {
    let (lo, hi) = range.to_f64();
    (lo - error, hi + error)
}

/// a·b, where 0 times anything is 0.
pub(super) fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// a^exponent, by the same products on every machine.
pub(super) fn power(a: f64, exponent: u32) -> f64 {
    match exponent {
        0 => 1.0,
        1 => a,
        _ => {
            let half = power(a, exponent / 2);
            half * half * if exponent % 2 == 1 { a } else { 1.0 }
        }
    }
}

/// For every node of a program, a bound on the error that approximated functions give it, when the polynomial of
/// every such function, in the program's order, is off by at most 2^fit_bits on the range of its operand, widened by
/// the operand's own error.
pub(super) fn approximation_errors(analysed: &Analysed<'_>, fitted: &Fitted, fit_bits: &[i32]) -> Vec<f64> {
    let fits = fit_bits.iter().map(|&bits| number::times_power_of_two(1.0, bits.into()));
    values(analysed, &mut Errors { analysed, fitted, fits })
}

pub(super) fn values<D: Domain<Error = Infallible>>(
    analysed: &Analysed<'_>,
    domain: &mut D,
) -> Vec<D::Value> {
    match all(analysed.program(), domain) {
        Ok(values) => values,
        Err((_, never)) => match never {},
    }
}

/// Errors of approximations.
struct Errors<'a, F> {
    analysed: &'a Analysed<'a>,
    fitted: &'a Fitted,
    /// Those of the polynomials that follow.
    fits: F,
}

/// The error of a product of values up to bounds.
fn product((a, a_bound): (f64, f64), (b, b_bound): (f64, f64)) -> f64 {
    times(a_bound, b) + times(b_bound, a) + times(a, b)
}

impl<F> Errors<'_, F> {
    fn largest(&self, a: Arg<'_, f64>) -> f64 {
        self.analysed.range(node(a)).max_abs_f64()
    }
}

impl<F: Iterator<Item = f64>> Domain for Errors<'_, F> {
    type Value = f64;
    type Error = Infallible;

    fn input(&mut self, _: NodeId, _: &str) -> Result<f64, Infallible> {
        Ok(0.0)
    }

    fn add(&mut self, _: NodeId, a: Arg<'_, f64>, b: Arg<'_, f64>) -> Result<f64, Infallible> {
        Ok(a.value + b.value)
    }

    fn sub(&mut self, at: NodeId, a: Arg<'_, f64>, b: Arg<'_, f64>) -> Result<f64, Infallible> {
        self.add(at, a, b)
    }

    fn neg(&mut self, _: NodeId, a: Arg<'_, f64>) -> Result<f64, Infallible> {
        Ok(*a.value)
    }

    fn mul(&mut self, _: NodeId, a: Arg<'_, f64>, b: Arg<'_, f64>) -> Result<f64, Infallible> {
        Ok(product((*a.value, self.largest(a)), (*b.value, self.largest(b))))
    }

    fn scale(&mut self, _: NodeId, a: Arg<'_, f64>, k: &BigRational) -> Result<f64, Infallible> {
        Ok(times(number::to_f64(&k.abs()), *a.value))
    }

    fn offset(&mut self, _: NodeId, a: Arg<'_, f64>, _: &BigRational) -> Result<f64, Infallible> {
        Ok(*a.value)
    }

    fn power(&mut self, _: NodeId, a: Arg<'_, f64>, exponent: u32) -> Result<f64, Infallible> {
        Ok(times(f64::from(exponent) * a.value, power(self.largest(a) + a.value, exponent - 1)))
    }

    fn sum(&mut self, _: NodeId, a: Arg<'_, f64>) -> Result<f64, Infallible> {
        Ok(times(self.analysed.rows() as f64, *a.value))
    }

    fn mean(&mut self, _: NodeId, a: Arg<'_, f64>) -> Result<f64, Infallible> {
        Ok(*a.value)
    }

    /// The deviation of x + δ is at most that of x, which is half the range at most, and that of δ.
    fn var(&mut self, _: NodeId, a: Arg<'_, f64>) -> Result<f64, Infallible> {
        Ok(times(2.0 * half_width(self.analysed, node(a)) + a.value, *a.value))
    }

    fn cov(&mut self, _: NodeId, a: Arg<'_, f64>, b: Arg<'_, f64>) -> Result<f64, Infallible> {
        let of = |a: Arg<'_, f64>| (*a.value, half_width(self.analysed, node(a)));
        Ok(product(of(a), of(b)))
    }

    fn dot(&mut self, at: NodeId, a: Arg<'_, f64>, b: Arg<'_, f64>) -> Result<f64, Infallible> {
        let product = self.mul(at, a, b)?;
        self.sum(at, (&product).into())
    }

    fn assume(&mut self, _: NodeId, a: Arg<'_, f64>, _: [&BigRational; 2]) -> Result<f64, Infallible> {
        Ok(*a.value)
    }

    fn quantile(&mut self, _: NodeId, a: Arg<'_, f64>, _: &BigRational) -> Result<f64, Infallible> {
        Ok(*a.value)
    }

    fn function(
        &mut self,
        at: NodeId,
        function: &Function,
        of: &[Argument<'_, f64>],
    ) -> Result<f64, Infallible> {
        let (analysed, Fitted { gaps, tables }) = (self.analysed, self.fitted);
        let is_fitted = analysed.program().node(at).is_fitted();
        let fit = if is_fitted { self.fits.next().unwrap_or(f64::INFINITY) } else { 0.0 };
        let error = |at: usize| of[at].value().copied().unwrap_or(0.0);
        let largest = (0..of.len()).map(error).fold(0.0, f64::max);
        Ok(match function.kind() {
            // Half of the gap is left to the operands' errors.
            _ if let Some(gap) = &gaps[at.0] => {
                let is_told = error(0) + error(1) <= gap.apart / 2.0;
                // A remainder has the dividend in it.
                let beside = if function.is_remainder() { error(0) } else { 0.0 };
                fit + if is_told { beside } else { f64::INFINITY }
            }
            _ if let Some(table) = &tables[at.0] => {
                let of_node = |id| {
                    let place = of.iter().position(|argument| argument.node() == Some(id));
                    place.map_or(0.0, error)
                };
                let off = table.off(of_node);
                match table.is_line() {
                    true => times(table.rise(), off),
                    // Half of the margin is left to the noise.
                    false if off <= table.margin(fit) / 2.0 => fit,
                    false => f64::INFINITY,
                }
            }
            Kind::Smooth => times(steepest(function, &range(analysed, of[0]), error(0)), error(0)) + fit,
            Kind::Choice => {
                let bound = range(analysed, of[1]).sub(&range(analysed, of[2]));
                let difference = bound.max_abs_f64() + error(1) + error(2);
                error(1).max(error(2)) + times(error(0), difference)
            }
            _ if function.is_by_sign() => largest + fit,
            _ => 0.0,
        })
    }
}
