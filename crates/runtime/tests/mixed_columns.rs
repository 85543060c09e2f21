//! Conditions and functions of whole columns beside real ones: sums, counts and means by group, under CKKS.

use asanoha_runtime::program::evaluate_real;
use asanoha_runtime::{
    data::{Column, ColumnValues, Table},
    plan::{Plan, PlanningError, SchemeName},
    precision::Precision,
};

use crate::{oracle, planning};

fn table(columns: Vec<(&str, ColumnValues)>) -> Table {
    let rows = columns[0].1.len();
    let columns =
        columns.into_iter().map(|(name, values)| Column { name: name.to_owned(), values }).collect();
    Table { columns, rows }
}

/// Whole numbers from lo to hi, each once at least, and others in an order that looks like none.
fn whole(rows: usize, lo: i64, hi: i64) -> ColumnValues {
    let count = (hi - lo + 1) as usize;
    ColumnValues::Whole(
        (0..rows).map(|row| lo + (row * row * 7 + row * 5 + row / count) as i64 % (hi - lo + 1)).collect(),
    )
}

fn real(rows: usize, size: f64) -> ColumnValues {
    ColumnValues::Real((0..rows).map(|row| size * wave(row as f64)).collect())
}

fn wave(x: f64) -> f64 {
    // A value between −1 and 1 that double precision gives alike everywhere.
    let t = x * 0.618_033_988_749_895;
    2.0 * (t - t.floor()) - 1.0
}

fn planned(text: &str, table: &Table, ranges: &[&str], bits: u32) -> Result<Plan, PlanningError> {
    planning::planned(None, text, table, ranges, bits)
}

/// Runs a program encrypted and holds it against plain arithmetic.
fn assert_right(text: &str, table: &Table, ranges: &[&str], bits: u32) -> Plan {
    let plan = planned(text, table, ranges, bits).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(plan.params.scheme(), SchemeName::Ckks, "{text}");
    let decrypted = oracle::run(&plan, table, 5);
    if let Some(wrong) = oracle::wrong(&plan, table, Precision::Relative { bits }, &decrypted) {
        panic!("{text}: {wrong}");
    }
    plan
}

#[test]
fn sums_and_counts_by_group_of_a_real_column() {
    let table = table(vec![("k", whole(60, 0, 3)), ("y", real(60, 80.0))]);
    let text = "total = sum((k == 1) * y)\nrows = count(k == 1)\nothers = sum((k != 1) * y)";
    assert_right(text, &table, &[], 20);
}

#[test]
fn groups_of_any_number_of_values_are_told_apart() {
    // A line, polynomials of the lowest degree, and flat ones.
    for (lo, hi) in [(0, 1), (4, 5), (-1, 1), (0, 6), (3, 10), (-5, 5), (0, 31)] {
        let table = table(vec![("k", whole(50, lo, hi)), ("y", real(50, 1.0))]);
        let group = i64::midpoint(lo, hi);
        let text = format!("a = sum((k == {group}) * y)\nb = (k != {hi}) + y");
        assert_right(&text, &table, &[&format!("k={lo}:{hi}")], 14);
    }
}

#[test]
fn magnitudes_of_the_real_column_make_no_difference() {
    for size in [1e-9, 1e-3, 1e9] {
        let table = table(vec![("k", whole(20, 0, 4)), ("y", real(20, size))]);
        assert_right("a = sum((k == 2) * y)\nb = mean(where(k != 3, y, 2 * y))", &table, &["k=0:4"], 16);
    }
}

#[test]
fn two_columns_and_two_conditions() {
    let table = table(vec![("k", whole(40, 0, 3)), ("j", whole(40, 1, 4)), ("y", real(40, 5.0))]);
    assert_right(
        "a = sum((k == j) * y)\nb = sum((k == 1 and j == 2) * y)\nc = sum((k == 0 or j > 3) * y)",
        &table,
        &["k=0:3", "j=1:4"],
        12,
    );
}

#[test]
fn quotients_remainders_and_tables_beside_real_columns() {
    let table = table(vec![("k", whole(40, 0, 11)), ("j", whole(40, 1, 4)), ("y", real(40, 2.0))]);
    assert_right("a = (k // 4) * y\nb = (k % 3) + y", &table, &["k=0:11"], 12);
    assert_right("a = table(j, [7, -3, 2, 1000, 4]) * y", &table, &["j=1:4"], 12);
    assert_right(
        "a = table2(j, k % 2, [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]]) * y\nb = (k // j) * y",
        &table,
        &["k=0:11", "j=1:4"],
        10,
    );
}

#[test]
fn functions_that_are_the_same_for_all_values_are_constants() {
    let table =
        table(vec![("k", whole(10, 0, 5)), ("c", ColumnValues::Whole(vec![0; 10])), ("y", real(10, 3.0))]);
    let text =
        "a = (k == 9) * y\nb = (c // 3) + y\nd = (c == 0) * y\ne = (k // 7) + y\nf = sum((k % 1) * y + 1)";
    assert_right(text, &table, &["c=0:0"], 12);
    assert_right("a = (k if k > 1 and 9 < 5 else 4) + y", &table, &["c=0:0"], 12);
}

#[test]
fn quotients_of_many_values_are_sums_of_steps() {
    let values = vec![-300, -201, -200, -199, -1, 0, 1, 199, 200, 299];
    let table = table(vec![("k", ColumnValues::Whole(values)), ("y", real(10, 3.0))]);
    assert_right("a = (k // 200) * y\nb = (k % -200) + y", &table, &["k=-300:299"], 4);
}

#[test]
#[ignore = "slow"]
fn equality_of_wide_columns_is_told_by_signs() {
    let values = vec![700, 12, 5000, 701, 699, 0, 4095, 700];
    let table = table(vec![("k", ColumnValues::Whole(values)), ("y", real(8, 3.0))]);
    assert_right("a = sum((k == 700) * y)\nb = (k != 700) * y", &table, &["k=0:5000"], 8);
}

#[test]
fn equality_of_more_values_than_tables_have_is_told_by_signs() {
    let values = vec![-150, 12, 150, 11, 13, 0];
    let table = table(vec![("k", ColumnValues::Whole(values)), ("y", real(6, 3.0))]);
    assert_right("a = sum((k == 12) * y)", &table, &["k=-150:150"], 4);
}

#[test]
fn what_is_not_whole_or_has_too_many_values_is_refused_with_what_to_do() {
    let table = table(vec![("k", whole(10, 0, 1000)), ("y", real(10, 3.0))]);
    for (text, expected) in [
        ("a = (y == k) * y", "an operand is not known to be one"),
        ("a = (k % 7) * y", "at most 256 values"),
        ("a = (7 // (k + 1)) * y", "at most 256 values"),
        ("a = (k // (k + 1)) * y", "at most 256 values"),
    ] {
        let error = planned(text, &table, &["k=0:1000"], 10).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn results_that_are_whole_numbers_are_exact() {
    let table = table(vec![("k", whole(60, 0, 3)), ("y", real(60, 80.0))]);
    let plan =
        assert_right("rows = count(k == 1)\nones = (k == 1)\nless = sum((k == 1) * y)", &table, &[], 10);
    let decrypted = oracle::run(&plan, &table, 3);
    let expected = evaluate_real(&plan.program, &table).unwrap();
    assert_eq!(decrypted.outputs[..2], expected[..2]);
    let errors = decrypted.error_bounds.unwrap();
    assert!(errors[0] == 0.0 && errors[1] == 0.0 && errors[2] > 0.0, "{errors:?}");
}
