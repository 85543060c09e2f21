//! How far approximated functions put everything that is computed from them off, and how near their polynomials must
//! come.

use num_traits::Signed;

use super::{Fitted, sign::operand_range};
use crate::program::{Analysed, Function, Kind, Node, Operand, Range, number};

/// The part of an output's tolerance that approximations may take.
const SHARE: f64 = 0.25;
/// The part of an error that a distance may have which its operands' noise may take.
const NOISE_SHARE: f64 = 1.0 / 16.0;
/// More bits than a polynomial in double precision can come near its function.
const MOST_BITS: i64 = 64;

/// How steep a smooth function is at most on the range of its operand, widened by an error.
fn steepest(function: &Function, operands: &[Operand], ranges: &[Range], error: f64) -> f64 {
    let on = widened(&operand_range(operands[0], ranges), error);
    function.smooth().map_or(f64::INFINITY, |smooth| smooth.steepest(on))
}

/// A range as doubles, widened by an error.
fn widened(range: &Range, error: f64) -> (f64, f64) {
    let (lo, hi) = range.to_f64();
    (lo - error, hi + error)
}

/// a·b, where 0 times anything is 0.
fn times(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// a^exponent, by the same products on every machine.
fn power(a: f64, exponent: u32) -> f64 {
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
pub(crate) fn approximation_errors(analysed: &Analysed<'_>, fitted: &Fitted, fit_bits: &[i32]) -> Vec<f64> {
    let (program, ranges, rows) = (analysed.program(), analysed.ranges(), analysed.rows());
    let mut fits = fit_bits.iter().map(|&bits| number::times_power_of_two(1.0, bits.into()));
    let mut errors: Vec<f64> = Vec::with_capacity(ranges.len());
    for (id, node) in program.iter() {
        let fit = if node.is_fitted() { fits.next().unwrap_or(f64::INFINITY) } else { 0.0 };
        let of = |id: &crate::program::NodeId| (errors[id.0], ranges[id.0].max_abs_f64());
        let product = |(a, a_bound): (f64, f64), (b, b_bound): (f64, f64)| {
            times(a_bound, b) + times(b_bound, a) + times(a, b)
        };
        let deviation = |id: &crate::program::NodeId, error: f64| {
            let (lo, hi) = ranges[id.0].to_f64();
            (error, (hi - lo) / 2.0)
        };
        let error = match node {
            Node::Input(_) => 0.0,
            Node::Function(function, operands) => {
                let error = |at: usize| operands[at].node().map_or(0.0, |id| errors[id.0]);
                let largest = (0..operands.len()).map(error).fold(0.0, f64::max);
                match function.kind() {
                    // Half of the gap is left to the operands' errors.
                    _ if let Some(gap) = &fitted.gaps[id.0] => {
                        let is_told = error(0) + error(1) <= gap.apart / 2.0;
                        // A remainder has the dividend in it.
                        let beside = if function.is_remainder() { error(0) } else { 0.0 };
                        fit + if is_told { beside } else { f64::INFINITY }
                    }
                    _ if let Some(table) = &fitted.tables[id.0] => {
                        let off = table.off(|id| errors[id.0]);
                        match table.is_line() {
                            true => times(table.rise(), off),
                            // Half of the margin is left to the noise.
                            false if off <= table.margin(fit) / 2.0 => fit,
                            false => f64::INFINITY,
                        }
                    }
                    Kind::Smooth => times(steepest(function, operands, ranges, error(0)), error(0)) + fit,
                    Kind::Choice => {
                        let bound =
                            operand_range(operands[1], ranges).sub(&operand_range(operands[2], ranges));
                        let difference = bound.max_abs_f64() + error(1) + error(2);
                        error(1).max(error(2)) + times(error(0), difference)
                    }
                    _ if function.is_by_sign() => largest + fit,
                    _ => 0.0,
                }
            }
            Node::Add(a, b) | Node::Sub(a, b) => of(a).0 + of(b).0,
            Node::Neg(a)
            | Node::Offset(a, _)
            | Node::Mean(a)
            | Node::Assume(a, ..)
            | Node::Quantile(a, _) => of(a).0,
            Node::Mul(a, b) => product(of(a), of(b)),
            Node::Scale(a, k) => times(number::to_f64(&k.abs()), of(a).0),
            Node::Power(a, exponent) => {
                let (error, bound) = of(a);
                times(f64::from(*exponent) * error, power(bound + error, exponent - 1))
            }
            Node::Sum(a) => times(rows as f64, of(a).0),
            // The deviation of x + δ is at most that of x, which is half the range at most, and that of δ.
            Node::Var(a) => {
                let (lo, hi) = ranges[a.0].to_f64();
                times(hi - lo + of(a).0, of(a).0)
            }
            Node::Cov(a, b) => product(deviation(a, of(a).0), deviation(b, of(b).0)),
            Node::Dot(a, b) => times(rows as f64, product(of(a), of(b))),
        };
        errors.push(error);
    }
    errors
}

/// For every node, how much an output moves at most where the node moves by little.
fn sensitivities(analysed: &Analysed<'_>, fitted: &Fitted, output: usize) -> Vec<f64> {
    let (program, ranges, rows) = (analysed.program(), analysed.ranges(), analysed.rows());
    let mut slopes = vec![0.0; ranges.len()];
    slopes[output] = 1.0;
    for (id, node) in program.iter().collect::<Vec<_>>().into_iter().rev() {
        let slope = slopes[id.0];
        if slope == 0.0 {
            continue;
        }
        let bound = |id: &crate::program::NodeId| ranges[id.0].max_abs_f64();
        let mut add = |id: &crate::program::NodeId, by: f64| slopes[id.0] += times(slope, by);
        match node {
            Node::Input(_) => {}
            Node::Function(function, operands) => {
                let by = |at: usize| match function.kind() {
                    _ if let Some(table) = &fitted.tables[id.0] => match operands[at].node() {
                        Some(id) if table.is_line() => times(table.rise(), table.stride(id)),
                        _ => 0.0,
                    },
                    Kind::Smooth => steepest(function, operands, ranges, 0.0),
                    Kind::Choice if at == 0 => operand_range(operands[1], ranges)
                        .sub(&operand_range(operands[2], ranges))
                        .max_abs_f64(),
                    // Comparisons are flat outside of their gaps.
                    _ if fitted.gaps[id.0].is_some() && !function.is_remainder() => 0.0,
                    _ => 1.0,
                };
                for (at, operand) in operands.iter().enumerate() {
                    operand.node().iter().for_each(|id| add(id, by(at)));
                }
            }
            Node::Add(a, b) | Node::Sub(a, b) => {
                add(a, 1.0);
                add(b, 1.0);
            }
            Node::Neg(a)
            | Node::Offset(a, _)
            | Node::Mean(a)
            | Node::Assume(a, ..)
            | Node::Quantile(a, _) => {
                add(a, 1.0);
            }
            Node::Mul(a, b) => {
                add(a, bound(b));
                add(b, bound(a));
            }
            Node::Scale(a, k) => add(a, number::to_f64(&k.abs())),
            Node::Power(a, exponent) => {
                add(a, f64::from(*exponent) * power(bound(a), exponent - 1));
            }
            Node::Sum(a) => add(a, rows as f64),
            Node::Var(a) => {
                let (lo, hi) = ranges[a.0].to_f64();
                add(a, hi - lo);
            }
            Node::Cov(a, b) => {
                let deviation = |id: &crate::program::NodeId| {
                    let (lo, hi) = ranges[id.0].to_f64();
                    (hi - lo) / 2.0
                };
                add(a, deviation(b));
                add(b, deviation(a));
            }
            Node::Dot(a, b) => {
                add(a, rows as f64 * bound(b));
                add(b, rows as f64 * bound(a));
            }
        }
    }
    slopes
}

/// For every approximated function, in the program's order, log2 of how far its polynomial may be off so that
/// approximations take no more than their share of any output's tolerance.
pub(crate) fn fit_bits(analysed: &Analysed<'_>, fitted: &Fitted, tolerances: &[f64]) -> Vec<i32> {
    let (program, ranges) = (analysed.program(), analysed.ranges());
    let functions: Vec<usize> =
        program.iter().filter(|(_, node)| node.is_fitted()).map(|(id, _)| id.0).collect();
    if functions.is_empty() {
        return Vec::new();
    }
    let outputs = program.outputs().iter().map(|(_, id)| id.0).zip(tolerances.iter().copied());
    // What is compared may be off by half of the gap, both operands together.
    let compared = program
        .nodes()
        .iter()
        .zip(&fitted.gaps)
        .filter_map(|(node, gap)| Some((node, gap.as_ref()?.apart / 2.0)));
    let compared = compared.flat_map(|(node, off)| node.operands().map(move |id| (id.0, off)));
    let targets: Vec<(usize, f64)> = outputs.chain(compared).collect();

    let mut allowed = vec![f64::INFINITY; functions.len()];
    let narrow = |allowed: &mut [f64], (target, tolerance): (usize, f64)| {
        let slopes = sensitivities(analysed, fitted, target);
        let count = functions.iter().filter(|&&at| slopes[at] > 0.0).count();
        for (&at, allowed) in functions.iter().zip(allowed).filter(|(at, _)| slopes[**at] > 0.0) {
            *allowed = allowed.min(SHARE * tolerance / (count as f64 * slopes[at]));
        }
    };
    // Half a range says nothing of a function; far below double precision, a fit is refused anyhow.
    let bits = |at: usize, allowed: f64| {
        let largest = ranges[at].log2_bound().unwrap_or(0) - 1;
        (allowed.log2().floor() as i64).clamp(largest - MOST_BITS, largest) as i32
    };
    targets.iter().for_each(|&target| narrow(&mut allowed, target));
    // The noise of what an extreme or an absolute value is of is within the margin of its sign, and what a table is of is near
    // whole numbers; what comes later is known.
    for (place, &at) in functions.iter().enumerate().rev() {
        let node = &program.nodes()[at];
        if node.is_approximate() || fitted.gaps[at].is_some() {
            continue;
        }
        let error = number::times_power_of_two(1.0, bits(at, allowed[place]).into());
        for id in node.operands() {
            let margin = match &fitted.tables[at] {
                Some(table) if table.is_line() => continue,
                Some(table) => table.margin(error) / 4.0 / table.stride(id),
                None => NOISE_SHARE * error,
            };
            narrow(&mut allowed, (id.0, margin));
        }
    }
    let mut fits: Vec<i32> =
        functions.iter().zip(&allowed).map(|(&at, &allowed)| bits(at, allowed)).collect();
    let fits_well = |fits: &[i32]| {
        let errors = approximation_errors(analysed, fitted, fits);
        targets.iter().all(|&(target, tolerance)| errors[target] <= 2.0 * SHARE * tolerance)
    };
    // The slopes are those of small errors.
    for _ in 0..MOST_BITS {
        if fits_well(&fits) {
            break;
        }
        fits.iter_mut().for_each(|bits| *bits -= 1);
    }
    fits
}
