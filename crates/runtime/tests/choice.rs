//! Which scheme is chosen where none is asked for.

use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    plan::{PlanOptions, SchemeName, choose, choose_telling},
    program::Program,
    search::SearchProgress,
};

/// The chosen scheme for a program of two whole columns of 442 rows.
fn chosen(text: &str) -> SchemeName {
    let column =
        |name: &str| format!(r#"{{"name": "{name}", "whole": true, "range": {{"lo": "0", "hi": "7"}}}}"#);
    let schema = format!(r#"{{"rows": 442, "columns": [{}, {}]}}"#, column("a"), column("b"));
    let schema = Schema::from_json(schema.as_bytes(), "schema").unwrap();
    let options = PlanOptions::default();
    let choice = choose(&Program::parse(text).unwrap(), &schema, &options).unwrap();
    choice.into_plan(&options).unwrap().params.scheme()
}

/// A regression tree of depth 2 with given leaves.
fn tree([w, x, y, z]: [&str; 4]) -> String {
    format!("y = where(a < 3, where(b < 5, {w}, {x}), where(b < 2, {y}, {z}))")
}

#[test]
fn a_tree_is_exact_however_many_places_its_leaves_have() {
    let doubles = ["168.93617021276595", "208.57142857142858", "83.397849462365585", "108.80000000000003"];
    assert_ne!(chosen(&tree(doubles)), SchemeName::Ckks);
    assert_ne!(chosen(&tree(["168.94", "208.57", "83.4", "108.8"])), SchemeName::Ckks);
    assert_ne!(chosen(&tree(["-0.93617021276595123", "0.5", "83.397849462365585", "0"])), SchemeName::Ckks);
    // What is fast is exact, however many places it has.
    assert_ne!(chosen("y = a * 0.12345678901234567 + b"), SchemeName::Ckks);
}

#[test]
fn means_of_functions_are_exact_where_exact_results_are_faster() {
    let values = (0..50).map(|row| row * 1_234_567 % 2000).collect();
    let x = Column { name: "x".to_owned(), values: ColumnValues::Decimal { values, places: 2 } };
    let table = Table { columns: vec![x], rows: 50 };
    let (schema, options) = (Schema::from_table(&table, &[]).unwrap(), PlanOptions::default());
    for text in ["y = mean(x > 4)", "y = mean(max(x, 4))", "y = mean(round(x))"] {
        let program = Program::parse(text).unwrap();
        let choice = choose_telling(&program, &schema, &options, &SearchProgress::default()).unwrap();
        let plan = choice.into_plan(&options).unwrap();
        assert_ne!(plan.params.scheme(), SchemeName::Ckks, "{text}: {:?}", plan.prediction);
    }
}
