//! Outputs that the holder of the secret key finishes, held against the same in plain numbers.

use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    advice::{Advice, Advised},
    data::{Column, ColumnValues, Schema, Table, parse_range_override, read_csv},
    execute::{self, Contents, Decrypted, Encrypted},
    plan::{Plan, PlanOptions, SchemeName, choose},
    precision::Precision,
    program::{NoValue, Program, ProgramBuilder, Values, evaluate_exact, evaluate_real, ops},
};
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use crate::planning;

const CSV: &str = "x,y,b,r\n3,1,1,0.25\n-2,4,0,2.75\n5,-7,1,-1.375\n0,4,0,4.125\n";

fn parsed(text: &str) -> Program {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(Program::parse(&program.to_string()).unwrap(), program, "{program}");
    program
}

fn table(csv: &str, program: &Program) -> Table {
    read_csv(csv.as_bytes(), "d.csv", program.input_names()).unwrap()
}

fn plan(program: &Program, table: &Table, ranges: &[&str], scheme: SchemeName, bits: u32) -> Plan {
    let ranges: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(table, &ranges).unwrap();
    let precision = Precision::Relative { bits };
    let options =
        PlanOptions { scheme: Some(scheme), security: 0, threads: 2, precision, ..PlanOptions::default() };
    choose(program, &schema, &options).unwrap().into_plan(&options).unwrap_or_else(|error| panic!("{error}"))
}

/// Through all steps, with the plan and the results out of files.
pub(crate) fn run(plan: &Plan, table: &Table) -> Decrypted {
    let plan = planning::read_again(plan);
    let mut sampler = Sampler::new(&Seed([7; 32]));
    let keys = execute::generate_keys(&plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(&plan, &keys.public, table, &mut sampler).unwrap();
    let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results");
    outputs.write(&plan, Contents::Outputs, &file).unwrap();
    let outputs = Encrypted::read(&plan, Contents::Outputs, &file).unwrap();
    execute::decrypt(&plan, keys.secret.as_ref().unwrap(), &outputs, &secrets).unwrap()
}

/// Holds encrypted results against plain ones: exactly, or within their stated errors.
pub(crate) fn holds(text: &str, csv: &str, ranges: &[&str], scheme: SchemeName, bits: u32) -> Decrypted {
    let program = parsed(text);
    let table = table(csv, &program);
    let plan = plan(&program, &table, ranges, scheme, bits);
    let decrypted = run(&plan, &table);
    let expected = evaluate_real(&program, &table).unwrap();
    let names =
        |outputs: &[(String, Values<f64>)]| outputs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&decrypted.outputs), names(&expected), "{text}");
    match (&decrypted.exact, &decrypted.error_bounds) {
        (Some(exact), _) => {
            assert_eq!(Some(exact), evaluate_exact(&program, &table).unwrap().as_ref(), "{text}");
        }
        (None, bounds) => {
            let bounds = bounds.as_ref().unwrap();
            assert_eq!(bounds.len(), expected.len());
            for (((name, found), (_, expected)), bound) in decrypted.outputs.iter().zip(&expected).zip(bounds)
            {
                assert_eq!(found.as_slice().len(), expected.as_slice().len(), "{text}: {name}: {found:?}");
                for (found, expected) in found.as_slice().iter().zip(expected.as_slice()) {
                    let off = (found - expected).abs();
                    assert!(
                        off <= bound + 1e-12 * expected.abs(),
                        "{text}: {name} is {found} ± {bound} for {expected}"
                    );
                }
            }
        }
    }
    decrypted
}

fn rational(p: i64, q: i64) -> BigRational {
    BigRational::new(p.into(), q.into())
}

pub(crate) fn reason<T>(values: &Values<T>) -> &NoValue {
    let Values::Missing(reason) = values else { panic!("it's there") };
    reason
}

#[test]
fn exact_results_are_fractions_under_every_exact_scheme() {
    let text =
        "m = mean_where(y, x > 0)\nq = ratio(sum(x), sum(y * y))\nk = sum(x)\ns = std(x)\nc = corr(x, x)";
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        let decrypted = holds(text, CSV, &[], scheme, 20);
        let exact = decrypted.exact.unwrap();
        let expected = [("k", rational(6, 1)), ("m", rational(-3, 1)), ("q", rational(3, 41))];
        for ((name, value), (expected_name, expected)) in exact.iter().zip(expected) {
            assert_eq!((name.as_str(), value), (expected_name, &Values::Number(expected)));
        }
        assert_eq!(decrypted.outputs[3].1, Values::Number(7.25f64.sqrt()));
        assert_eq!(exact[4].1, Values::Number(rational(1, 1)));
    }
}

#[test]
#[ignore = "slow"]
fn tfhe_finishes_the_same_outputs() {
    holds("m = mean_where(y, b)\nq = ratio(sum(x), sum(b))\ns = std(b)", CSV, &[], SchemeName::Tfhe, 20);
}

#[test]
fn a_condition_that_no_row_meets_has_no_mean_and_hides_no_other_output() {
    let text = "m = mean_where(r, x > 100)\nall = mean_where(r, x > -100)\nn = count(x > 100)";
    let ranges = ["x=-200:200"];
    let decrypted = holds(text, CSV, &ranges, SchemeName::Ckks, 6);
    assert_eq!(reason(&decrypted.outputs[1].1).reason, "the divisor is 0");
    assert!(decrypted.error_bounds.unwrap()[1].is_nan());
    assert!((decrypted.outputs[2].1.as_slice()[0] - 5.75 / 4.0).abs() < 0.1);
    let exact = holds(
        "m = mean_where(y, b == 2)\nq = ratio(sum(x * 0 + b), sum(y))",
        CSV,
        &["b=0:3"],
        SchemeName::Bgv,
        20,
    );
    assert_eq!(reason(&exact.exact.unwrap()[0].1).reason, "the divisor is 0");
    assert!(exact.outputs[1].1.as_slice()[0] == 1.0);
}

#[test]
fn whole_counts_under_ckks_are_taken_as_exact() {
    // Of the quotient of two whole numbers nothing is left to be off but its rounding to a double.
    let decrypted = holds("q = ratio(sum(x), sum(b))", CSV, &[], SchemeName::Ckks, 20);
    assert_eq!(decrypted.outputs[0].1, Values::Number(3.0));
    assert_eq!(decrypted.error_bounds.unwrap(), [0.0]);
}

/// Least squares by the normal equations of centred columns, in fractions.
fn fit(y: &[f64], columns: &[Vec<f64>]) -> Vec<BigRational> {
    let exact = |values: &[f64]| {
        values.iter().map(|&value| BigRational::from_float(value).unwrap()).collect::<Vec<_>>()
    };
    let rows = BigRational::from_integer(y.len().into());
    let centred = |values: &[f64]| {
        let values = exact(values);
        let mean = values.iter().sum::<BigRational>() / &rows;
        (values.iter().map(|value| value - &mean).collect::<Vec<_>>(), mean)
    };
    let (y, mean_y) = centred(y);
    let (columns, means): (Vec<_>, Vec<_>) = columns.iter().map(|column| centred(column)).unzip();
    let dot = |a: &[BigRational], b: &[BigRational]| a.iter().zip(b).map(|(a, b)| a * b).sum::<BigRational>();
    let mut rows: Vec<Vec<BigRational>> =
        columns.iter().map(|a| columns.iter().chain([&y]).map(|b| dot(a, b)).collect()).collect();
    for at in 0..rows.len() {
        assert!(!rows[at][at].is_zero());
        let pivot: Vec<_> = rows[at].iter().map(|entry| entry / &rows[at][at]).collect();
        for row in (0..rows.len()).filter(|&row| row != at) {
            let factor = rows[row][at].clone();
            for (entry, of_pivot) in rows[row].iter_mut().zip(&pivot) {
                *entry -= &factor * of_pivot;
            }
        }
        rows[at] = pivot;
    }
    let coefficients: Vec<BigRational> = rows.into_iter().map(|mut row| row.pop().unwrap()).collect();
    let explained: BigRational = coefficients.iter().zip(&means).map(|(a, b)| a * b).sum();
    [mean_y - explained].into_iter().chain(coefficients).collect()
}

const FIT: &str = "y,a,b,c\n3,1,0,9\n-2,4,1,7\n5,-7,2,-2\n0,4,7,1\n11,5,1,3\n6,2,-3,8\n";

#[test]
fn least_squares_of_whole_columns_is_exact() {
    let text = "fit = least_squares(y, [a, b * b, c])";
    let program = parsed(text);
    let table = table(FIT, &program);
    let [y, a, b, c] = ["y", "a", "b", "c"].map(|name| table.column(name).unwrap().values.to_real());
    let squares = b.iter().map(|b| b * b).collect();
    let expected = fit(&y, &[a, squares, c]);
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        let exact = holds(text, FIT, &[], scheme, 20).exact.unwrap();
        let names: Vec<&str> = exact.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["fit_intercept", "fit_a", "fit_2", "fit_c"]);
        for ((_, found), expected) in exact.iter().zip(&expected) {
            assert_eq!(found, &Values::Number(expected.clone()));
        }
    }
    // Sums of whole numbers are whole, so CKKS loses nothing of them either.
    for bound in holds(text, FIT, &[], SchemeName::Ckks, 20).error_bounds.unwrap() {
        assert!(bound < 1e-12, "{bound}");
    }
}

#[test]
fn least_squares_of_diabetes_columns_is_within_the_stated_error() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/diabetes.csv");
    let csv = std::fs::read_to_string(path).unwrap();
    let decrypted = holds("fit = least_squares(progression, [bmi, bp])", &csv, &[], SchemeName::Ckks, 30);
    let program = parsed("fit = least_squares(progression, [bmi, bp])");
    let table = table(&csv, &program);
    let [y, bmi, bp] = ["progression", "bmi", "bp"].map(|name| table.column(name).unwrap().values.to_real());
    let expected = fit(&y, &[bmi, bp]);
    let bounds = decrypted.error_bounds.unwrap();
    for (((name, found), expected), bound) in decrypted.outputs.iter().zip(&expected).zip(&bounds) {
        let (found, expected) = (found.as_slice()[0], expected.to_f64().unwrap());
        assert!((found - expected).abs() <= *bound, "{name}: {found} ± {bound} for {expected}");
        assert!(*bound < 1e-2 * expected.abs(), "{name}: {found} ± {bound}");
    }
}

/// A table of real columns y = 3 + 2·a − b and noise, with the second column scaled.
fn scaled(size: f64) -> Table {
    let a: Vec<f64> = (0..16).map(|row| f64::from(row * 7 % 16) / 16.0).collect();
    let b: Vec<f64> = (0..16).map(|row| f64::from(row * row % 11) / 11.0 * size).collect();
    let y = a.iter().zip(&b).enumerate();
    let y = y.map(|(row, (a, b))| (3.0 + 2.0 * a - b / size + 0.01 * (row % 3) as f64) * size).collect();
    let columns = [("y", y), ("a", a), ("b", b)];
    let column = |(name, values): (&str, Vec<f64>)| Column {
        name: name.to_owned(),
        values: ColumnValues::Real(values),
    };
    Table { columns: columns.into_iter().map(column).collect(), rows: 16 }
}

#[test]
fn columns_of_other_magnitudes_are_solved_within_the_stated_error() {
    let program =
        parsed("fit = least_squares(y, [a, b])\nq = ratio(sum(y), sum(b))\ns = std(b)\nc = corr(y, b)");
    for size in [1e-6, 1e6] {
        let table = scaled(size);
        let plan = plan(&program, &table, &[], SchemeName::Ckks, 30);
        let decrypted = run(&plan, &table);
        let expected = evaluate_real(&program, &table).unwrap();
        let bounds = decrypted.error_bounds.unwrap();
        for (((name, found), (_, expected)), bound) in decrypted.outputs.iter().zip(&expected).zip(bounds) {
            let (found, expected) = (found.as_slice()[0], expected.as_slice()[0]);
            assert!((found - expected).abs() <= bound, "{name}: {found} ± {bound} for {expected}");
            assert!(bound < 1e-4 * expected.abs(), "{name}: {found} ± {bound}");
        }
        let [y, a, b] = ["y", "a", "b"].map(|name| table.column(name).unwrap().values.to_real());
        for ((_, found), expected) in expected.iter().zip(fit(&y, &[a, b])) {
            let expected = expected.to_f64().unwrap();
            assert!((found.as_slice()[0] - expected).abs() < 1e-9 * expected.abs());
        }
    }
}

#[test]
fn equations_without_one_solution_have_none_and_say_why() {
    let one_row = "y,a,r,s\n3,1,0.5,0.25\n";
    let several = "y,a,r,s\n3,1,0.5,0.25\n5,2,-0.75,1.5\n1,7,2.5,1\n";
    for (text, csv, scheme) in [
        ("fit = least_squares(y, [a, a])", several, SchemeName::Bgv),
        ("fit = least_squares(y, [a, 2 * a + 1])", several, SchemeName::Bgv),
        ("fit = least_squares(y, [a])", one_row, SchemeName::Bgv),
        ("fit = least_squares(r, [s, s])", several, SchemeName::Ckks),
        ("fit = least_squares(r, [s, 3 * s - 2])", several, SchemeName::Ckks),
        ("fit = least_squares(r, [s])", one_row, SchemeName::Ckks),
    ] {
        let decrypted = holds(text, csv, &[], scheme, 20);
        for (name, values) in &decrypted.outputs {
            let reason = reason(values);
            let (says, advice) = if decrypted.exact.is_some() {
                ("is a combination of the others", vec![])
            } else {
                ("can't be told from combinations", vec![Advice::MorePrecision])
            };
            assert!(reason.to_string().contains(says), "{text}: {name}: {reason}");
            assert_eq!(reason.advice(), advice);
        }
    }
    let program = parsed("fit = least_squares(y, [a, a])");
    assert_eq!(program.finished()[0].results, ["fit_intercept", "fit_a", "fit_2"]);
}

#[test]
fn deviations_and_correlations_without_ends_are_finished_after_decryption() {
    let decrypted = holds("s = std(r)\nc = corr(r, x)\nk = corr(r, -2 * r)", CSV, &[], SchemeName::Ckks, 24);
    assert!(decrypted.error_bounds.unwrap().iter().all(|bound| *bound < 1e-4));
    let decrypted =
        holds("c = corr(r, x)\ns = std(r)", "x,r\n2,0.5\n2,0.25\n2,1\n", &[], SchemeName::Ckks, 24);
    assert!(reason(&decrypted.outputs[0].1).reason.contains("the same in every row"));
    let program = parsed("_s = std(x)\nz = exp(2 * _s)\ns = std(x)");
    assert_eq!(program.shown_outputs().len(), 1);
    assert_eq!(program.finished().len(), 1);
}

#[test]
fn plans_for_fewer_rows_count_the_rows_that_there_are() {
    let text = "fit = least_squares(y, [a, c])\nm = mean_where(y, b > 0)";
    let program = parsed(text);
    let table = table(FIT, &program);
    let schema = Schema { rows: 40, ..Schema::from_table(&table, &[]).unwrap() };
    let options =
        PlanOptions { scheme: Some(SchemeName::Bgv), threads: 2, fewer_rows: true, ..PlanOptions::default() };
    let all = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
    let decrypted = run(&all.for_rows(6).unwrap(), &table);
    assert_eq!(decrypted.exact.unwrap(), evaluate_exact(&program, &table).unwrap().unwrap());
}

#[test]
fn programs_made_for_their_data_finish_the_same_outputs() {
    let text = "m = mean_where(floor(x / 2), y > 0)\nfit = least_squares(y, [floor(x / 2), x])\nq = ratio(max(x), min(y))";
    holds(text, CSV, &["x=-2:5", "y=-7:4"], SchemeName::Bgv, 20);
}

#[test]
fn names_of_finished_outputs_are_taken_as_any_other() {
    for (column, name) in [("x", "if"), ("x", "9"), ("x", "_f"), ("f", "f")] {
        let mut builder = ProgramBuilder::new();
        let (y, x) = (builder.input("y").unwrap(), builder.input(column).unwrap());
        let fit = ops::least_squares(&mut builder, y, &[x]).unwrap();
        let made = builder.finish_output(name, fit).and_then(|()| builder.finish());
        assert!(made.is_err(), "{name}: {made:?}");
    }
}

#[test]
fn what_is_finished_is_an_output_of_its_own() {
    for (text, message) in [
        ("z = 1 + least_squares(y, [x])", "line 1, column 7: this is done with what is an output only"),
        ("r = least_squares(y, [x])\nz = r", "line 2, column 1: this is done with what is an output only"),
        ("_r = least_squares(y, [x])", "line 1, column 1: this is done with what is an output only"),
        ("z = ratio(x, sum(y))", "line 1, column 5: `ratio` takes two numbers over all rows"),
        ("z = ratio(1, sum(y))", "line 1, column 5: `ratio` takes two numbers over all rows"),
        ("z = mean_where(x, 1)", "line 1, column 5: `count` takes a column, and this is a constant"),
        ("z = least_squares(y, x)", "line 1, column 5: `least_squares` takes a column and a list of 1 to 8"),
        ("z = least_squares(y, [])", "line 1, column 5: `least_squares` takes a column and a list of 1 to 8"),
        ("z = least_squares(y, [a,b,c,d,e,f,g,h,i])", "line 1, column 5: `least_squares` takes a column and"),
        ("z = least_squares(y, [x, x * 0 + 1])", "line 1, column 32: this is the same for all data"),
        ("z_x = y\nz = least_squares(y, [x])", "line 2, column 1: `z_x` is assigned twice"),
        ("z = least_squares(z_x, [x])", "line 1, column 28: `z_x` is already a column of the data"),
    ] {
        let error = Program::parse(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
    let program = parsed("ratio = ratio(sum(ratio_), sum(linear))\nleast_squares = mean(mean_where)");
    assert_eq!(program.shown_outputs()[0].0, "least_squares");
    let names: Vec<&str> = program.outputs().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["least_squares", "ratio.dividend", "ratio.divisor"]);
}
