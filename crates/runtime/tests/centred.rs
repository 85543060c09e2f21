//! Columns far from 0 and narrow: moments of them are computed on what is left when the client takes a constant of its own away.

use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    advice::{Advice, Advised},
    data::{Column, ColumnValues, PublicCentre, Schema, Table, parse_public_centre, parse_range_override},
    execute::{self, Centres, Contents, Encrypted, InputSecrets},
    plan::{Plan, PlanOptions, PlanningError, SchemeName, SecurityCheck, choose},
    precision::Precision,
    program::{Program, Values},
    search::GenerateError,
};

use crate::oracle;

/// Lengths around 10^8 of a spread of 0.1, as a user sent them; their variance is 0.010495264.
const OFFSET: [f64; 8] = [
    99_999_999.922_233,
    99_999_999.970_642,
    99_999_999.802_752,
    100_000_000.054_031,
    99_999_999.962_571,
    99_999_999.874_196,
    100_000_000.155_635,
    100_000_000.024_389,
];

fn table(columns: &[(&str, Vec<f64>)]) -> Table {
    let column = |(name, values): &(&str, Vec<f64>)| Column {
        name: (*name).to_owned(),
        values: ColumnValues::Real(values.clone()),
    };
    Table { columns: columns.iter().map(column).collect(), rows: columns[0].1.len() }
}

/// Values around one that are spread by so much, the same on every run.
fn around(middle: f64, spread: f64, rows: usize, step: usize) -> Vec<f64> {
    (0..rows).map(|row| middle + spread * (((row * step) % 17) as f64 / 8.0 - 1.0)).collect()
}

fn options() -> PlanOptions {
    PlanOptions { scheme: Some(SchemeName::Ckks), ..PlanOptions::default() }
}

fn plan_with(text: &str, schema: &Schema, options: &PlanOptions) -> Result<Plan, PlanningError> {
    choose(&Program::parse(text).unwrap(), schema, options)?.into_plan(options)
}

fn plan(text: &str, table: &Table) -> Plan {
    plan_with(text, &Schema::from_table(table, &[]).unwrap(), &options()).unwrap()
}

fn centred(plan: &Plan) -> Vec<&str> {
    let columns = plan.schema.columns.iter().filter(|column| column.centre.is_some());
    columns.map(|column| column.name.as_str()).collect()
}

/// Runs a plan and holds every result against the right one: it's within its bound, which is a small part of it.
fn assert_near(plan: &Plan, table: &Table, part: f64) {
    let found = oracle::run(plan, table, 5);
    let right = plan.evaluate_real(table).unwrap();
    let bounds = found.error_bounds.as_ref().unwrap();
    assert_eq!(found.outputs.len(), right.len());
    for (((name, found), (_, right)), bound) in found.outputs.iter().zip(&right).zip(bounds) {
        assert_eq!(found.as_slice().len(), right.as_slice().len(), "{name}: {found:?} for {right:?}");
        let largest = right.as_slice().iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        assert!(*bound <= part * largest, "{name}: ± {bound:e} of {largest:e}");
        for (found, right) in found.as_slice().iter().zip(right.as_slice()) {
            let slack = 4.0 * f64::EPSILON * right.abs();
            assert!((found - right).abs() <= bound + slack, "{name}: {found:e} ± {bound:e} for {right:e}");
        }
    }
}

/// As [`assert_near`], and against exact fractions as well, as far as no output is finished after decryption.
fn assert_right(plan: &Plan, table: &Table, part: f64) {
    assert_near(plan, table, part);
    let found = oracle::run(plan, table, 6);
    assert_eq!(oracle::wrong(plan, table, options().precision, &found), None);
}

fn number(values: &Values<f64>) -> f64 {
    values.as_slice()[0]
}

#[test]
fn the_variance_of_values_near_1e8_is_that_of_their_spread() {
    let table = table(&[("t", OFFSET.to_vec())]);
    let plan = plan("v = var(t)\nby_hand = mean(t * t) - mean(t)**2\ns = std(t)", &table);
    assert_eq!(centred(&plan), ["t"]);
    let found = oracle::run(&plan, &table, 1);
    for (at, right) in [(0, 0.010_495_264), (1, 0.010_495_264), (2, 0.010_495_264f64.sqrt())] {
        let (name, found) = &found.outputs[at];
        assert!((number(found) - right).abs() < 1e-6 * right, "{name}: {found:?}");
    }
    assert_near(&plan, &table, 1e-4);
}

#[test]
fn moments_of_two_columns_with_constants_of_their_own_are_near() {
    let rows = 40;
    let kelvin = around(300.0, 0.01, rows, 5);
    let noise = around(0.0, 3e-4, rows, 7);
    let stamp = around(1.76e9, 40.0, rows, 3);
    let depth: Vec<f64> =
        kelvin.iter().zip(&noise).map(|(k, n)| -5e6 + 250.0 * (k - 300.0) + n * 100.0).collect();
    let table = table(&[("kelvin", kelvin), ("stamp", stamp), ("depth", depth)]);
    let text = "c = cov(kelvin, depth)\nr = corr(kelvin, depth)\n\
                fit = least_squares(depth, [kelvin, stamp])\nm = mean(depth)\nv = var(stamp)\ns = std(depth)\n\
                away = depth - mean(depth)\nlag = 2 * stamp - 3 * kelvin + 7";
    let plan = plan(text, &table);
    assert_eq!(centred(&plan), ["kelvin", "stamp", "depth"]);
    assert_near(&plan, &table, 1e-2);
    let found = oracle::run(&plan, &table, 8);
    let of = |name: &str| number(&found.outputs.iter().find(|(output, _)| output == name).unwrap().1);
    assert!((of("fit_kelvin") - 250.0).abs() < 2.0, "{:?}", found.outputs);
    let intercept = -5e6 - 300.0 * of("fit_kelvin") - 1.76e9 * of("fit_stamp");
    assert!((of("fit_intercept") - intercept).abs() < 0.1, "{} {intercept}", of("fit_intercept"));
}

#[test]
fn covariances_are_right_by_exact_fractions() {
    let columns =
        [("a", around(300.0, 0.01, 33, 5)), ("b", around(-4e7, 2.0, 33, 7)), ("c", around(0.5, 3.0, 33, 11))];
    let table = table(&columns);
    let text = "v = var(a)\nu = cov(a, b)\nd = cov(b, c)\nm = mean(b) + 2 * mean(a)\ne = 5 - b - a\n\
                k = (b - mean(b)) * c";
    let plan = plan(text, &table);
    assert_eq!(centred(&plan), ["a", "b"]);
    assert_right(&plan, &table, 1e-3);
}

#[test]
fn means_and_differences_get_their_constants_back() {
    let (start, end) = (around(1.7e9, 30.0, 20, 3), around(1.7e9 + 60.0, 31.0, 20, 7));
    let table = table(&[("start", start), ("end", end)]);
    let plan =
        plan("dur = end - start\nm = mean(end)\nt = sum(start)\nq = ratio(sum(end), sum(start))", &table);
    assert_eq!(centred(&plan), ["start", "end"]);
    assert_near(&plan, &table, 1e-5);
}

#[test]
fn columns_that_gain_nothing_stay_as_they_are() {
    let columns = table(&[("t", around(1.7e9, 30.0, 12, 3)), ("age", around(40.0, 25.0, 12, 5))]);
    for text in ["v = var(age)\nm = mean(age)", "s = age + 3", "q = exp(t / 1000000000)"] {
        assert_eq!(centred(&plan(text, &columns)), [""; 0], "{text}");
    }
    let declared = Schema::from_table(&columns, &[parse_range_override("t=-50000000:1800000000").unwrap()]);
    assert_eq!(centred(&plan_with("v = var(t)", &declared.unwrap(), &options()).unwrap()), [""; 0]);
}

/// The largest bound of a plan's results, and the largest distance from the right ones.
fn errors(plan: &Plan, table: &Table) -> (f64, f64) {
    let found = oracle::run(plan, table, 9);
    let right = plan.evaluate_real(table).unwrap();
    let off = found.outputs.iter().zip(&right).flat_map(|((_, found), (_, right))| {
        found.as_slice().iter().zip(right.as_slice()).map(|(a, b)| (a - b).abs()).collect::<Vec<_>>()
    });
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    (largest(&mut found.error_bounds.unwrap().into_iter()), largest(&mut off.into_iter()))
}

#[test]
fn what_is_linear_in_a_column_far_from_zero_is_near_beside_its_spread() {
    let table = table(&[("t", around(1.7e9, 30.0, 12, 3)), ("u", around(-4e6, 0.5, 12, 7))]);
    let text = "m = mean(t)\ns = 3 * mean(u)\nsame = t\nscore = dot([t, u], [0.25, -7.5]) + 3";
    let ranges = ["t=1699999000:1700001000", "u=-4000016:-3999984"];
    let ranges: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    for (ranges, most) in [(&[][..], 1e-4), (&ranges[..], 2e-3)] {
        let schema = Schema::from_table(&table, ranges).unwrap();
        let plan = plan_with(text, &schema, &options()).unwrap();
        assert_eq!(centred(&plan), ["t", "u"]);
        let (bound, off) = errors(&plan, &table);
        // Doubles near 1.7e9 are 2.4e-7 apart.
        assert!(off <= bound + 4e-7 && bound <= most, "{off:e} ± {bound:e}");
    }
}

#[test]
fn values_at_both_ends_of_a_declared_range_are_encrypted() {
    let ends = [("t", vec![1.0e6 + 0.1, 1.0e6 + 0.7]), ("u", vec![-3.000_000_1e7, -3.0e7])];
    let table = table(&ends);
    let ranges = ["t=1000000.1:1000000.7", "u=-30000001:-30000000"];
    let ranges: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(&table, &ranges).unwrap();
    let plan = plan_with("m = mean(t)\nv = var(t)\ns = t + u", &schema, &options()).unwrap();
    assert_eq!(centred(&plan), ["t", "u"]);
    let (bound, off) = errors(&plan, &table);
    assert!(off <= bound + 1e-8 && bound < 1e-4, "{off:e} ± {bound:e}");
}

#[test]
fn least_squares_of_declared_ranges_stay_mergeable() {
    let table = table(&[("t", around(1.7e9, 30.0, 12, 3)), ("u", around(-4e6, 0.5, 12, 7))]);
    let ranges = [parse_range_override("u=-4000016:-3999984").unwrap()];
    let schema = Schema::from_table(&table, &ranges).unwrap();
    let plan = plan_with("fit = least_squares(t, [u])", &schema, &options()).unwrap();
    assert_eq!(centred(&plan), ["t"]);
}

#[test]
fn a_column_that_an_output_needs_as_it_is_is_refused_or_has_a_public_constant() {
    let table = table(&[("t", OFFSET.to_vec())]);
    let schema = Schema::from_table(&table, &[]).unwrap();
    let text = "v = var(t)\nq = t * t\nz = (t - 100000000)**2";
    let refused = plan_with(text, &schema, &options()).unwrap_err();
    let PlanningError::NotFeasible { reason: GenerateError::NeedsCentre { column, output, moment }, .. } =
        &refused
    else {
        panic!("{refused}")
    };
    assert_eq!([column, output, moment], ["t", "q", "v"]);
    assert_eq!(refused.advice(), [Advice::PublicCentre { column: "t".to_owned() }, Advice::SplitProgram]);
    // What only needs it as it is isn't refused.
    assert_eq!(centred(&plan_with("q = t * t", &schema, &options()).unwrap()), [""; 0]);

    let declared = parse_public_centre("t=100000000").unwrap();
    let about = schema.clone().about(&table, std::slice::from_ref(&declared)).unwrap();
    let plan = plan_with(text, &about, &options()).unwrap();
    assert!(Centres::of(&plan.program, &plan.schema, &table).unwrap().is_empty());
    assert_near(&plan, &table, 1e-4);

    let bad = |declared: &[PublicCentre]| schema.clone().about(&table, declared).unwrap_err().to_string();
    assert!(bad(&[declared.clone(), declared]).contains("twice"));
    assert!(bad(&[parse_public_centre("u=5").unwrap()]).contains("no such column"));
    assert!(bad(&[parse_public_centre("t=1e-9").unwrap()]).contains("exactly"));
    assert!(parse_public_centre("t").unwrap_err().to_string().contains("name=value"));
}

#[test]
fn no_plan_or_file_of_ciphertexts_has_the_constant() {
    let table = table(&[("t", OFFSET.to_vec())]);
    let plan = plan("v = var(t)\nm = mean(t)", &table);
    let mut sampler = Sampler::new(&Seed([3; 32]));
    let keys = execute::generate_keys(&plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(&plan, &keys.public, &table, &mut sampler).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    plan.write(&at("plan")).unwrap();
    inputs.write(&plan, Contents::Inputs, &at("inputs")).unwrap();
    let read = Encrypted::read(&plan, Contents::Inputs, &at("inputs")).unwrap();
    let results = execute::evaluate(&plan, keys.evaluation.clone(), read, &execute::unwatched).unwrap();
    results.write(&plan, Contents::Outputs, &at("results")).unwrap();

    let centres = Centres::of(&plan.program, &plan.schema, &table).unwrap();
    let text = serde_json::to_value(&centres).unwrap()["t"].as_str().unwrap().to_owned();
    let middle: f64 = text.split_once('/').map_or_else(
        || text.parse().unwrap(),
        |(p, q)| p.parse::<f64>().unwrap() / q.parse::<f64>().unwrap(),
    );
    assert!((middle - 1e8).abs() < 1.0, "{text}");
    let bytes = middle.to_le_bytes();
    for name in ["plan", "inputs", "results"] {
        let file = std::fs::read(at(name)).unwrap();
        for part in [&bytes[..], text.as_bytes(), b"99999999.", b"100000000."] {
            assert!(!file.windows(part.len()).any(|window| window == part), "{name}");
        }
    }
    assert!(!format!("{centres:?}").contains("99999999"));

    // Results that were read from files are decrypted with the client's secrets, or not at all.
    let secret = keys.secret.as_ref().unwrap();
    let results = Encrypted::read(&plan, Contents::Outputs, &at("results")).unwrap();
    let refused = execute::decrypt(&plan, secret, &results, &InputSecrets::none()).unwrap_err().to_string();
    assert!(refused.contains("`t`") && refused.contains("constant"), "{refused}");
    let found = execute::decrypt(&plan, secret, &results, &secrets).unwrap();
    assert!((number(&found.outputs[1].1) - 99_999_999.970_806).abs() < 1e-5, "{:?}", found.outputs);

    let json = plan.to_json();
    let read = |json: &str| Plan::from_json(json.as_bytes(), "p", SecurityCheck::Required, Backend::Scalar);
    assert_eq!(read(&json).unwrap().schema, plan.schema);
    let uses = json.replace("mean(t)", "sigmoid(t)");
    assert!(read(&uses).unwrap_err().to_string().contains("secret constant"));
}

#[test]
fn a_plan_for_fewer_rows_takes_the_middle_of_the_data_at_hand() {
    let most = table(&[("t", around(1e8, 0.1, 64, 5))]);
    let schema = Schema::from_table(&most, &[]).unwrap();
    let options = PlanOptions { fewer_rows: true, ..options() };
    let plan = plan_with("v = var(t)\nm = mean(t)\ns = sum(t)", &schema, &options).unwrap();
    for rows in [64, 33, 7] {
        let table = table(&[("t", around(-3e6, 0.1, rows, 3))]);
        assert_right(&plan.for_rows(rows).unwrap(), &table, 1e-3);
    }
    let wide = table(&[("t", around(1e8, 5.0, 7, 3))]);
    let plan = plan.for_rows(7).unwrap();
    let mut sampler = Sampler::new(&Seed([3; 32]));
    let keys = execute::generate_keys(&plan, &mut sampler);
    let refused = execute::encrypt(&plan, &keys.public, &wide, &mut sampler).unwrap_err().to_string();
    assert!(refused.contains("around the middle"), "{refused}");
}

#[test]
fn decimals_and_whole_numbers_keep_their_kind_when_they_are_centred() {
    let whole = ColumnValues::Whole((0..30).map(|row| 1_700_000_000 + row * row % 37).collect());
    let values = (0..30).map(|row| 30_000_000 + row * 7 % 23).collect();
    let decimals = ColumnValues::Decimal { values, places: 2 };
    let columns = [("w", whole), ("d", decimals)];
    let column = |(name, values): (&str, ColumnValues)| Column { name: name.to_owned(), values };
    let table = Table { columns: columns.map(column).into(), rows: 30 };
    let plan = plan("v = var(w)\nu = var(d)\nc = cov(w, d)\nx = d - 5\nn = sum(w)", &table);
    assert_eq!(centred(&plan), ["w", "d"]);
    assert_right(&plan, &table, 1e-4);
    let exact = oracle::run(&plan, &table, 7);
    let sum: i64 = (0..30).map(|row| 1_700_000_000 + row * row % 37).sum();
    assert_eq!(number(&exact.outputs[4].1), sum as f64);
    assert_eq!(exact.error_bounds.unwrap()[4], 0.0);
    // Exact schemes need no constant.
    let schema = Schema::from_table(&table, &[]).unwrap();
    let options = PlanOptions {
        scheme: Some(SchemeName::Bgv),
        precision: Precision::Relative { bits: 20 },
        ..options()
    };
    let plan = plan_with("c = cov(w, d)\nv = var(w)", &schema, &options).unwrap();
    assert_eq!(centred(&plan), [""; 0]);
    let found = oracle::run(&plan, &table, 9);
    assert_eq!(found.exact, plan.evaluate_exact(&table).unwrap());
}
