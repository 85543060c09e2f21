//! What the language has beside arithmetic and functions, by its plain values and by what's computed under encryption.

use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Schema, Table, parse_range_override, read_csv},
    execute::{self, ExecuteError},
    plan::{Plan, PlanOptions, SchemeName, choose},
    precision::Precision,
    program::{Program, Values, evaluate_exact, evaluate_real, ranges, specialised},
};
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::oracle;

const CSV: &str = "x,y,b,r,s\n3,1,1,0.25,1.5\n-2,4,0,2.75,0.5\n5,-7,1,-1.375,-0.75\n0,4,0,4.125,2.25\n";

fn table(program: &Program) -> Table {
    read_csv(CSV.as_bytes(), "d.csv", program.input_names()).unwrap()
}

fn parsed(text: &str) -> Program {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program, "{text}");
    program
}

fn plan(program: &Program, ranges: &[&str], scheme: Option<SchemeName>, bits: u32) -> Result<Plan, String> {
    let table = table(program);
    let ranges: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(&table, &ranges).unwrap();
    let options = PlanOptions {
        scheme,
        security: 0,
        threads: 2,
        precision: Precision::Relative { bits },
        ..PlanOptions::default()
    };
    let choice = choose(program, &schema, &options).map_err(|error| error.to_string())?;
    choice.into_plan(&options).map_err(|error| error.to_string())
}

/// Runs a program under a scheme and holds it against the plain values of the program as it was written.
fn holds(text: &str, ranges: &[&str], scheme: Option<SchemeName>, bits: u32) {
    let program = parsed(text);
    let plan = plan(&program, ranges, scheme, bits).unwrap_or_else(|error| panic!("{text}: {error}"));
    let table = table(&program);
    let decrypted = oracle::run(&plan, &table, 3);
    let wrong = oracle::wrong(&plan, &table, Precision::Relative { bits }, &decrypted);
    assert_eq!(wrong, None, "{text}");
    // Doubles hold the whole numbers and halves of exact schemes.
    let expected = evaluate_real(&program, &table).unwrap();
    let exactly = vec![0.0; expected.len()];
    let bounds = decrypted
        .error_bounds
        .as_ref()
        .map_or(exactly, |bounds| bounds.iter().map(|bound| bound + 1e-9).collect());
    for (((name, expected), (_, found)), bound) in expected.iter().zip(&decrypted.outputs).zip(bounds) {
        for (expected, found) in expected.as_slice().iter().zip(found.as_slice()) {
            assert!((expected - found).abs() <= bound, "{text}: {name} is {found} for {expected}");
        }
    }
}

fn plain(expression: &str) -> Vec<f64> {
    let program = parsed(&format!("z = {expression}"));
    let outputs = evaluate_real(&program, &table(&program)).unwrap();
    outputs[0].1.as_slice().to_vec()
}

#[test]
fn words_of_conditions_mean_what_they_mean_in_python() {
    for (expression, expected) in [
        ("x > 0 and y > 0", [1.0, 0.0, 0.0, 0.0]),
        ("x > 0 or y > 2", [1.0, 1.0, 1.0, 1.0]),
        ("not x > 0", [0.0, 1.0, 0.0, 1.0]),
        ("not b and y == 4", [0.0, 1.0, 0.0, 1.0]),
        ("not not b", [1.0, 0.0, 1.0, 0.0]),
        ("b or x < 0 and y < 0", [1.0, 0.0, 1.0, 0.0]),
        ("0 < x <= 3", [1.0, 0.0, 0.0, 0.0]),
        ("-7 <= y < x < 6", [1.0, 0.0, 1.0, 0.0]),
        ("1 == b != x", [1.0, 0.0, 1.0, 0.0]),
        ("x if x > y else y", [3.0, 4.0, 5.0, 4.0]),
        ("1 if b else 2 if x < 0 else 3", [1.0, 2.0, 1.0, 3.0]),
        ("x + (y if b else 0) * 2", [5.0, -2.0, -9.0, 0.0]),
        ("x and y", [1.0, 1.0, 1.0, 0.0]),
        ("clip(x, -1, 3)", [3.0, -1.0, 3.0, 0.0]),
        ("floor(r)", [0.0, 2.0, -2.0, 4.0]),
        ("round(r)", [0.0, 3.0, -1.0, 4.0]),
        ("round(x / 2)", [2.0, -1.0, 3.0, 0.0]),
        ("floor(x / 4 + y / 2)", [1.0, 1.0, -3.0, 2.0]),
        ("floor(y / (b + 1))", [0.0, 4.0, -4.0, 4.0]),
        ("dot([x, y, r], [0.5, -2, 4])", [0.5, 2.0, 11.0, 8.5]),
        ("dot([x, 2], [y, b])", [5.0, -8.0, -33.0, 0.0]),
    ] {
        assert_eq!(plain(expression), expected, "{expression}");
    }
}

#[test]
fn what_ranges_make_a_constant_stands_in_every_row() {
    let data = "y,v\n0.0265,-0.25\n0.0395,-0.5\n0.0011,-0.75\n";
    for text in [
        "a = floor(y / 2) != 1",
        "a = floor(y)",
        "a = 3 + 2 * floor(v)",
        "a = round(v / 4) == 0",
        "a = floor(y / 2 + v)\nb = floor(v) * y",
        "a = where(floor(y) > 0, y, v)",
    ] {
        let program = parsed(text);
        let reading = read_csv(data.as_bytes(), "d.csv", &["y", "v"]).unwrap();
        let schema = Schema::from_table(&reading, &[]).unwrap();
        let on = specialised(&program, &schema, false).unwrap();
        let mut found = evaluate_real(&on, &reading).unwrap();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(found, evaluate_real(&program, &reading).unwrap(), "{text} is {on}");
    }
}

#[test]
fn names_of_later_functions_are_names_where_they_are_not_called() {
    let program = parsed("count = count(x > round) + round(x / 2)");
    assert_eq!(program.input_names(), ["x", "round"]);
    let program = parsed("sum = sum(x) + 1\nmax = max(sum, mean(x))\nlog = `sqrt` * 2");
    assert_eq!(
        program.shown_outputs().iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["sum", "max", "log"]
    );
    assert_eq!(program.input_names(), ["x", "sqrt"]);
}

#[test]
fn statistics_are_those_of_the_population() {
    let near = |expression: &str, expected: f64| {
        let found = plain(expression);
        assert!(found.len() == 1 && (found[0] - expected).abs() < 1e-12, "{expression}: {found:?}");
    };
    near("count(x > 0)", 2.0);
    near("count(x)", 3.0);
    near("std(x)", 7.25f64.sqrt());
    near("cov(x, y)", (3.0 - 8.0 - 35.0) / 4.0 - 1.5 * 0.5);
    near("cov(x, x)", 7.25);
    near("corr(x, y)", -10.75 / (7.25f64 * 20.25).sqrt());
    near("corr(x, x, 0.5, 8)", 1.0);
    near("min(y)", -7.0);
    near("max(y)", 4.0);
    near("quantile(x, 0.5)", 0.0);
    near("quantile(x, 0.51)", 3.0);
    let program = parsed("h = histogram(y, -1, 1)");
    let names: Vec<&str> = program.outputs().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["h_minus_1", "h_0", "h_1"]);
    let outputs = evaluate_exact(&program, &table(&program)).unwrap().unwrap();
    assert_eq!(outputs[2].1, Values::Number(BigRational::from_integer(1.into())));
}

#[test]
fn conditions_and_rounding_of_whole_numbers_are_exact_under_encryption() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Tfhe] {
        let text = "a = x > 0 and y > 0 or not b\nc = 0 < x <= 3\nd = x if -7 <= y < x else clip(y, -2, 2)\n\
                    e = count(x >= y)\nf = cov(x, y)";
        holds(text, &[], Some(scheme), 20);
        holds("a = round(x / 2) + floor(y / (b + 1))\nc = floor(x / 4 + y / 2)", &[], Some(scheme), 20);
    }
}

#[test]
fn conditions_and_rounding_of_real_numbers_keep_what_is_asked() {
    holds("a = 0 < s <= 2", &["s=-1:3"], Some(SchemeName::Ckks), 6);
    holds("a = dot([r, s, 1], [0.5, -2, 7]) + clip(s, -1, 4) * 0", &[], None, 20);
    holds("a = std(r, 0.5, 4)\nc = cov(r, s)", &[], None, 12);
}

#[test]
fn rounding_clipping_and_correlation_of_real_columns_run_encrypted() {
    for (text, ranges) in
        [("a = floor(s)", &["s=-1:3"][..]), ("a = clip(r, -1, 2.5)", &[]), ("b = corr(r, s, 0.5, 4)", &[])]
    {
        let program = parsed(text);
        let plan =
            plan(&program, ranges, Some(SchemeName::Ckks), 6).unwrap_or_else(|error| panic!("{error}"));
        let table = table(&program);
        let decrypted = oracle::run(&plan, &table, 3);
        let expected = evaluate_real(&program, &table).unwrap();
        let bounds = decrypted.error_bounds.unwrap();
        for (((name, found), (_, expected)), bound) in decrypted.outputs.iter().zip(&expected).zip(bounds) {
            assert!(bound < 0.5, "{text}: {name} ± {bound}");
            for (found, expected) in found.as_slice().iter().zip(expected.as_slice()) {
                assert!(
                    (found - expected).abs() <= bound,
                    "{text}: {name} is {found} ± {bound} for {expected}"
                );
            }
        }
    }
}

#[test]
fn quantiles_and_histograms_of_small_ranges_are_exact_under_encryption() {
    let text = "a = min(y)\nb = max(y)\nc = quantile(x, 0.5)\nd = max(x) - min(x)\nh = histogram(x, -2, 1)";
    for scheme in [SchemeName::Bgv, SchemeName::Tfhe] {
        holds(text, &["x=-2:5", "y=-7:4"], Some(scheme), 20);
    }
}

#[test]
fn what_depends_on_too_wide_a_range_is_refused_with_the_figures() {
    for (text, ranges, message) in [
        ("a = floor(80 * sigmoid(r))", &["r=-2:6"], "jumps at whole ones, of which 70 are in"),
        ("a = max(x)", &["x=-100:100"], "counts the rows of every value, of which 201 are in -100..100"),
        ("a = max(r)", &["r=-2:6"], "`max` counts the rows of every value, of which 8001 are in -2..6"),
        ("a = assume(x, 10, 20)", &["x=-2:5"], "assumed to be in 10..20, and it can only be in -2..5"),
    ] {
        let error = plan(&parsed(text), ranges, None, 12).unwrap_err();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn an_assumption_is_taken_for_the_range_and_checked_on_the_data() {
    let program = parsed("a = sqrt(assume(r + s, 0.5, 8)) + assume(r, -2, 6)");
    let ranges = ranges(&program, &Schema::from_table(&table(&program), &[]).unwrap()).unwrap();
    let assumed = &ranges[program.outputs()[0].1.0];
    assert!(assumed.hi().to_f64().unwrap() < 6.0 + 8f64.sqrt() + 1e-9);
    let refused = |text: &str| {
        let program = parsed(text);
        let plan = plan(&program, &[], None, 12).unwrap();
        let mut sampler = Sampler::new(&Seed([1; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        execute::encrypt(&plan, &keys.public, &table(&program), &mut sampler).map(|_| ()).unwrap_err()
    };
    let error = refused("a = sqrt(assume(r + s, 0.5, 8))");
    let ExecuteError::OutsideAssumed { row, value, assumed } = &error else { panic!("{error}") };
    assert_eq!((*row, value.as_str(), assumed.as_str()), (3, "-2.125", "0.5..8"));
    assert!(matches!(refused("a = assume(x - 2 * y, -5, 20)"), ExecuteError::OutsideAssumed { row: 2, .. }));
    holds("a = assume(x - 2 * y, -10, 19) + 1", &[], None, 20);
}
