//! How large the errors of approximate results are beside the results.

use num_traits::{Signed, Zero};

use super::Plan;
use crate::{
    data::Table,
    precision::Precision,
    program::{Range, number, ranges},
};

/// By how many bits the precision of a plan has to grow for every error to be at most 2^−bits of its output: of the median
/// magnitude that the plain computation gives on the data or, where there are none, of the smallest in the range. `None` where
/// that isn't known: of results that are finished after decryption, and where the median is 0.
pub(super) fn missing_bits(plan: &Plan, bits: u32, data: Option<&Table>) -> Option<u32> {
    let Some(errors) = plan.planned_errors() else { return Some(0) };
    if !plan.program.finished().is_empty() {
        return None;
    }
    let ranges = ranges(&plan.program, &plan.schema).ok()?;
    let found = data.map(|table| plan.evaluate_real(table)).transpose().ok()?;
    let missing = plan.program.outputs().iter().zip(errors).enumerate().map(|(at, ((_, id), error))| {
        let range = &ranges[id.0];
        let magnitude = found
            .as_ref()
            .map_or_else(|| least_magnitude(range), |found| median_magnitude(found[at].1.as_slice()));
        let asked = magnitude * (-f64::from(bits)).exp2();
        if error <= asked {
            return Some(0);
        }
        // A plan's errors are at most the tolerance, and that is halved by a bit.
        let tolerance = Precision::Relative { bits }.tolerance(range);
        let missing = (tolerance / asked).log2().ceil();
        missing.is_finite().then_some(missing.max(1.0) as u32)
    });
    missing.reduce(|a, b| Some(a?.max(b?))).unwrap_or(Some(0))
}

/// The smallest magnitude in a range.
fn least_magnitude(range: &Range) -> f64 {
    if range.contains(&Zero::zero()) {
        return 0.0;
    }
    number::to_f64(&range.lo().abs().min(range.hi().abs()))
}

/// The median of the magnitudes of some values, the lower of two; 0 of none.
pub fn median_magnitude(values: &[f64]) -> f64 {
    let mut magnitudes: Vec<f64> = values.iter().copied().map(f64::abs).collect();
    if magnitudes.is_empty() {
        return 0.0;
    }
    let middle = (magnitudes.len() - 1) / 2;
    *magnitudes.select_nth_unstable_by(middle, f64::total_cmp).1
}
