//! The programs of the examples on the data beside them.

use std::path::{Path, PathBuf};

use asanoha_lang::{Program, Values, evaluate_exact, evaluate_real, ranges};
use asanoha_table::{ColumnValues, Schema, Table, read_table};

fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file)
}

fn load(program: &str, data: &str) -> (Program, Table, Schema) {
    let text = std::fs::read_to_string(example(program)).unwrap();
    let program = Program::parse(&text).unwrap_or_else(|error| panic!("{}", error.render(program)));
    let table = read_table(&example(data), program.input_names()).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    (program, table, schema)
}

fn whole<'a>(table: &'a Table, name: &str) -> &'a [i64] {
    match &table.column(name).unwrap().values {
        ColumnValues::Whole(values) => values,
        other => panic!("{name} is not a column of words: {other:?}"),
    }
}

#[test]
fn the_risk_score_is_the_written_formula_on_every_row() {
    let (program, table, schema) = load("risk.asa", "data/diabetes.csv");
    assert_eq!(table.rows, 442);
    // Its columns are decimals.
    assert!(program.is_exact(&schema));
    let outputs = evaluate_real(&program, &table).unwrap();
    let [bmi, bp, s5] = ["bmi", "bp", "s5"].map(|name| table.column(name).unwrap().values.to_real());
    let Values::Column(scores) = &outputs[0].1 else { panic!("score is a column") };
    for (row, score) in scores.iter().enumerate() {
        let z = 0.05 * (bmi[row] - 26.0) + 0.02 * (bp[row] - 94.0) + 0.01 * (s5[row] * 10.0 - 46.0);
        assert!((score - (0.5 + 0.197 * z - 0.004 * z.powi(3))).abs() < 1e-13, "row {row}");
    }
    let Values::Number(mean) = outputs[1].1 else { panic!("mean_score is a number") };
    assert!((mean - scores.iter().sum::<f64>() / 442.0).abs() < 1e-13);
}

#[test]
fn the_invoice_is_exact() {
    let (program, table, schema) = load("invoice.asa", "data/invoice.csv");
    assert!(program.is_exact(&schema));
    let outputs = evaluate_exact(&program, &table).unwrap().unwrap();
    let names = ["quantity", "unit_price_yen", "discount_percent", "tax_percent"];
    let [quantity, price, discount, tax] = names.map(|name| whole(&table, name));
    let gross: i64 = (0..table.rows)
        .map(|row| quantity[row] * price[row] * (100 - discount[row]) * (100 + tax[row]))
        .sum();
    let (_, found) = outputs.iter().find(|(name, _)| name == "total_gross").unwrap();
    assert_eq!(found.as_slice(), [num_rational::BigRational::from_integer(gross.into())]);
}

#[test]
fn every_example_stays_in_its_ranges_and_prints_and_reads_back() {
    for (program, data) in [
        ("risk.asa", "data/diabetes.csv"),
        ("stats.asa", "data/diabetes.csv"),
        ("invoice.asa", "data/invoice.csv"),
    ] {
        let (program, table, schema) = load(program, data);
        assert_eq!(Program::parse(&program.to_string()).unwrap(), program);
        let ranges = ranges(&program, &schema).unwrap();
        for ((name, values), (_, id)) in
            evaluate_real(&program, &table).unwrap().iter().zip(program.outputs())
        {
            let (lo, hi) = ranges[id.0].to_f64();
            assert!(values.as_slice().iter().all(|value| (lo..=hi).contains(value)), "{name} in {lo}..{hi}");
        }
    }
}
