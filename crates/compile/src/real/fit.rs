//! How near the polynomials of approximated functions must come.

use super::{
    errors::approximation_errors,
    fitted::Fitted,
    slopes::{sensitivities, slopes},
};
use asanoha_lang::Analysed;
use asanoha_numeric::number;

/// The part of an output's tolerance that approximations may take.
const SHARE: f64 = 0.25;
/// The part of an error that a distance may have which its operands' noise may take.
const NOISE_SHARE: f64 = 1.0 / 16.0;
/// More bits than a polynomial in double precision can come near its function.
const MOST_BITS: i64 = 64;

/// For every approximated function, in the program's order, log2 of how far its polynomial may be off so that
/// approximations take no more than their share of any output's tolerance.
pub fn fit_bits(analysed: &Analysed<'_>, fitted: &Fitted, tolerances: &[f64]) -> Vec<i32> {
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

    let slopes = slopes(analysed, fitted);
    let mut allowed = vec![f64::INFINITY; functions.len()];
    let narrow = |allowed: &mut [f64], (target, tolerance): (usize, f64)| {
        let slopes = sensitivities(&slopes, target);
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
