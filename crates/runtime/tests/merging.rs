//! Results of parts of the rows, merged to those of all rows.

use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    execute::{
        self, DecryptionKey, EncryptionKey, EvaluationKey, Keys, MergeError, Merging, Part, decrypt_part,
        unwatched,
    },
    plan::{Plan, PlanOptions, SchemeName, choose},
    precision::Precision,
    program::{Program, Values, extremes},
    report::merged_bounds,
};

/// The rows of each part: full ones, a short one and a single row.
const PARTS: [usize; 4] = [8, 8, 5, 1];

/// Whole numbers in −3..=20 for `x` and 0..=9 for `y`.
fn table(rows: usize) -> Table {
    let column = |name: &str, of: fn(i64) -> i64| Column {
        name: name.to_owned(),
        values: ColumnValues::Whole((0..rows as i64).map(of).collect()),
    };
    Table { columns: vec![column("x", |i| (i * 7) % 24 - 3), column("y", |i| (i * i) % 10)], rows }
}

fn part_of(table: &Table, start: usize, rows: usize) -> Table {
    let rows: Vec<usize> = (start..start + rows).collect();
    let column = |column: &Column| Column { name: column.name.clone(), values: column.values.select(&rows) };
    Table { columns: table.columns.iter().map(column).collect(), rows: rows.len() }
}

fn plan(text: &str, whole: bool, scheme: SchemeName, rows: usize, fewer_rows: bool) -> Plan {
    let schema = format!(
        r#"{{"rows": {rows}, "columns": [{{"name": "x", "whole": {whole}, "range": {{"lo": "-3", "hi": "20"}}}},
            {{"name": "y", "whole": {whole}, "range": {{"lo": "0", "hi": "9"}}}}]}}"#
    );
    let schema = Schema::from_json(schema.as_bytes(), "schema").unwrap();
    let precision = Precision::Relative { bits: 20 };
    let options =
        PlanOptions { scheme: Some(scheme), security: 0, fewer_rows, precision, ..PlanOptions::default() };
    choose(&Program::parse(text).unwrap(), &schema, &options).unwrap().into_plan(&options).unwrap()
}

/// The results of each part of a table.
fn parts(plan: &Plan, table: &Table, sizes: &[usize]) -> Vec<Part> {
    let mut sampler = Sampler::new(&Seed([3; 32]));
    let Keys { public: _, secret, evaluation, .. } = execute::generate_keys(plan, &mut sampler);
    let secret: DecryptionKey = secret.unwrap();
    let evaluation: EvaluationKey = evaluation;
    let key = EncryptionKey::from(&secret);
    let mut start = 0;
    let mut part = |(at, &rows): (usize, &usize)| {
        let narrow = plan.for_rows(rows).unwrap();
        let data = part_of(table, start, rows);
        start += rows;
        let mut sampler = sampler.branch("part", &[&at.to_le_bytes()]);
        let (inputs, secrets) = execute::encrypt(&narrow, &key, &data, &mut sampler).unwrap();
        let results = execute::evaluate(&narrow, evaluation.clone(), inputs, &unwatched).unwrap();
        decrypt_part(&narrow, &secret, &results, &secrets, &unwatched).unwrap()
    };
    sizes.iter().enumerate().map(&mut part).collect()
}

const PROGRAM: &str = "row = x * y + 1\ns = sum(x * y) - 5\nm = 2 * mean(x) + 0.5\nn = count(y > 4)\nlow = min(y)\nhigh = 3 - max(y)\n\
    w = mean_where(x, y > 4)\nr = ratio(sum(x), sum(y))\nfit = least_squares(y, [x])\nc = 7\nh = histogram(y, 0, 2)";

#[test]
fn exact_results_of_parts_merge_to_those_of_all_rows() {
    let rows = PARTS.iter().sum();
    let table = table(rows);
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        let chunked = plan(PROGRAM, true, scheme, 8, true);
        let extremes = extremes(&Program::parse(PROGRAM).unwrap());
        assert_eq!(extremes.len(), 2);
        let merging = Merging::of(&chunked, &extremes).unwrap();
        let merged = merging.merge(&chunked, parts(&chunked, &table, &PARTS)).unwrap();
        let expected = plan(PROGRAM, true, scheme, rows, false).evaluate_exact(&table).unwrap().unwrap();
        assert_eq!(merged.exact.as_ref(), Some(&expected), "{scheme}");
        let (bounds, lost) = merged_bounds(&chunked, &merged);
        assert!(lost.is_none() && bounds.iter().all(|&bound| bound == 0.0));
    }
}

#[test]
fn a_single_part_has_the_results_of_its_own() {
    let table = table(5);
    let text = "v = var(x)\nmiddle = mean(x) * mean(y)";
    let chunked = plan(text, true, SchemeName::Bgv, 8, true);
    let part = parts(&chunked, &table, &[5]).pop().unwrap();
    assert_eq!(part.rows(), 5);
    let expected = plan(text, true, SchemeName::Bgv, 5, false).evaluate_exact(&table).unwrap();
    assert_eq!(part.finish(&chunked.for_rows(5).unwrap()).exact, expected);
}

#[test]
fn approximate_results_of_parts_are_within_the_sum_of_their_errors() {
    let text = "row = sigmoid(x / 8)\ns = sum(x * y)\nm = mean(sigmoid(x / 8)) - 1\nw = mean_where(x, y > 4.5)\nfit = least_squares(y, [x])";
    let rows = PARTS.iter().sum();
    let (mut table, text) = (table(rows), &text.replace("y > 4.5", "less_than(4.5, y, 0.5)"));
    for column in &mut table.columns {
        column.values = ColumnValues::Real(column.values.to_real());
    }
    let chunked = plan(text, false, SchemeName::Ckks, 8, true);
    let merging = Merging::of(&chunked, &[]).unwrap();
    let mut of_parts = parts(&chunked, &table, &PARTS);
    let merged = merging.merge(&chunked, of_parts.clone()).unwrap();
    let expected = plan(text, false, SchemeName::Ckks, rows, false).evaluate_real(&table).unwrap();
    let (bounds, _) = merged_bounds(&chunked, &merged);
    for (((name, found), (_, expected)), bound) in merged.outputs.iter().zip(&expected).zip(&bounds) {
        for (found, expected) in found.as_slice().iter().zip(expected.as_slice()) {
            let rounding = 1e-12 * expected.abs().max(1.0);
            assert!((found - expected).abs() <= bound + rounding, "{name}: {found}, {expected}, {bound:e}");
        }
        assert_eq!(found.as_slice().len(), expected.as_slice().len());
        assert!(*bound > 0.0 && *bound < 1e-2, "{name}: {bound:e}");
    }
    // Totals don't depend on the order of the parts.
    of_parts.reverse();
    let reversed = merging.merge(&chunked, of_parts).unwrap();
    let totals = |of: &execute::Decrypted| {
        let numbers = of.outputs.iter().filter(|(_, values)| matches!(values, Values::Number(_)));
        numbers.cloned().collect::<Vec<_>>()
    };
    assert_eq!(totals(&reversed), totals(&merged));
}

#[test]
fn outputs_that_parts_do_not_tell_are_refused() {
    for text in ["v = var(x)", "p = sum(x) * sum(y)", "d = x - mean(x)", "k = std(x)", "few = sum(x) < 5"] {
        let chunked = plan(text, true, SchemeName::Bgv, 8, true);
        let error = Merging::of(&chunked, &[]).unwrap_err();
        let output = text.split(' ').next().unwrap().to_owned();
        assert_eq!(error, MergeError::Aggregate { output });
    }
    let sums = plan("s = sum(x)", true, SchemeName::Bgv, 8, true);
    let merging = Merging::of(&sums, &[]).unwrap();
    assert_eq!(merging.merge(&sums, Vec::new()).unwrap_err(), MergeError::NoParts);
    let other = plan("t = sum(x)", true, SchemeName::Bgv, 8, true);
    let foreign = parts(&other, &table(3), &[2, 1]);
    assert_eq!(merging.merge(&sums, foreign).unwrap_err(), MergeError::OtherPlan);
}
