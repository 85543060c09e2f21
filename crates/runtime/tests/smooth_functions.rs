//! Polynomials that are fitted to smooth functions.

use asanoha_circuits::polynomial::Chebyshev;
use asanoha_runtime::program::{
    Smooth,
    ops::{ENTRIES, RECIPROCAL},
};

/// Every smooth function.
fn all() -> Vec<&'static dyn Smooth> {
    let functions = ENTRIES
        .into_iter()
        .filter_map(asanoha_runtime::program::ops::Entry::smooth_function)
        .chain([RECIPROCAL]);
    functions.map(|function| function.smooth().unwrap()).collect()
}

/// Intervals inside the domain, of magnitudes from 10^−6 to 10^6.
fn intervals(function: &dyn Smooth) -> Vec<(f64, f64)> {
    match function.name() {
        "exp" => vec![(-1e-6, 1e-6), (-30.0, 1.0), (2.0, 9.5)],
        "1/x" => vec![(1e-6, 2e-5), (-40.0, -0.5), (1.0, 1000.0), (3e5, 1e6)],
        _ if function.is_defined_on((-1.0, 1.0)) => vec![(-1e-6, 3e-6), (-8.0, 8.0), (-20.0, 3.0)],
        _ => vec![(1e-6, 2e-5), (0.5, 40.0), (3e5, 1e6)],
    }
}

#[test]
fn fitted_polynomials_are_as_near_as_asked_up_to_the_ends() {
    for function in all() {
        for (lo, hi) in intervals(function) {
            let largest = function.value(lo).abs().max(function.value(hi).abs());
            for bits in [8, 24] {
                let error = largest * 2f64.powi(-bits);
                let (middle, half) = (f64::midpoint(lo, hi), (hi - lo) / 2.0);
                let series =
                    Chebyshev::fit(function.name(), |x| function.value(x), (middle, half), error).unwrap();
                for step in 0..=1000 {
                    let x = lo + (hi - lo) * f64::from(step) / 1000.0;
                    let off = (series.value(x) - function.value(x)).abs();
                    assert!(off <= error, "{function:?} on [{lo}, {hi}] at {x}: {off:e} for {error:e}");
                }
            }
        }
    }
}

#[test]
fn outside_of_its_domain_nothing_fits() {
    for (name, middle, half) in
        [("log", 1.0, 1.0), ("log", 1.0, 2.0), ("sqrt", 0.5, 1.0), ("1/x", 0.25, 1.0), ("1/x", 1.0, 1.0)]
    {
        let function = all().into_iter().find(|function| function.name() == name).unwrap();
        assert!(!function.is_defined_on((middle - half, middle + half)));
        assert_eq!(function.steepest((middle - half, middle + half)), f64::INFINITY);
        Chebyshev::fit(function.name(), |x| function.value(x), (middle, half), 1e-3).unwrap_err();
    }
}

#[test]
fn no_slope_on_an_interval_is_above_the_steepest() {
    for function in all() {
        for (lo, hi) in intervals(function) {
            let steepest = function.steepest((lo, hi));
            let step = (hi - lo) * 1e-6;
            let slope = |at: i32| {
                let x = lo + (hi - lo - step) * f64::from(at) / 1000.0;
                (function.value(x + step) - function.value(x)).abs() / step
            };
            let largest = (0..=1000).map(slope).fold(0.0, f64::max);
            assert!(largest <= steepest * 1.001, "{function:?} on [{lo}, {hi}]");
            assert!(steepest <= 1.02 * largest, "{function:?} on [{lo}, {hi}]: {steepest} for {largest}");
        }
    }
}
