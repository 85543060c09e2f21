//! What planning takes, counted: what makes it slow can't come back unseen.

use asanoha_runtime::{
    compile::{Expansion, FUNCTION_MODULUS, Op, WholeOperation, expand},
    data::{Column, ColumnValues, Schema, Table},
    plan::{PlanOptions, SchemeName, choose_telling},
    program::{Analysed, Program, specialised},
    search::SearchProgress,
};

/// Columns of 0 up to a number each.
fn schema(columns: &[(&str, i64)]) -> Schema {
    let column = |&(name, last): &(&str, i64)| Column {
        name: name.into(),
        values: ColumnValues::Whole(vec![0, last]),
    };
    let table = Table { columns: columns.iter().map(column).collect(), rows: 2 };
    Schema::from_table(&table, &[]).unwrap()
}

const COMPARED: &str = "y = p > where(x, a, c)";

#[test]
fn tables_of_one_range_prepare_it_once() {
    let schema = schema(&[("p", 65535), ("x", 1), ("a", 65535), ("c", 65535)]);
    let program = specialised(&Program::parse(COMPARED).unwrap(), &schema, false).unwrap();
    let analysed = Analysed::new(&program, &schema).unwrap();
    let graph = expand(&analysed, Expansion::Exact { modulus: FUNCTION_MODULUS }).unwrap();
    let tables = graph.nodes.iter().map(|node| match &node.operation {
        Op::Functions(_, WholeOperation::Tables(tables)) => tables.len(),
        _ => 0,
    });
    assert_eq!((tables.sum::<usize>(), graph.domains), (4, 1));
}

#[test]
fn searches_walk_few_schedules() {
    let columns = [("p", 65535), ("x", 1), ("a", 65535), ("c", 65535)];
    for (text, columns, most) in
        [(COMPARED, &columns[..], 60), ("y = x + 1", &columns[1..2], 20), ("y = a % 16", &columns[2..3], 60)]
    {
        let (schema, progress) = (schema(columns), SearchProgress::default());
        let program = Program::parse(text).unwrap();
        let choice = choose_telling(&program, &schema, &PlanOptions::default(), &progress).unwrap();
        assert!(choice.chosen.is_some());
        assert!((4..=most).contains(&progress.schedules()), "{text}: {progress}");
        assert!(progress.to_string().contains(" schedules tried, now "), "{progress}");
        let schemes = [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks]
            .map(|scheme| scheme.to_string().to_uppercase());
        assert!(schemes.iter().any(|scheme| progress.to_string().contains(scheme)), "{progress}");
    }
}
