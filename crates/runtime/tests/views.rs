//! Conditions of single columns, which the client computes: exact whatever the column holds, in every scheme.

use asanoha_runtime::{
    data::{Column, ColumnValues, Table},
    execute::check,
    plan::{Plan, SchemeName},
    program::Values,
};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::{oracle, planning};

const SCHEMES: [SchemeName; 4] = [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks, SchemeName::Tfhe];

fn table(columns: Vec<(&str, ColumnValues)>) -> Table {
    let rows = columns[0].1.len();
    let column = |(name, values): (&str, ColumnValues)| Column { name: name.to_owned(), values };
    Table { columns: columns.into_iter().map(column).collect(), rows }
}

fn planned(scheme: Option<SchemeName>, text: &str, table: &Table, ranges: &[&str]) -> Plan {
    let plan = planning::planned(scheme, text, table, ranges, 20);
    planning::read_again(&plan.unwrap_or_else(|error| panic!("{scheme:?}, {text}: {error}")))
}

/// The results of a program in a scheme as doubles, and how far each output may be off.
fn results(plan: &Plan, table: &Table) -> Vec<(Vec<f64>, f64)> {
    let decrypted = oracle::run(plan, table, 7);
    let bounds = decrypted.error_bounds.clone().unwrap_or_else(|| vec![0.0; decrypted.outputs.len()]);
    let outputs = decrypted.outputs.iter().zip(bounds);
    outputs.map(|((_, values), bound)| (values.as_slice().to_vec(), bound)).collect()
}

/// Doubles as files have them: ties, decimals that no double is, and numbers far from each other.
const HOSTILE: [f64; 14] =
    [8.0, 7.9999, 8.0001, 0.57, -0.57, 0.1 + 0.2, 0.3, 1e-300, -1e-300, 5e17, -5e17, 0.0, -0.0, 1.1];

/// A condition of x, and whether a double meets it.
type Condition = (&'static str, fn(f64) -> bool);

#[test]
fn real_numbers_meet_thresholds_as_doubles_do_in_every_scheme() {
    let x = table(vec![("x", ColumnValues::Real(HOSTILE.to_vec()))]);
    let conditions: [Condition; 8] = [
        ("x >= 8", |x| x >= 8.0),
        ("x < 0.57", |x| x < 0.57),
        ("x == 0.57", |x| x == 0.57),
        ("x != 0.3", |x| x != 0.3),
        ("0 < x <= 7.9999", |x| 0.0 < x && x <= 7.9999),
        ("not x > 1.1", |x| x <= 1.1),
        ("x < -0.57 or x >= 8.0001", |x| !(-0.57..8.0001).contains(&x)),
        ("2 * x + 1 == 2.14", |x| x == 0.57),
    ];
    let lines = conditions.iter().enumerate();
    let text: Vec<String> = lines
        .map(|(at, (condition, _))| format!("a{at} = {condition}\nn{at} = count({condition})"))
        .collect();
    let text = text.join("\n");
    for scheme in SCHEMES {
        let plan = planned(Some(scheme), &text, &x, &[]);
        let found = results(&plan, &x);
        for (at, (condition, holds)) in conditions.iter().enumerate() {
            let expected: Vec<f64> = HOSTILE.iter().map(|&x| f64::from(u8::from(holds(x)))).collect();
            let total = expected.iter().sum::<f64>();
            for ((found, bound), expected) in [(&found[2 * at], expected), (&found[2 * at + 1], vec![total])]
            {
                let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off <= *bound && *bound < 1e-3, "{scheme}, {condition}: {found:?}");
                assert!(scheme == SchemeName::Ckks || off == 0.0, "{scheme}, {condition}: {found:?}");
            }
        }
    }
    // Nothing is approximated unless that's asked for.
    assert_ne!(planned(None, &text, &x, &[]).params.scheme(), SchemeName::Ckks);
}

#[test]
fn conditions_choose_among_real_numbers_without_a_gap() {
    let x = table(vec![
        ("x", ColumnValues::Real(vec![5.0, 4.999_999_999, 5.000_000_001, -3.25])),
        ("y", ColumnValues::Real(vec![1.5, 2.5, 3.5, 4.5])),
    ]);
    let plan = planned(None, "z = where(x >= 5, y, -y)", &x, &[]);
    assert_eq!(plan.params.scheme(), SchemeName::Ckks);
    assert!(plan.gaps().iter().all(Option::is_none));
    let (found, bound) = &results(&plan, &x)[0];
    for (found, expected) in found.iter().zip([1.5, -2.5, 3.5, -4.5]) {
        assert!((found - expected).abs() <= *bound && *bound < 1e-4, "{found} {expected} {bound}");
    }
    // Of two columns there's a gap as before.
    assert!(planned(None, "z = x < y", &x, &[]).gaps().iter().any(Option::is_some));
}

#[test]
fn whole_columns_cost_no_bootstrapping_where_they_are_compared_with_constants() {
    let x = table(vec![
        ("x", ColumnValues::Whole(vec![3, 7, 1_000_000, -5])),
        ("y", ColumnValues::Whole(vec![1; 4])),
    ]);
    let text = "a = (x > 3) + (x == 7)\nb = y * (x >= 7)";
    let plan = planned(Some(SchemeName::Tfhe), text, &x, &[]);
    assert!(plan.hints.views && plan.bootstraps().unwrap() < 40.0, "{:?}", plan.bootstraps());
    let found: Vec<Vec<f64>> = results(&plan, &x).into_iter().map(|(values, _)| values).collect();
    assert_eq!(found, [[0.0, 2.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]]);
    // Programs without such conditions say nothing of views.
    assert!(!planned(Some(SchemeName::Tfhe), "a = x + y", &x, &[]).hints.views);
}

#[test]
fn plans_without_the_hint_keep_their_schedule() {
    let x = table(vec![("x", ColumnValues::Whole(vec![3, 7, 9, 0]))]);
    let plan = planned(Some(SchemeName::Tfhe), "a = x > 3", &x, &[]);
    let text = plan.to_json();
    let stripped = text.lines().filter(|line| !line.contains("\"views\"")).collect::<Vec<_>>().join("\n");
    assert_ne!(text.len(), stripped.len());
    // The schedule that is stated is one with views, and what such a file derives is one without.
    let read = Plan::from_json(
        stripped.as_bytes(),
        "plan.json",
        asanoha_runtime::plan::SecurityCheck::Waived,
        asanoha_kernels::Backend::detect().unwrap(),
    );
    assert!(
        read.unwrap_err().to_string().contains("its schedule or what it predicts isn't that of its program")
    );
}

#[test]
fn quotients_of_whole_numbers_beyond_words_are_encrypted_as_they_are_planned() {
    let wide =
        |values: &[&str]| ColumnValues::Integers(values.iter().map(|value| value.parse().unwrap()).collect());
    let a = ["10000000000000000000007", "-9223372036854775808", "9223372036854775807", "-1", "0"];
    let b = [9, -1, 4, 3, -7];
    let x = table(vec![("a", wide(&a)), ("b", ColumnValues::Whole(b.to_vec()))]);
    let plan = planned(None, "q = a // b\nr = a % b", &x, &[]);
    let decrypted = oracle::run(&plan, &x, 3);
    let exact = decrypted.exact.expect("exact");
    for (row, (a, b)) in a.iter().zip(b).enumerate() {
        let (a, b) = (BigRational::from_integer(a.parse().unwrap()), BigRational::from_integer(b.into()));
        let q = (&a / &b).floor();
        let r = &a - &b * &q;
        assert_eq!([&exact[0].1.as_slice()[row], &exact[1].1.as_slice()[row]], [&q, &r], "row {row}");
    }
}

#[test]
fn data_at_both_ends_of_every_declared_range_are_encrypted() {
    let ends: [(&str, [&str; 2]); 6] = [
        ("-9223372036854775808:9223372036854775807", ["-9223372036854775808", "9223372036854775807"]),
        ("-1:1", ["-1", "1"]),
        ("9223372036854775806:9223372036854775809", ["9223372036854775806", "9223372036854775809"]),
        ("-170141183460469231731687303715884105728:1", ["-170141183460469231731687303715884105728", "1"]),
        ("2:3", ["2", "3"]),
        ("-7:-1", ["-7", "-1"]),
    ];
    let column = |values: [&str; 2]| {
        let values: Vec<BigInt> = values.iter().map(|value| value.parse().unwrap()).collect();
        match values.iter().map(i64::try_from).collect::<Result<Vec<i64>, _>>() {
            Ok(words) => ColumnValues::Whole(words),
            Err(_) => ColumnValues::Integers(values),
        }
    };
    let mut planned = 0;
    for (a_range, a) in &ends {
        for (b_range, b) in &ends {
            let x = table(vec![("a", column(*a)), ("b", column(*b))]);
            let ranges = [format!("a={a_range}"), format!("b={b_range}")];
            let ranges: Vec<&str> = ranges.iter().map(String::as_str).collect();
            for text in
                ["y = a // b", "y = a % b", "y = (a > 2) * b", "y = abs(a) + b", "y = a // 3 + (b == 1)"]
            {
                for scheme in SCHEMES {
                    let Ok(plan) = planning::planned(Some(scheme), text, &x, &ranges, 20) else { continue };
                    planned += 1;
                    match check(&plan, &x) {
                        Ok(()) => {}
                        // A divisor of 0 in the data is refused by name; there's none here.
                        Err(error) => panic!("{scheme}, {text} on {ranges:?}: {error}"),
                    }
                }
            }
        }
    }
    assert!(planned > 100, "{planned} plans");
}

#[test]
fn the_plain_computation_meets_the_same_thresholds() {
    let x = table(vec![("x", ColumnValues::Real(vec![0.57, 0.58, 1.15, 1.005]))]);
    let plan =
        planned(Some(SchemeName::Ckks), "a = 100 * x == 57\nb = mean(x)\nc = 1000 * x == 1005", &x, &[]);
    let found = plan.evaluate_real(&x).unwrap();
    assert_eq!(found[0].1.as_slice(), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(found[2].1.as_slice(), [0.0, 0.0, 0.0, 1.0]);
    let whole = planned(Some(SchemeName::Bgv), "a = count(100 * x == 57)", &x, &[]);
    let one = Values::Number(BigRational::from_integer(1.into()));
    assert_eq!(whole.evaluate_exact(&x).unwrap().unwrap()[0].1, one);
}
