//! The sign of a number, as a composition of polynomials.

use std::f64::consts::{FRAC_PI_2, PI};

use asanoha_scheme::capability::RealArithmetic;

use super::{ApproximationError, Chebyshev, evaluate};

/// The degrees that stages have, and the levels that [`evaluate`] takes for each, constants included. Higher ones spare levels,
/// and magnify noise by more than that is worth.
const DEGREES: [(usize, usize); 5] = [(3, 2), (5, 3), (13, 4), (29, 5), (55, 6)];
/// The most levels of a composition.
const MAX_LEVELS: usize = 40;
/// The most exchanges until a polynomial is as near to minimax as makes no difference.
const MAX_EXCHANGES: usize = 25;
/// Points of the grid on which errors are measured, for each coefficient.
const POINTS: usize = 20;
/// How near to minimax polynomials are, relative to their error and to what it leaves of 1.
const LEVELLED: f64 = 1e-3;
/// What double precision loses of a polynomial's value.
const ROUNDING: f64 = 1e-14;

/// A composition of odd polynomials which is within an error of the sign of x for all x in \[−1, 1\] that are a gap or more
/// away from 0. Nearer to 0 it's between −1 and 1, but for the error: no polynomial jumps.
///
/// Every polynomial is minimax on ±\[g, 1\], where the one before it left the values: these approach ±1 stage by stage, as few
/// levels as possible in all. What disturbs the values between two stages, such as noise, is gone after the next as long as
/// it's within the margin that the next was fitted for.
///
/// Cheon, Kim, Kim, "Efficient homomorphic comparison methods with optimal complexity" (ASIACRYPT 2020); Lee, Lee, No, Kim,
/// "Minimax approximation of sign function by composite polynomial for homomorphic comparison" (IEEE TDSC 2021).
///
/// ```
/// use asanoha_circuits::polynomial::Sign;
///
/// let sign = Sign::fit(0.01, 1e-6)?;
/// assert!((sign.value(0.01) - 1.0).abs() <= 1e-6 && (sign.value(-0.5) + 1.0).abs() <= 1e-6);
/// # Ok::<(), asanoha_circuits::polynomial::ApproximationError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sign {
    /// The polynomials, on \[−1, 1\], in the order of their evaluation. Values of all but the last stay within \[−1, 1\],
    /// margin included; those of the last may be beyond it by its error.
    pub stages: Vec<Chebyshev>,
    /// How far the value of each but the last may be disturbed.
    pub margins: Vec<f64>,
    /// A bound on the error.
    pub error: f64,
}

impl Sign {
    /// The composition of the fewest levels for a gap below 1 and an error, both above 0.
    ///
    /// # Errors
    /// [`ApproximationError::NoSign`] where there's none of at most 40 levels.
    pub fn fit(gap: f64, error: f64) -> Result<Self, ApproximationError> {
        let no_sign = ApproximationError::NoSign { gap, error };
        if !(gap > 0.0 && gap < 1.0 && error > 0.0) {
            return Err(no_sign);
        }
        // The widest gap that so many levels make, and how.
        let mut best: Vec<Option<Reached>> = vec![None; MAX_LEVELS + 1];
        best[0] = Some(Reached { gap, last: None });
        for levels in 1..=MAX_LEVELS {
            for (degree, taken) in DEGREES {
                let Some(before) = levels.checked_sub(taken) else { continue };
                let Some(Reached { gap, .. }) = best[before] else { continue };
                let (coefficients, off) = odd_minimax(gap, degree);
                if off <= error {
                    return Ok(Self::composed(&best, before, coefficients, off));
                }
                let margin = margin(off);
                let wider = (1.0 - off - margin) / (1.0 + off + margin);
                let is_better = best[levels].as_ref().is_none_or(|reached| reached.gap < wider);
                if wider > gap && is_better {
                    best[levels] = Some(Reached { gap: wider, last: Some((before, coefficients, off)) });
                }
            }
        }
        Err(no_sign)
    }

    /// The stages up to some levels, and a last one.
    fn composed(best: &[Option<Reached>], mut levels: usize, last: Vec<f64>, error: f64) -> Self {
        let stage = |coefficients, error| Chebyshev { coefficients, middle: 0.0, half: 1.0, error };
        let (mut stages, mut margins) = (vec![stage(last, error)], Vec::new());
        while let Some(Reached { last: Some((before, coefficients, off)), .. }) = &best[levels] {
            let margin = margin(*off);
            let largest = 1.0 + off + margin;
            let scaled = coefficients.iter().map(|c| c / largest).collect();
            stages.push(stage(scaled, off / largest));
            margins.push(margin / largest);
            levels = *before;
        }
        stages.reverse();
        margins.reverse();
        Self { stages, margins, error }
    }

    /// The value at x in \[−1, 1\].
    pub fn value(&self, x: f64) -> f64 {
        self.stages.iter().fold(x, |x, stage| stage.value(x))
    }

    /// The value on encrypted or other numbers in \[−1, 1\].
    ///
    /// # Errors
    /// Those of [`evaluate`]: the bound on x must be at most 1.
    pub fn evaluate<A: RealArithmetic>(&self, arithmetic: &A, x: &A::Value) -> Result<A::Value, A::Error> {
        let (last, stages) = self.stages.split_last().expect("there's a stage");
        // Stages are scaled so that they map [−1, 1] into itself, which the sum of their terms' bounds doesn't show.
        let within = stages
            .iter()
            .try_fold(x.clone(), |x, stage| arithmetic.bounded(evaluate(arithmetic, stage, &x)?, 1.0))?;
        evaluate(arithmetic, last, &within)
    }
}

/// How far some levels bring values from 0, by which last stage.
#[derive(Clone)]
struct Reached {
    gap: f64,
    /// The levels before it, its coefficients, and its error.
    last: Option<(usize, Vec<f64>, f64)>,
}

/// How far values of ±\[1 − error, 1 + error\] may be disturbed: little beside what is between them and 0.
fn margin(error: f64) -> f64 {
    ((1.0 - error) / 4.0).min(1.0 / 1024.0)
}

/// T₁(x), T₃(x), …, so many.
fn odd_chebyshev(x: f64, count: usize) -> Vec<f64> {
    // T_{k+2} = 2·T₂·T_k − T_{|k−2|}.
    let twice = 2.0 * (2.0 * x * x - 1.0);
    let (mut before, mut current) = (x, x);
    (0..count)
        .map(|_| {
            let value = current;
            (before, current) = (current, twice * current - before);
            value
        })
        .collect()
}

/// The Chebyshev coefficients of the odd polynomial of a degree that is nearest to 1 on \[gap, 1\], and its largest error
/// there: Remez's algorithm. Where double precision ends, the error is what was measured.
fn odd_minimax(gap: f64, degree: usize) -> (Vec<f64>, f64) {
    let count = degree.div_ceil(2);
    let between = |at: f64| gap + (1.0 - gap) * at;
    let mut points: Vec<f64> = (0..=count)
        .map(|i| i as f64 / count as f64)
        // Near 0 an odd polynomial has no end of its own.
        .map(|at| {
            between(if gap < 0.3 { libm::sin(FRAC_PI_2 * at) } else { (1.0 - libm::cos(PI * at)) / 2.0 })
        })
        .collect();
    let steps = POINTS * (count + 1);
    let grid: Vec<(f64, Vec<f64>)> = (0..=steps)
        .map(|step| between((1.0 - libm::cos(PI * step as f64 / steps as f64)) / 2.0))
        .map(|x| (x, odd_chebyshev(x, count)))
        .collect();
    let mut best = (Vec::new(), f64::INFINITY);
    for _ in 0..MAX_EXCHANGES {
        let (coefficients, levelled) = levelled(&points, count);
        let error = |basis: &[f64]| 1.0 - basis.iter().zip(&coefficients).map(|(t, c)| t * c).sum::<f64>();
        let errors: Vec<f64> = grid.iter().map(|(_, basis)| error(basis)).collect();
        // The point of the grid with the largest error between any two of its zeros, and then the place beside it.
        let mut extrema: Vec<usize> = Vec::new();
        for (at, off) in errors.iter().enumerate() {
            match extrema.last_mut() {
                Some(other) if (errors[*other] < 0.0) == (*off < 0.0) => {
                    if off.abs() > errors[*other].abs() {
                        *other = at;
                    }
                }
                _ => extrema.push(at),
            }
        }
        let refined: Vec<(f64, f64)> = extrema
            .iter()
            .map(|&at| (grid[at.saturating_sub(1)].0, grid[(at + 1).min(steps)].0))
            .map(|beside| largest_between(beside, |x| error(&odd_chebyshev(x, count)).abs()))
            .collect();
        let largest = refined.iter().map(|(_, off)| *off).fold(0.0, f64::max);
        if largest.is_finite() && largest < best.1 {
            best = (coefficients, largest);
        }
        let near = LEVELLED * largest.min(1.0 - largest);
        if refined.len() != count + 1 || largest - levelled.abs() <= near {
            break;
        }
        points = refined.into_iter().map(|(x, _)| x).collect();
    }
    let (odd, error) = best;
    let coefficients = odd.into_iter().flat_map(|c| [0.0, c]).collect();
    (coefficients, error + LEVELLED * error.min(1.0 - error) + ROUNDING)
}

/// Where a function with one maximum between two ends is largest, and how large: by thirds.
fn largest_between((mut lo, mut hi): (f64, f64), f: impl Fn(f64) -> f64) -> (f64, f64) {
    let ends = [lo, hi];
    for _ in 0..40 {
        let (left, right) = (lo + (hi - lo) / 3.0, hi - (hi - lo) / 3.0);
        if f(left) < f(right) { lo = left } else { hi = right }
    }
    ends.into_iter()
        .chain([f64::midpoint(lo, hi)])
        .map(|x| (x, f(x)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .expect("there are three")
}

/// The coefficients of T₁, T₃, … and the e for which p(xᵢ) = 1 − (−1)^i·e at all points, one more than coefficients: Gaussian
/// elimination with pivots.
fn levelled(points: &[f64], count: usize) -> (Vec<f64>, f64) {
    let mut rows: Vec<Vec<f64>> = points
        .iter()
        .enumerate()
        .map(|(i, &x)| {
            let mut row = odd_chebyshev(x, count);
            row.extend([if i % 2 == 0 { 1.0 } else { -1.0 }, 1.0]);
            row
        })
        .collect();
    let size = rows.len();
    for k in 0..size {
        let pivot = (k..size).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()));
        rows.swap(k, pivot.expect("there are rows left"));
        let (above, below) = rows.split_at_mut(k + 1);
        let pivot = &above[k];
        for row in below {
            let factor = row[k] / pivot[k];
            row[k..].iter_mut().zip(&pivot[k..]).for_each(|(a, b)| *a -= factor * b);
        }
    }
    let mut solution = vec![0.0; size];
    for k in (0..size).rev() {
        let known: f64 = (k + 1..size).map(|j| rows[k][j] * solution[j]).sum();
        solution[k] = (rows[k][size] - known) / rows[k][k];
    }
    let error = solution.pop().expect("one more than coefficients");
    (solution, error)
}

#[cfg(test)]
mod tests {
    use super::{super::evaluate::tests::Plain, *};

    #[test]
    fn odd_minimax_polynomials_are_those_that_are_known() {
        // Of degree 1 it's 2x/(1 + g), with an error of (1 − g)/(1 + g).
        for gap in [1e-6, 0.1, 0.9] {
            let (coefficients, error) = odd_minimax(gap, 1);
            assert!((coefficients[1] - 2.0 / (1.0 + gap)).abs() < 1e-9);
            assert!((error - (1.0 - gap) / (1.0 + gap)).abs() < 1e-3);
        }
        // Higher degrees are nearer, and level at as many points as there are coefficients, and one.
        let mut before = 1.0;
        for degree in [3, 5, 13, 29, 55] {
            let (coefficients, error) = odd_minimax(0.1, degree);
            assert!(error < 0.8 * before && coefficients.len() == degree + 1);
            assert!(coefficients.iter().step_by(2).all(|&c| c == 0.0));
            before = error;
        }
    }

    #[test]
    fn signs_are_within_the_error_from_the_gap_on_and_between_them_inside() {
        for (gap_bits, error_bits) in [(1, 30), (3, 8), (7, 20), (10, 20), (20, 20), (20, 30), (24, 24)] {
            let (gap, error) = (2f64.powi(-gap_bits), 2f64.powi(-error_bits));
            let sign = Sign::fit(gap, error).unwrap();
            assert!(sign.error <= error);
            for step in 0..=4000 {
                // Evenly, and towards the gap in powers.
                let even = f64::from(step) / 4000.0;
                for x in [gap + (1.0 - gap) * even, libm::pow(gap, even)] {
                    let off = (sign.value(x) - 1.0).abs();
                    assert!(off <= error, "{x} is off by {off} at a gap of 2^-{gap_bits}");
                    assert!((sign.value(-x) + 1.0).abs() <= error);
                }
                let inside = sign.value(gap * (2.0 * even - 1.0));
                assert!(inside.abs() <= 1.0 + error, "{inside} inside a gap of 2^-{gap_bits}");
            }
            assert_eq!(sign.value(0.0), 0.0);
        }
    }

    #[test]
    fn evaluation_takes_the_levels_that_stages_are_chosen_by() {
        for (degree, levels) in DEGREES {
            let (coefficients, _) = odd_minimax(0.1, degree);
            let series = Chebyshev { coefficients, middle: 0.0, half: 1.0, error: 0.0 };
            assert_eq!(
                evaluate(&Plain::default(), &series, &(0.3, 0, 0)).unwrap().2,
                levels,
                "degree {degree}"
            );
        }
        // A thousandth in 15 levels, a millionth in 27.
        for (bits, levels) in [(10, 15), (20, 27)] {
            let sign = Sign::fit(2f64.powi(-bits), 2f64.powi(-bits)).unwrap();
            let (value, _, taken) = sign.evaluate(&Plain::default(), &(-0.3, 0, 0)).unwrap();
            assert!((value + 1.0).abs() <= 2f64.powi(-bits));
            assert!(taken <= levels, "{bits} bits: {taken} levels");
        }
    }

    #[test]
    fn disturbances_within_the_margins_are_gone_after_the_next_stage() {
        let sign = Sign::fit(1e-5, 1e-6).unwrap();
        assert!(sign.margins.len() + 1 == sign.stages.len() && sign.stages.len() > 2);
        for step in 0..=2000 {
            let x = libm::pow(1e-5, f64::from(step) / 2000.0);
            for pattern in 0..1 << sign.margins.len() {
                let mut y = x;
                for (at, stage) in sign.stages.iter().enumerate() {
                    assert!(y.abs() <= 1.0);
                    y = stage.value(y);
                    let disturbed = sign.margins.get(at).copied().unwrap_or(0.0);
                    y += if pattern >> at & 1 == 0 { disturbed } else { -disturbed };
                }
                assert!((y - 1.0).abs() <= 1e-6, "{x}");
            }
        }
    }

    #[test]
    fn gaps_of_nothing_are_refused() {
        for (gap, error) in [(0.0, 0.1), (1.0, 0.1), (f64::NAN, 0.1), (0.1, 0.0), (1e-30, 1e-30)] {
            let refused = Sign::fit(gap, error).unwrap_err();
            assert!(matches!(refused, ApproximationError::NoSign { .. }), "{refused}");
        }
    }
}
