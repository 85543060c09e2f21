//! The precision that can be had where the one that's asked for can't.

use super::{generate::generate_real, options::PlanOptions};
use crate::{data::Schema, precision::Precision, program::Program};
use asanoha_backends::{GenerateError, Listed, SearchProgress};
use web_time::{Duration, Instant};

/// The most bits that an absolute error is widened by.
const MOST_BITS: u32 = 40;
/// No further search begins after so long.
const LONGEST: Duration = Duration::from_secs(5);

/// Tells, where an approximate back-end is too imprecise for what is asked, what it can do.
pub(super) fn tell_reachable(
    backend: Listed,
    reason: &mut GenerateError,
    program: &Program,
    schema: &Schema,
    options: &PlanOptions,
    progress: &SearchProgress,
) {
    // A plan for fewer rows has a precision for each of their numbers.
    if !reason.is_of_precision() || options.fewer_rows {
        return;
    }
    if let Some(reachable) = reachable(backend, program, schema, options, progress) {
        *reason = GenerateError::Imprecise { reason: Box::new(reason.clone()), reachable };
    }
}

/// The most precise results that a back-end can have, less precise than those that are asked for.
fn reachable(
    backend: Listed,
    program: &Program,
    schema: &Schema,
    options: &PlanOptions,
    progress: &SearchProgress,
) -> Option<Precision> {
    let start = Instant::now();
    let with_less = |bits: u32| {
        let precision = options.precision.widened(bits)?;
        generate_real(backend, program, schema, &PlanOptions { precision, ..*options }, progress)
            .ok()
            .map(|_| precision)
    };
    let most = match options.precision {
        Precision::Relative { bits } => bits.saturating_sub(1),
        Precision::Absolute { .. } => MOST_BITS,
    };
    let (mut enough, mut best) = (most, with_less(most)?);
    let mut too_few = 0;
    while enough - too_few > 1 && start.elapsed() < LONGEST {
        let middle = u32::midpoint(too_few, enough);
        match with_less(middle) {
            Some(precision) => (enough, best) = (middle, precision),
            None => too_few = middle,
        }
    }
    Some(best)
}
