//! Polynomials that are fitted to smooth functions.

use asanoha_circuits::polynomial::Chebyshev;
use asanoha_planner::program::SmoothFunction;

/// Intervals inside the domain, of magnitudes from 10^−6 to 10^6.
fn intervals(function: SmoothFunction) -> Vec<(f64, f64)> {
    match function {
        SmoothFunction::Exp => vec![(-1e-6, 1e-6), (-30.0, 1.0), (2.0, 9.5)],
        SmoothFunction::Sigmoid | SmoothFunction::Tanh => vec![(-1e-6, 3e-6), (-8.0, 8.0), (-20.0, 3.0)],
        SmoothFunction::Log | SmoothFunction::Sqrt => vec![(1e-6, 2e-5), (0.5, 40.0), (3e5, 1e6)],
        SmoothFunction::Reciprocal => vec![(1e-6, 2e-5), (-40.0, -0.5), (1.0, 1000.0), (3e5, 1e6)],
    }
}

#[test]
fn fitted_polynomials_are_as_near_as_asked_up_to_the_ends() {
    for function in SmoothFunction::ALL {
        for (lo, hi) in intervals(function) {
            let largest = function.value(lo).abs().max(function.value(hi).abs());
            for bits in [8, 24] {
                let error = largest * 2f64.powi(-bits);
                let (middle, half) = (f64::midpoint(lo, hi), (hi - lo) / 2.0);
                let series =
                    Chebyshev::fit(function.name(), |x| function.value(x), (middle, half), error)
                        .unwrap();
                for step in 0..=1000 {
                    let x = lo + (hi - lo) * f64::from(step) / 1000.0;
                    let off = (series.value(x) - function.value(x)).abs();
                    assert!(off <= error, "{function} on [{lo}, {hi}] at {x}: {off:e} for {error:e}");
                }
            }
        }
    }
}

#[test]
fn outside_of_its_domain_nothing_fits() {
    for (function, middle, half) in [
        (SmoothFunction::Log, 1.0, 1.0),
        (SmoothFunction::Log, 1.0, 2.0),
        (SmoothFunction::Sqrt, 0.5, 1.0),
        (SmoothFunction::Reciprocal, 0.25, 1.0),
        (SmoothFunction::Reciprocal, 1.0, 1.0),
    ] {
        assert!(!function.is_defined_on((middle - half, middle + half)));
        assert_eq!(function.steepest((middle - half, middle + half)), f64::INFINITY);
        Chebyshev::fit(function.name(), |x| function.value(x), (middle, half), 1e-3).unwrap_err();
    }
}
