//! Results compared with the plain computation, with the precision that was asked, and with their own errors.

use serde::Serialize;

use crate::{
    data::Table,
    execute::{Decrypted, ExecuteError, largest},
    plan::Plan,
    precision::{PLAIN, Precision},
    program::{Outputs, Shape, Values, ranges},
};

/// The largest errors of the outputs that are computed encrypted, to a precision relative to their ranges.
fn tolerances(plan: &Plan, precision: Precision) -> Vec<f64> {
    let ranges = ranges(&plan.program, &plan.schema).unwrap_or_default();
    let outputs = plan.program.shown_outputs().iter();
    outputs.map(|(_, id)| ranges.get(id.0).map_or(0.0, |range| precision.tolerance(range))).collect()
}

/// Whether every result is as near as the plan's precision asks, which a result that's published may not be.
pub fn within_precision(plan: &Plan, decrypted: &Decrypted) -> bool {
    let errors = decrypted.error_bounds.iter().flatten();
    errors.zip(tolerances(plan, plan.precision)).all(|(error, tolerance)| *error <= tolerance)
}

/// The error bound of each output; 0 if it's exact, or as good as.
pub fn error_bounds(plan: &Plan, decrypted: &Decrypted) -> Vec<f64> {
    let (Some(errors), Some(planned)) = (&decrypted.error_bounds, plan.output_errors()) else {
        return vec![0.0; decrypted.outputs.len()];
    };
    let shown = plan.program.shown_outputs().len();
    // What's finished and constants aren't planned.
    let planned = planned.into_iter().take(shown).chain(std::iter::repeat(0.0));
    let stated = |((planned, &error), (_, values)): ((f64, &f64), &(String, Values<f64>))| {
        // What was rounded to a whole multiple of a fraction is exact but for what doubles round.
        if error <= f64::EPSILON * largest(values.as_slice()) { 0.0 } else { planned.max(error) }
    };
    planned.zip(errors).zip(&decrypted.outputs).map(stated).collect()
}

/// A result whose error is larger than promised.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// The output.
    pub output: String,
    /// The first such row, counted from 1; `None` for an output that is one number.
    pub row: Option<usize>,
    /// How far it's off.
    pub error: f64,
    /// How far it may be.
    pub allowed: f64,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { output, row, error, allowed } = self;
        write!(f, "output `{output}`")?;
        if let Some(row) = row {
            write!(f, ", row {row},")?;
        }
        write!(f, " is off by {error:.3e}, and {allowed:.3e} is allowed")
    }
}

/// The part of an output's largest value that an error bound may be where it exceeds a value: a 0 among larger values is a 0.
const SMALL_BESIDE_LARGEST: f64 = 1.0 / 1024.0;

/// Returns true if an error bound leaves nothing of a value: it exceeds the value, and isn't small beside the output's largest one.
pub(super) fn is_unknown(value: f64, bound: f64, largest: f64) -> bool {
    bound > value.abs() && bound > SMALL_BESIDE_LARGEST * largest
}

/// An output whose error bound leaves little of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// The output.
    pub output: String,
    /// Its error bound.
    pub bound: f64,
    /// The largest magnitude of its values.
    pub largest: f64,
}

impl Lost {
    /// The output with the smallest values of those that are lost in their errors. Values that are all 0 may be, and where an
    /// absolute error was asked, that's what the reader expects.
    ///
    /// `is_lost` tells it by the number of [unknown](is_unknown) values and the number of all.
    fn find(
        values: &Outputs<f64>,
        bounds: &[f64],
        precision: Precision,
        is_lost: fn(usize, usize) -> bool,
    ) -> Option<Self> {
        let Precision::Relative { .. } = precision else { return None };
        let lost = values.iter().zip(bounds).filter_map(|((output, values), &bound)| {
            let (values, largest) = (values.as_slice(), largest(values.as_slice()));
            let unknown = values.iter().filter(|&&value| is_unknown(value, bound, largest)).count();
            (largest > 0.0 && is_lost(unknown, values.len())).then(|| Self {
                output: output.clone(),
                bound,
                largest,
            })
        });
        lost.min_by(|a, b| a.largest.total_cmp(&b.largest))
    }
}

/// Returns true if all values are unknown, so that none is left to a reader.
fn all(unknown: usize, values: usize) -> bool {
    unknown == values
}

/// Returns true if too many values are unknown for a check against right ones.
fn more_than_a_tenth(unknown: usize, values: usize) -> bool {
    10 * unknown > values
}

/// The output whose decrypted values can't be told from 0, if there is one.
pub fn indistinct(plan: &Plan, decrypted: &Decrypted) -> Option<Lost> {
    Lost::find(&decrypted.outputs, &error_bounds(plan, decrypted), plan.precision, all)
}

/// As [`error_bounds`] and [`indistinct`], of results that were merged ([`crate::execute::Merging`]).
pub fn merged_bounds(plan: &Plan, merged: &Decrypted) -> (Vec<f64>, Option<Lost>) {
    let errors = merged.error_bounds.iter().flatten();
    let stated = |(&error, (_, values)): (&f64, &(String, Values<f64>))| {
        if error <= f64::EPSILON * largest(values.as_slice()) { 0.0 } else { error }
    };
    let mut bounds: Vec<f64> = errors.zip(&merged.outputs).map(stated).collect();
    bounds.resize(merged.outputs.len(), 0.0);
    let lost = Lost::find(&merged.outputs, &bounds, plan.precision, all);
    (bounds, lost)
}

/// The comparison of results with the plain computation.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Whether every value is exactly right.
    pub exact: bool,
    /// Whether every error bound is as small as asked: at most 2^−bits of the median magnitude of its output, or the absolute
    /// error.
    pub within_precision: bool,
    /// The largest difference.
    pub max_abs_error: f64,
    /// The largest difference divided by the magnitude of the right value, over values other than 0.
    pub max_rel_error: f64,
    /// The first value whose error is larger than its stated bound.
    #[serde(skip)]
    pub broken: Option<Broken>,
    /// The output that can't be told from 0.
    #[serde(skip)]
    pub lost: Option<Lost>,
}

impl Check {
    const EXACT: Self = Self {
        exact: true,
        within_precision: true,
        max_abs_error: 0.0,
        max_rel_error: 0.0,
        broken: None,
        lost: None,
    };

    /// Compares exact results with exact values, and others to their stated bounds, row by row.
    pub fn new(
        plan: &Plan,
        table: &Table,
        decrypted: &Decrypted,
        precision: Precision,
    ) -> Result<Self, ExecuteError> {
        let exact = match &decrypted.exact {
            Some(found) => Some(plan.evaluate_exact(table)?.as_ref() == Some(found)),
            None => None,
        };
        if exact == Some(true) {
            return Ok(Self::EXACT);
        }
        let expected = plan.evaluate_real(table)?;
        if exact.is_some() {
            // Doubles may agree where exact values don't.
            return Ok(Self::approximate(&expected, &decrypted.outputs, &vec![-1.0; expected.len()]));
        }
        let bounds = error_bounds(plan, decrypted);
        let rounding = tolerances(plan, PLAIN);
        let rounding = rounding.into_iter().chain(std::iter::repeat(0.0));
        // Results of columns less a constant may be nearer than doubles are to each other.
        let rounding = rounding
            .zip(&decrypted.outputs)
            .map(|(rounding, (_, values))| rounding + f64::EPSILON * largest(values.as_slice()));
        let stated = decrypted.error_bounds.iter().flatten();
        let allowed: Vec<f64> =
            stated.zip(&bounds).zip(rounding).map(|((a, b), more)| a.max(*b) + more).collect();
        let mut check = Self::approximate(&expected, &decrypted.outputs, &allowed);
        check.within_precision = bounds.iter().zip(&expected).all(|(&bound, (_, values))| match precision {
            Precision::Relative { bits } => {
                bound.is_nan() || bound <= (-f64::from(bits)).exp2() * median_magnitude(values.as_slice())
            }
            Precision::Absolute { error } => bound.is_nan() || bound <= error,
        });
        check.lost = Lost::find(&expected, &bounds, precision, more_than_a_tenth);
        Ok(check)
    }

    fn approximate(expected: &Outputs<f64>, found: &Outputs<f64>, bounds: &[f64]) -> Self {
        let mut check = Self { exact: false, within_precision: false, ..Self::EXACT };
        for (((name, expected), (_, found)), &allowed) in expected.iter().zip(found).zip(bounds) {
            let column = expected.shape() == Shape::Column;
            // Where the error leaves no result, none is promised; what's exact is there or it isn't.
            let (is_due, is_there) = (!expected.as_slice().is_empty(), !found.as_slice().is_empty());
            if check.broken.is_none() && is_due != is_there && (is_there || allowed < 0.0) {
                let (output, error) = (name.clone(), f64::INFINITY);
                check.broken = Some(Broken { output, row: None, error, allowed: 0.0 });
            }
            for (row, (expected, found)) in expected.as_slice().iter().zip(found.as_slice()).enumerate() {
                let error = (found - expected).abs();
                // NaN counts as an infinite error.
                let error = if error.is_nan() { f64::INFINITY } else { error };
                check.max_abs_error = check.max_abs_error.max(error);
                if *expected != 0.0 {
                    check.max_rel_error = check.max_rel_error.max(error / expected.abs());
                }
                if check.broken.is_none() && error > allowed {
                    let (output, row) = (name.clone(), column.then_some(row + 1));
                    check.broken = Some(Broken { output, row, error, allowed: allowed.max(0.0) });
                }
            }
        }
        check
    }
}

/// Bounds outside of these are shown in powers of ten.
const PLAIN_BOUNDS: std::ops::Range<f64> = 1e-3..1e6;

/// A bound in two digits, rounded up.
pub fn bound_text(bound: f64) -> String {
    if !bound.is_finite() {
        return bound.to_string();
    }
    let power = 10f64.powf(bound.log10().floor() - 1.0);
    let shown = [0.0, 1.0, 2.0].map(|more| format!("{:.1e}", ((bound / power).floor() + more) * power));
    let shown = shown.into_iter().find_map(|text| text.parse().ok().filter(|shown: &f64| *shown >= bound));
    let shown = shown.unwrap_or(bound);
    if PLAIN_BOUNDS.contains(&shown) { shown.to_string() } else { format!("{shown:e}") }
}

/// The median of the magnitudes of some values, the lower of two; 0 of none.
fn median_magnitude(values: &[f64]) -> f64 {
    let mut magnitudes: Vec<f64> = values.iter().copied().map(f64::abs).collect();
    if magnitudes.is_empty() {
        return 0.0;
    }
    let middle = (magnitudes.len() - 1) / 2;
    *magnitudes.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::{Broken, Check, Lost, bound_text, more_than_a_tenth};
    use crate::{precision::Precision, program::Values};

    fn check(found: f64, bound: f64) -> Check {
        let outputs = |value| vec![("y".to_owned(), Values::Column(vec![2.0, value]))];
        Check::approximate(&outputs(4.0), &outputs(found), &[bound])
    }

    #[test]
    fn an_output_is_lost_if_its_bound_exceeds_more_than_a_tenth_of_its_values_and_isnt_small_beside_the_largest()
     {
        let lost = |values: &[f64], bound: f64| {
            let outputs = vec![("y".to_owned(), Values::Column(values.to_vec()))];
            Lost::find(&outputs, &[bound], Precision::Relative { bits: 20 }, more_than_a_tenth).is_some()
        };
        assert!(lost(&[5.25, 0.25, -61.75], 62.0));
        assert!(lost(&[5.25, 0.25, -61.75], 0.3) && !lost(&[5.25, 0.25, -61.75], 0.2));
        // One of ten, and a bound that is small beside the largest.
        let nine = |small: f64| [[small].as_slice(), &[7.5; 9]].concat();
        assert!(!lost(&nine(0.1), 0.5) && lost(&nine(0.1)[..9], 0.5));
        assert!(!lost(&[0.0, 0.001, 20.0], 0.015) && lost(&[0.0, 0.001, 20.0], 0.021));
        assert!(!lost(&[0.0, 0.0], 1.0) && !lost(&[], 1.0) && !lost(&[1.0], f64::NAN));
        let outputs = vec![("y".to_owned(), Values::Number(0.25))];
        assert_eq!(Lost::find(&outputs, &[0.5], Precision::Absolute { error: 0.5 }, more_than_a_tenth), None);
    }

    #[test]
    fn errors_within_the_bound_pass_and_others_do_not() {
        let within = check(4.5, 0.5);
        assert!(within.broken.is_none());
        assert_eq!((within.max_abs_error, within.max_rel_error), (0.5, 0.125));
        let broken = Broken { output: "y".to_owned(), row: Some(2), error: 0.5, allowed: 0.25 };
        assert_eq!(check(4.5, 0.25).broken, Some(broken.clone()));
        assert_eq!(broken.to_string(), "output `y`, row 2, is off by 5.000e-1, and 2.500e-1 is allowed");
        assert!(check(f64::NAN, 0.25).broken.is_some());
        assert!(check(4.0, 0.0).broken.is_none());
    }

    #[test]
    fn what_should_be_exact_has_no_tolerance() {
        assert!(check(4.0 + 1e-15, -1.0).broken.is_some());
        assert!(check(4.0, -1.0).broken.is_some());
    }

    #[test]
    fn only_what_an_error_hides_may_be_missing() {
        let there = vec![("y".to_owned(), Values::Number(2.0))];
        let missing = vec![("y".to_owned(), Values::Missing("why".into()))];
        let broken = |expected, found, bound| Check::approximate(expected, found, &[bound]).broken.is_some();
        assert!(!broken(&missing, &missing, f64::NAN) && !broken(&missing, &missing, -1.0));
        assert!(!broken(&there, &missing, f64::NAN));
        assert!(broken(&there, &missing, -1.0) && broken(&missing, &there, 0.5));
    }

    #[test]
    fn bounds_are_shown_in_two_digits_and_never_smaller_than_they_are() {
        for (bound, shown) in [
            (1.3e-7, "1.3e-7"),
            (1.31e-7, "1.4e-7"),
            (9.99e-7, "1e-6"),
            (0.012_01, "0.013"),
            (1260.1, "1300"),
            (4.0, "4"),
            (1e6, "1e6"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(bound_text(bound), shown);
        }
        for step in 1..2000 {
            let bound = 1.017f64.powi(step) * 1e-7;
            let shown: f64 = bound_text(bound).parse().unwrap();
            assert!(bound <= shown && shown <= 1.12 * bound, "{bound} {shown}");
        }
    }
}
