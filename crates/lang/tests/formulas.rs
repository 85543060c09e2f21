//! Values that the key holder finishes by a formula: divided by a number over all rows, its root, rounded.

use asanoha_lang::{Outputs, Program, Shape, Values, evaluate_exact, evaluate_real, parse_traced};
use asanoha_numeric::number::to_f64;
use asanoha_table::{Table, read_csv};
use num_rational::BigRational;

const CSV: &str = "x,y\n1000003,2\n1000007,-5\n1000001,9\n1000021,2\n";

fn table() -> Table {
    read_csv(CSV.as_bytes(), "t.csv", &["x", "y"]).unwrap()
}

#[track_caller]
fn exact(text: &str) -> Outputs<BigRational> {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{}", error.render("p.asa")));
    evaluate_exact(&program, &table()).unwrap().unwrap_or_else(|| panic!("{text} isn't exact"))
}

/// Asserts that a program gives exact values near these.
#[track_caller]
fn gives(text: &str, expected: &[f64]) {
    let outputs = exact(text);
    let values: Vec<f64> = outputs[0].1.as_slice().iter().map(to_f64).collect();
    assert_eq!(values.len(), expected.len(), "{text}: {values:?}");
    for (value, expected) in values.iter().zip(expected) {
        assert!((value - expected).abs() <= 1e-12 * expected.abs(), "{text}: {values:?}");
    }
}

#[test]
fn numbers_over_all_rows_are_divided_by_rooted_and_rounded_exactly() {
    let x = [1_000_003.0, 1_000_007.0, 1_000_001.0, 1_000_021.0_f64];
    let mean = 1_000_008.0;
    let deviation = 61.0_f64.sqrt();
    let z: Vec<f64> = x.iter().map(|x| (x - mean) / deviation).collect();
    gives("z = (x - mean(x)) / std(x)", &z);
    gives("m = mean(x)\n_s = std(x)\nz = (x - m) / _s", &[mean]);
    gives("cv = 100 * std(y) / mean(y)", &[100.0 * 24.5_f64.sqrt() / 2.0]);
    gives("cv = std(x - 1000100) / mean(x - 1000100)", &[deviation / -92.0]);
    gives("share = y / sum(y)", &[0.25, -0.625, 1.125, 0.25]);
    gives("r = round(mean(y) / 3, 1)", &[0.7]);
    gives("r = round(mean(y) / 3, 1) + round(mean(x) / 7)", &[0.7 + 142_858.0]);
    gives("r = floor(sum(y) / -3)", &[-3.0]);
    gives("s = 3 - sqrt(mean(y)**2 + 2.25)", &[0.5]);
}

#[test]
fn what_has_no_value_says_why() {
    let missing = |text: &str| match &exact(text)[0].1 {
        Values::Missing(reason) => reason.to_string(),
        values => panic!("{text}: {values:?}"),
    };
    assert_eq!(missing("z = (y - mean(y)) / std(where(y > 100, 1, 0))"), "the divisor is 0");
    assert_eq!(missing("z = y / (sum(y) - 8)"), "the divisor is 0");
    assert_eq!(missing("z = sqrt(mean(y) - 3)"), "the root of a number below 0");
}

#[test]
fn rounding_needs_a_result_that_is_told_apart() {
    let program = Program::parse("r = round(mean(y), 1)").unwrap();
    let table = table();
    let real = evaluate_real(&program, &table).unwrap();
    assert_eq!(real[0].1, Values::Number(2.0));
}

#[test]
fn the_author_s_bounds_keep_a_number_encrypted() {
    for text in ["z = (x - mean(x)) / std(x, 1, 20)", "c = x / y", "r = round(x / 3)", "m = mean(x) / 3"] {
        assert!(Program::parse(text).unwrap().finished().is_empty(), "{text}");
    }
    let traced = parse_traced("z = (x - mean(x)) / std(x)").unwrap();
    assert_eq!(traced.finished_shape(&traced.finished()[0]), Shape::Column);
}

#[test]
fn formulas_of_files_are_checked() {
    for (text, parts) in [
        ("p1 / sqrt(p2)", "[x]"),
        ("p1 + p3", "[x, y]"),
        ("p1", "[x, y]"),
        ("exp(p1)", "[x]"),
        ("sum(p1)", "[x]"),
        ("p1 / x", "[x, y]"),
        ("p1**9", "[x]"),
        ("1 +", "[x]"),
        ("p1; q = p1", "[x]"),
        ("p01", "[x]"),
        ("3", "[]"),
    ] {
        let text = format!("z = formula('{text}', {parts})");
        let error = Program::parse(&text).expect_err(&text);
        assert!(error.message.contains("formula of `p1`, `p2`"), "{text}: {error}");
    }
    let long = format!("z = formula('{}', [x])", vec!["p1"; 200].join(" + 1/p1 + "));
    assert!(Program::parse(&long).is_err());
    let many = format!(
        "z = formula('{}', [{}])",
        (1..18).map(|n| format!("p{n}")).collect::<Vec<_>>().join("+"),
        vec!["x"; 17].join(", ")
    );
    assert!(Program::parse(&many).is_err());
    gives("z = formula('(p1 - p2) / sqrt(p3)', [y, mean(y), 4])", &[0.0, -3.5, 3.5, 0.0]);
}

#[test]
fn printed_programs_are_read_as_equal_ones() {
    for text in [
        "z = (x - mean(x)) / std(x)",
        "cv = 100 * std(x) / mean(x) - 3",
        "r = round(mean(y) / mean(x), 3)",
        "share = x / sum(x)",
        "s = (std(x) - 2)**2 + 1 / sum(y)",
        "se = std(x) / sqrt(count(y > 0))",
        "a = floor(sum(x) / 7)\nb = x\nc = std(y)",
    ] {
        let program = Program::parse(text).unwrap();
        assert!(!program.finished().is_empty(), "{text}: {program}");
        let printed = program.to_string();
        for read in [Program::parse(&printed).unwrap(), Program::try_from(printed.clone()).unwrap()] {
            assert_eq!(read.to_string(), printed, "{text}");
            assert_eq!(read.without_places(), program.clone().without_places(), "{text}");
        }
    }
}
