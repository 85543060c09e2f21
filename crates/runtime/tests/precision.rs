//! Results of real numbers have the precision that's asked, relative to their own ranges.

use asanoha_kernels::Backend;
use asanoha_runtime::{
    advice::{Advice, Advised},
    compile::{LevelOp, Op},
    data::{Column, ColumnValues, Schema, Table, parse_range_override},
    plan::{Plan, PlanOptions, PlanningError, SchemeName, choose},
    precision::Precision,
    program::Program,
    search::GenerateError,
};

use crate::oracle;

fn options(precision: Precision) -> PlanOptions {
    PlanOptions {
        scheme: Some(SchemeName::Ckks),
        security: 128,
        precision,
        backend: Backend::detect().unwrap(),
        threads: 2,
        ..PlanOptions::default()
    }
}

const BITS: Precision = Precision::Relative { bits: 20 };

fn table(columns: &[(&str, Vec<f64>)]) -> Table {
    let column = |(name, values): &(&str, Vec<f64>)| Column {
        name: (*name).to_owned(),
        values: ColumnValues::Real(values.clone()),
    };
    Table { columns: columns.iter().map(column).collect(), rows: columns[0].1.len() }
}

fn planned(text: &str, table: &Table, ranges: &[&str], precision: Precision) -> Result<Plan, PlanningError> {
    let ranges: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(table, &ranges).unwrap();
    let options = options(precision);
    choose(&Program::parse(text).unwrap(), &schema, &options)?.into_plan(&options)
}

fn assert_precise(text: &str, table: &Table, ranges: &[&str], precision: Precision) -> Plan {
    let plan = planned(text, table, ranges, precision).unwrap_or_else(|error| panic!("{text}: {error}"));
    let decrypted = oracle::run(&plan, table, 3);
    if let Some(wrong) = oracle::wrong(&plan, table, precision, &decrypted) {
        panic!("{text}: {wrong}");
    }
    plan
}

fn levels(plan: &Plan) -> usize {
    plan.params.rlwe().unwrap().max_level().0
}

/// 1/√2-spaced values of a magnitude.
fn spread(magnitude: f64, rows: usize) -> Vec<f64> {
    (0..rows).map(|row| magnitude * (row as f64 * std::f64::consts::FRAC_1_SQRT_2).fract()).collect()
}

#[test]
fn small_values_have_the_bits_that_are_asked() {
    for magnitude in [6e-7, 0.03, 1e-9, 1e-100, 3e9, 1e80] {
        let data = table(&[("x", spread(magnitude, 20)), ("y", spread(magnitude / 100.0, 20))]);
        assert_precise("a = x*x\nb = x**3 - y**3\nc = mean(x) + var(y)\nd = 0.3*x*y - x*x", &data, &[], BITS);
    }
}

#[test]
fn sums_of_different_magnitudes_keep_the_small_share_and_cost_no_level() {
    let data = table(&[("x", spread(1000.0, 20)), ("y", spread(0.001, 20)), ("z", spread(1e9, 20))]);
    let plan = assert_precise("a = x + y\nb = y - x", &data, &[], Precision::Relative { bits: 30 });
    assert!(!plan.circuit.any(|instruction| matches!(instruction, Op::Own(LevelOp::Rescale(_)))));
    // The ratio is beyond what a node may hold, and 1000·y is no fraction of x.
    assert_precise("a = z + y + x\nb = 1000*y + z", &data, &[], Precision::Relative { bits: 34 });
    // The large share goes, and the small one keeps its bits.
    assert_precise("a = y + 0*x\nb = (x + y) * 0.001", &data, &[], Precision::Relative { bits: 30 });
}

#[test]
fn a_polynomial_takes_no_more_levels_than_its_depth() {
    let data = table(&[("x", spread(50.0, 20)), ("y", spread(0.3, 20))]);
    // Two products one after the other, and constants that find room beside them.
    for text in ["a = x**3 + 7", "a = 0.3*x**3 - 5*y", "a = x*y*x + 8*x", "a = 0.123*x**4", "a = x*y - 0.25"]
    {
        let plan = assert_precise(text, &data, &[], BITS);
        assert!(levels(&plan) <= 2, "{text}: {}", levels(&plan));
    }
}

#[test]
fn approximation_errors_are_part_of_what_is_promised() {
    let data = table(&[("x", spread(4.0, 20)), ("y", spread(8.0, 20))]);
    for (text, ranges) in [
        ("a = sigmoid(x)**3", [].as_slice()),
        ("a = exp(x)", &[]),
        ("a = exp(-10*x)\nb = exp(10*x)", &[]),
        ("a = exp(x - 40)\nb = sigmoid(x - 40)", &[]),
        ("a = sigmoid(4*sigmoid(x) - 2)\nb = exp(exp(x/4))", &[]),
        ("a = 1000*sigmoid(x) - 999*sigmoid(y)\nb = sum(exp(x)*sigmoid(y))", &[]),
        ("a = var(sigmoid(x))\nb = dot(sigmoid(x), exp(y))\nc = mean(exp(-x))", &[]),
        ("a = (sigmoid(x) - 0.5)**4", &["x=0:4.5"]),
        ("a = exp(x)", &["x=0:3.99"]),
    ] {
        // Variances and sums magnify the noise most.
        let most = if text.contains("var") { 22 } else { 30 };
        assert_precise(text, &data, ranges, Precision::Relative { bits: most });
    }
}

#[test]
fn smooth_functions_have_the_precision_that_is_asked_up_to_the_ends_of_their_ranges() {
    // The first two rows are the ends.
    let ends = |lo: f64, hi: f64| {
        let values = spread(1.0, 18).into_iter().map(|at| lo + (hi - lo) * at);
        [lo, hi].into_iter().chain(values).collect::<Vec<f64>>()
    };
    for (text, lo, hi) in [
        ("a = log(x)\nb = sqrt(x)\nc = tanh(x - 5)\nd = 1 / x", 0.5, 16.0),
        ("a = log(x)\nb = sqrt(x)\nc = tanh(x)\nd = 3 / x", 2f64.powi(-20), 2f64.powi(-17)),
        ("a = log(x)\nb = sqrt(x)\nc = tanh(1e-6 * x)\nd = x**-2", 2e5, 1e6),
        ("a = x / (x + 1)\nb = 1 / (0 - 1 - x)\nc = mean(1 / (x + 0.5))", 0.0, 8.0),
        ("a = 1 / log(x)\nb = sqrt(x) / x\nc = exp(-log(x))", 2.0, 30.0),
    ] {
        let data = table(&[("x", ends(lo, hi))]);
        for bits in [8, 20] {
            assert_precise(text, &data, &[&format!("x={lo}:{hi}")], Precision::Relative { bits });
        }
    }
    let data = Table {
        columns: [("n", vec![7, -9, 100]), ("d", vec![1, 60, 13])]
            .map(|(name, values)| Column { name: name.to_owned(), values: ColumnValues::Whole(values) })
            .into(),
        rows: 3,
    };
    assert_precise("q = n / d\nr = (n + sum(n)) / assume(sum(d), 3, 189)", &data, &["d=1:63"], BITS);
}

#[test]
fn what_no_polynomial_reaches_is_refused_with_its_range() {
    let data = table(&[("x", vec![0.5, 0.7])]);
    let error = planned("a = 1 / x", &data, &["x=1e-6:1"], BITS).unwrap_err();
    assert!(error.to_string().contains("approximates 1/x on [0.00000"), "{error}");
    assert_eq!(error.advice().last(), Some(&Advice::NarrowRanges), "{error}");
    // The range that is taken from such data leaves 0 out.
    assert_precise("a = 1 / x\nb = log(x)\nc = sqrt(x)", &data, &[], BITS);
    let data = table(&[("x", vec![0.0, 0.5, 0.7])]);
    let error = planned("a = 1 / x", &data, &[], BITS).unwrap_err().to_string();
    assert!(
        error.contains("a divisor must not be 0, and here column `x` can be anything in 0..1"),
        "{error}"
    );
}

#[test]
fn absolute_precision_is_the_same_for_all_outputs() {
    let data = table(&[("x", spread(1000.0, 20)), ("y", spread(0.001, 20))]);
    let text = "a = x*y\nb = x\nc = exp(y)\nd = y*y";
    let fine = assert_precise(text, &data, &[], Precision::Absolute { error: 1e-6 });
    let coarse = assert_precise(text, &data, &[], Precision::Absolute { error: 10.0 });
    assert!(fine.output_errors().expect("CKKS was asked for").iter().all(|&error| error <= 1e-6));
    let log2_q =
        |plan: &Plan| plan.params.rlwe().unwrap().q(plan.params.rlwe().unwrap().max_level()).log2_product();
    assert!(log2_q(&coarse) <= log2_q(&fine));
}

#[test]
fn what_is_always_zero_is_zero() {
    let data = table(&[("x", vec![0.0; 5]), ("y", spread(3.0, 5))]);
    let plan = assert_precise("a = x*y\nb = x + 0.3*x\nc = sum(x)\nd = exp(x)", &data, &["x=0:0"], BITS);
    assert!(plan.prediction.precision_bits.is_some());
    let plan = assert_precise("a = x**2", &data, &["x=0:0"], BITS);
    assert_eq!(plan.prediction.precision_bits, None);
}

#[test]
fn results_that_double_precision_does_not_hold_are_refused() {
    let data = table(&[("x", spread(1e200, 5)), ("y", spread(1e-200, 5))]);
    for text in ["a = x*x", "a = y*y"] {
        let PlanningError::NotFeasible { reason, .. } = planned(text, &data, &[], BITS).unwrap_err() else {
            panic!("CKKS was asked for")
        };
        assert!(matches!(reason, GenerateError::BeyondDoubles { .. }), "{text}: {reason}");
    }
    // Between, anything may stand.
    assert_precise("a = x*x*y*y\nb = x*y\nc = 1e300*y", &data, &[], BITS);
    assert_precise("a = y*y", &data, &[], Precision::Absolute { error: 1e-6 });
}

/// Rounded results are exact for every encryption, also where the largest was above its value before it was rounded.
#[test]
fn results_that_are_rounded_to_their_fractions_are_exact_under_every_key() {
    let table = Table {
        columns: vec![
            Column { name: "a".to_owned(), values: ColumnValues::Whole(vec![-13, 45, 7, -2]) },
            Column { name: "b".to_owned(), values: ColumnValues::Whole(vec![1, 2, 3, 4]) },
        ],
        rows: 4,
    };
    let schema = Schema::from_table(&table, &[]).unwrap();
    let options = PlanOptions {
        scheme: Some(SchemeName::Ckks),
        security: 0,
        every_scheme: false,
        ..PlanOptions::default()
    };
    let program = Program::parse("score = 0.01 * a + 0.1 * b\nshare = sigmoid(0.01 * a)").unwrap();
    let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
    for seed in 0..12 {
        let decrypted = oracle::run(&plan, &table, seed);
        let bounds = asanoha_runtime::report::error_bounds(&plan, &decrypted);
        assert!(bounds[0] == 0.0 && bounds[1] > 0.0, "{seed}: {bounds:?}");
    }
}
