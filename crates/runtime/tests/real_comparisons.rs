//! Comparisons of real numbers, and choices by them, on CKKS.

use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    advice::{Advice, Advised},
    data::{Column, ColumnValues, Table},
    execute::{self, ExecuteError},
    plan::{Plan, PlanningError, SchemeName, SecurityCheck},
    precision::Precision,
};

use crate::{oracle, planning};

fn reals(columns: &[(&str, &[f64])]) -> Table {
    let column = |(name, values): &(&str, &[f64])| Column {
        name: (*name).to_owned(),
        values: ColumnValues::Real(values.to_vec()),
    };
    Table { columns: columns.iter().map(column).collect(), rows: columns[0].1.len() }
}

fn wholes(columns: &[(&str, &[i64])]) -> Table {
    let column = |(name, values): &(&str, &[i64])| Column {
        name: (*name).to_owned(),
        values: ColumnValues::Whole(values.to_vec()),
    };
    Table { columns: columns.iter().map(column).collect(), rows: columns[0].1.len() }
}

fn planned(text: &str, table: &Table, ranges: &[&str], bits: u32) -> Result<Plan, PlanningError> {
    planning::planned(Some(SchemeName::Ckks), text, table, ranges, bits)
}

/// Runs a program encrypted and holds it against plain arithmetic.
fn assert_right(text: &str, table: &Table, ranges: &[&str], bits: u32) -> Plan {
    let plan = planned(text, table, ranges, bits).unwrap_or_else(|error| panic!("{text}: {error}"));
    let decrypted = oracle::run(&plan, table, 5);
    if let Some(wrong) = oracle::wrong(&plan, table, Precision::Relative { bits }, &decrypted) {
        panic!("{text}: {wrong}");
    }
    plan
}

#[test]
fn real_numbers_are_compared_up_to_the_gap_and_the_ends_of_their_ranges() {
    // 2^-5 of the difference's range is 1/4.
    let table =
        reals(&[("x", &[-4.0, 4.0, 0.5, -1.25, 3.0, 0.0]), ("y", &[4.0, -4.0, 0.75, -1.5, 2.7, -0.3])]);
    let text = "a = x < y\nb = x >= y\nc = sign(x - y)\nd = less_than(x, y, 0.25)\ne = sum(x > 0.25)";
    assert_right(text, &table, &["x=-4:4", "y=-4:4"], 5);
}

#[test]
fn magnitudes_of_any_size_are_compared() {
    for size in [1e-6, 1e6] {
        let x = [1.0, -1.0, 0.75, -0.5].map(|x| x * size);
        let text = format!("a = x > {}\nb = abs(x)\nc = relu(x)", 0.125 * size);
        assert_right(&text, &reals(&[("x", &x)]), &[], 4);
    }
}

#[test]
fn absolute_values_and_extremes_are_as_near_as_asked_at_0_too() {
    let table =
        reals(&[("x", &[-2.0, 2.0, 0.0, 1e-3, -1e-4, 0.7]), ("y", &[2.0, -2.0, 1e-5, 1e-3, 0.5, 0.6999])]);
    assert_right("a = abs(x)\nb = max(x, y)\nc = relu(0.25 - y)", &table, &["x=-2:2", "y=-2:2"], 4);
}

#[test]
#[ignore = "slow"]
fn comparisons_and_extremes_have_the_default_precision() {
    let table =
        reals(&[("x", &[-2.0, 2.0, 0.0, 1e-3, -1e-6, 0.7]), ("y", &[2.0, -2.0, 1e-5, 1.1e-3, 0.5, 0.6999])]);
    for text in ["a = x < y\nb = sum(x < y)", "a = max(x, y)\nb = abs(x)", "a = where(x < y, x, 3 * y)"] {
        assert_right(text, &table, &["x=-2:2", "y=-2:2"], 20);
    }
    assert_right("a = min(x, y, 0.25)", &table, &["x=-2:2", "y=-2:2"], 8);
}

#[test]
fn choices_are_made_by_conditions_of_any_form() {
    let table = reals(&[("x", &[0.1, 0.9, -0.6, 0.4]), ("y", &[5.0, -3.0, 2.5, 0.0])]);
    let text = "a = where(x < 0.5, y, -1.5)\nb = where((x > 0) * (y > 1), x, 0.25)\nc = where(1 - (x < 0.5), 0.5, 2)\nd = mean(where(x > 0, y, x))";
    assert_right(text, &table, &["x=-1:1", "y=-8:8"], 5);
    let error = planned("a = where(y, x, 1)", &table, &[], 8).unwrap_err().to_string();
    assert!(error.contains("chooses by a condition of 0 and 1"), "{error}");
}

#[test]
fn whole_numbers_are_all_told_apart_where_they_are_approximated() {
    let table = wholes(&[("n", &[0, 5, 5, 63, 17]), ("m", &[63, 5, 6, 62, 17])]);
    let text =
        "a = n < m\nb = n <= m\nc = n > 16.5\nd = sign(n - m)\ne = max(n, m) * 0.5\nf = where(n == m, 1, 0)";
    assert_right(text, &table, &[], 4);
}

#[test]
fn whole_numbers_of_any_ranges_are_equal_where_they_are() {
    let table = wholes(&[("n", &[9, 5, 5, 63, 17]), ("m", &[63, 5, 6, 62, 17])]);
    for ranges in [["n=0:63", "m=4:63"], ["n=0:63", "m=2:63"], ["n=-7:70", "m=3:64"], ["n=5:63", "m=5:63"]] {
        assert_right("f = n == m\ng = count(n != m)", &table, &ranges, 4);
    }
}

#[test]
fn exact_schemes_have_the_same_functions_of_whole_numbers() {
    let table = wholes(&[("n", &[0, 5, 5, 63, 17]), ("m", &[63, 5, 6, 62, 17])]);
    let text =
        "a = sign(n - m)\nb = less_than(n, m, 0.1)\nc = relu(n - m)\nd = n > 16.5\ne = where(n < 20, n, 0.5)";
    let plan = planning::planned(Some(SchemeName::Bgv), text, &table, &[], 8).unwrap();
    let decrypted = oracle::run(&plan, &table, 5);
    assert_eq!(oracle::wrong(&plan, &table, plan.precision, &decrypted), None);
    let error = planning::planned(Some(SchemeName::Bgv), "a = mean(n) < m", &table, &["n=0:1000000"], 8)
        .unwrap_err()
        .to_string();
    assert!(error.contains("`<` takes whole numbers, and an operand may be a fraction"), "{error}");
}

#[test]
fn approximated_functions_are_compared_too() {
    let table = reals(&[("x", &[0.5, 2.0, 1.25, 3.5])]);
    assert_right("a = log(x) < 0.5\nb = sqrt(abs(x - 1) + 1)", &table, &["x=0.25:4"], 4);
}

#[test]
fn numbers_nearer_than_the_gap_are_refused_before_they_are_encrypted() {
    // Comparisons with constants are the client's, and need no gap.
    let table =
        reals(&[("x", &[0.0, 1.0, 0.25, 0.75]), ("y", &[0.251; 4]), ("z", &[0.75; 4]), ("w", &[0.25; 4])]);
    let ranges = ["x=0:1", "y=0.251:0.251", "z=0.75:0.75", "w=0.25:0.25"];
    let ranges_of = |text: &str| -> Vec<&str> {
        ranges.into_iter().filter(|range| text[4..].contains(&range[..1])).collect()
    };
    let encrypted = |text: &str, bits: u32| {
        let plan = planned(text, &table, &ranges_of(text), bits).unwrap();
        let mut sampler = Sampler::new(&Seed([1; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        execute::encrypt(&plan, &keys.public, &table, &mut sampler).map(|_| plan.gaps())
    };
    // The difference with 0.251 is in -0.251 to 0.749, so that 8 bits are 1/256.
    assert!(encrypted("a = x < 0.251", 8).unwrap().iter().all(Option::is_none));
    let error = encrypted("a = x < y", 8).unwrap_err();
    let ExecuteError::Undecided { row: 3, function: "<", gap, .. } = error else { panic!("{error}") };
    assert_eq!(gap, 1.0 / 256.0);
    assert!(error.advice().contains(&Advice::SmallerGap), "{error}");
    let plan = planned("a = x < y", &table, &ranges_of("a = x < y"), 8).unwrap();
    let plan = Plan { security: 128, ..plan };
    assert_eq!(planning::read_again(&plan).digest(), plan.digest());
    let gaps = encrypted("a = less_than(x, y, 0.0009)", 8).unwrap();
    assert_eq!(gaps.iter().flatten().collect::<Vec<_>>(), [&0.0009]);
    encrypted("a = x < y", 10).unwrap();
    // Extremes and absolute values need no gap.
    encrypted("a = max(x, w) + abs(x)", 8).unwrap();
    assert!(matches!(encrypted("a = sign(x - z, 1e-4)", 8), Err(ExecuteError::Undecided { row: 4, .. })));
}

#[test]
fn plans_that_state_other_errors_of_their_comparisons_are_refused() {
    let table = reals(&[("x", &[0.0, 1.0]), ("y", &[0.25, 0.5])]);
    for (text, ranges) in [("a = x < y", &["x=0:1", "y=0.25:0.5"][..]), ("a = abs(x - 0.5)", &["x=0:1"])] {
        let plan = planned(text, &table, ranges, 8).unwrap();
        for bits in [i32::MIN, -60, plan.hints.fit_bits[0] - 5, 5, i32::MAX] {
            let mut file: serde_json::Value = serde_json::from_str(&plan.to_json()).unwrap();
            file["derivation"]["fit_bits"] = serde_json::json!([bits]);
            let backend = Backend::detect().unwrap();
            let read = Plan::from_json(file.to_string().as_bytes(), "p", SecurityCheck::Required, backend);
            assert!(read.is_err(), "{text} with 2^{bits}");
        }
    }
}
