//! The same function of many numbers, such as the counts of a quantile, is evaluated on one ciphertext that holds all of them.

use asanoha_runtime::{
    compile::Op,
    data::{Column, ColumnValues, Schema, Table},
    plan::{Plan, PlanOptions, SchemeName, choose},
    program::{Program, Shape},
};

use crate::oracle;

/// A column of rows between two numbers, scattered.
fn table(rows: usize, lo: i64, hi: i64, seed: usize) -> Table {
    let value = |row: usize| lo + ((row * row * 31 + row * 17 + seed * 101) % (hi - lo + 1) as usize) as i64;
    let columns =
        vec![Column { name: "x".to_owned(), values: ColumnValues::Whole((0..rows).map(value).collect()) }];
    Table { rows, columns }
}

fn plan(scheme: SchemeName, text: &str, table: &Table, (lo, hi): (i64, i64)) -> Plan {
    let range = asanoha_runtime::data::parse_range_override(&format!("x={lo}:{hi}")).unwrap();
    let schema = Schema::from_table(table, &[range]).unwrap();
    let options = PlanOptions {
        scheme: Some(scheme),
        security: 0,
        threads: 2,
        every_scheme: false,
        ..PlanOptions::default()
    };
    choose(&Program::parse(text).unwrap(), &schema, &options).unwrap().into_plan(&options).unwrap()
}

/// How many times a plan evaluates functions of numbers, and how many numbers it keeps in slots.
fn counts(plan: &Plan) -> [usize; 2] {
    let steps = &plan.circuit.steps;
    let functions = steps
        .iter()
        .filter(|step| step.shape == Shape::Number && matches!(step.instruction, Op::Functions(..)));
    let kept = steps.iter().filter(|step| matches!(step.instruction, Op::KeepSlot(..)));
    [functions.count(), kept.count()]
}

fn assert_exact(plan: &Plan, table: &Table) {
    let decrypted = oracle::run(plan, table, 7);
    assert!(decrypted.exact.is_some());
    assert_eq!(oracle::wrong(plan, table, plan.precision, &decrypted), None);
}

#[test]
fn quantiles_compare_all_counts_at_once_and_are_exact() {
    for (scheme, rows, ends, q) in [
        (SchemeName::Bgv, 300, (-7, 12), "0.5"),
        (SchemeName::Bfv, 257, (100_000_001, 100_000_019), "0.99"),
        (SchemeName::Bgv, 64, (0, 30), "0.01"),
    ] {
        let table = table(rows, ends.0, ends.1, 3);
        let plan = plan(scheme, &format!("a = quantile(x, {q})"), &table, ends);
        let [functions, kept] = counts(&plan);
        let values = (ends.1 - ends.0) as usize;
        assert_eq!((functions, kept), (1, 2 * values), "{scheme} {rows}");
        assert_exact(&plan, &table);
    }
}

#[test]
fn no_more_numbers_than_a_block_has_slots_share_a_ciphertext() {
    // Of 20 rows a block has 32 slots, and there are 45 counts.
    let table = table(20, 3, 48, 1);
    let plan = plan(SchemeName::Bgv, "a = quantile(x, 0.5)", &table, (3, 48));
    assert_eq!(counts(&plan)[0], 2);
    assert_exact(&plan, &table);
}

#[test]
fn columns_of_several_ciphertexts_have_packed_counts_too() {
    let table = table(9_000, 0, 9, 2);
    let plan = plan(SchemeName::Bgv, "a = quantile(x, 0.75)", &table, (0, 9));
    assert!(plan.layout().chunks() > 1);
    assert_eq!(counts(&plan)[0], 1);
    assert_exact(&plan, &table);
}

#[test]
fn functions_of_results_are_packed_after_what_they_are_of() {
    let text = "a = quantile(x, 0.5)\nb = quantile(x, 0.9)\n\
                c = max(abs(quantile(x, 0.25) - 5), count(x == 7) > 30)\nd = sum(x) - quantile(x, 0.9)";
    for seed in 1..4 {
        let table = table(150 + seed, 0, 11, seed);
        let plan = plan(SchemeName::Bgv, text, &table, (0, 11));
        assert!(counts(&plan)[1] > 0);
        assert_exact(&plan, &table);
    }
}

#[test]
fn a_few_cheap_functions_are_left_alone() {
    let table = table(6, 0, 3, 1);
    let plan = plan(SchemeName::Bgv, "a = count(x > 1) > 2\nb = count(x > 2) > 2", &table, (0, 3));
    assert_eq!(counts(&plan)[1], 0);
    assert_exact(&plan, &table);
}

/// What is packed changes with the number of rows: a block of twice the slots takes one more rotation, and counts have wider ranges.
#[test]
fn a_plan_for_fewer_rows_computes_on_each_number_of_rows() {
    let text =
        "a = min(x)\nb = (count(x > 2) > 5) + (count(x > 9) > 5) + (count(x > 17) > 5) + (count(x > 24) > 5)";
    let most = table(70, 0, 29, 5);
    let options = PlanOptions {
        scheme: Some(SchemeName::Bgv),
        security: 0,
        threads: 2,
        fewer_rows: true,
        every_scheme: false,
        ..PlanOptions::default()
    };
    let range = asanoha_runtime::data::parse_range_override("x=0:29").unwrap();
    let schema = Schema::from_table(&most, &[range]).unwrap();
    let program = Program::parse(text).unwrap();
    let all = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
    let mut packed = 0;
    for rows in (2..=70).step_by(17).chain([64, 65]) {
        let table = table(rows, 0, 29, rows);
        let plan = all.for_rows(rows).unwrap_or_else(|error| panic!("{rows} rows: {error}"));
        packed += usize::from(counts(&plan)[1] > 0);
        let required = plan.key_levels();
        assert!(required.iter().all(|(name, level)| {
            all.key_levels().iter().any(|(other, highest)| name == other && level <= highest)
        }));
        assert_exact(&plan, &table);
    }
    assert!(packed > 0 && packed < 7, "{packed}");
}
