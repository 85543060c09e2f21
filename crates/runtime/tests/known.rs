//! What the ranges of the columns tell isn't computed: comparisons of ranges that don't overlap, and choices by them.

use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    compile::{Instruction, LevelOp, Op},
    data::{Column, ColumnValues, Schema, Table, parse_range_override},
    execute::{self, ExecuteError, unwatched},
    plan::{Plan, PlanOptions, SchemeName, choose},
    program::{Program, evaluate_real},
};

const SCHEMES: [SchemeName; 4] = [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks, SchemeName::Tfhe];

fn table() -> Table {
    let column = |name: &str, values: &[i64]| Column {
        name: name.to_owned(),
        values: ColumnValues::Whole(values.to_vec()),
    };
    let columns = vec![
        column("low", &[0, 3, 7]),
        column("edge", &[7, 8, 9]),
        column("high", &[1_700_000_000, 1_700_000_123, 1_700_012_345]),
        column("below", &[-9, -5, -2]),
        column("g", &[0, 1, 1]),
    ];
    Table { columns, rows: 3 }
}

fn plan(text: &str, scheme: Option<SchemeName>) -> Plan {
    let ranges = ["low=0:7", "edge=7:9", "high=1700000000:1700100000", "below=-9:-2", "g=0:1"];
    let ranges = ranges.map(|range| parse_range_override(range).unwrap());
    let program = Program::parse(text).unwrap();
    let names = program.input_names();
    let columns = table().columns.into_iter().filter(|column| names.contains(&column.name)).collect();
    let table = Table { columns, rows: 3 };
    let ranges: Vec<_> = ranges.into_iter().filter(|range| names.contains(&range.column)).collect();
    let schema = Schema::from_table(&table, &ranges).unwrap();
    let options = PlanOptions { scheme, security: 0, ..PlanOptions::default() };
    let planned = choose(&program, &schema, &options).unwrap().into_plan(&options);
    planned.unwrap_or_else(|error| panic!("{text}, {scheme:?}: {error}"))
}

/// Runs a plan, and hears that the results are those of the plain computation.
fn check(text: &str, plan: &Plan) {
    let mut sampler = Sampler::new(&Seed([4; 32]));
    let keys = execute::generate_keys(plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(plan, &keys.public, &table(), &mut sampler).unwrap();
    let outputs = execute::evaluate(plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
    let found = execute::decrypt(plan, keys.secret.as_ref().unwrap(), &outputs, &secrets);
    let found = found.unwrap_or_else(|error| panic!("{}: {text}: {error}", plan.params.scheme()));
    let right = evaluate_real(&Program::parse(text).unwrap(), &table()).unwrap();
    for (at, ((name, found), (_, right))) in found.outputs.iter().zip(&right).enumerate() {
        for (found, right) in found.as_slice().iter().zip(right.as_slice()) {
            let scheme = plan.params.scheme();
            let bound = if scheme == SchemeName::Ckks { 1e-5 * right.abs().max(1.0) } else { 0.0 };
            assert!((found - right).abs() <= bound, "{scheme}: {text}, {name} ({at}): {found} for {right}");
        }
    }
}

fn computes_functions(plan: &Plan) -> bool {
    let is_function = |instruction: &Instruction| {
        matches!(
            instruction,
            Op::Functions(..) | Op::Integers(..) | Op::Mul(..) | Op::Own(LevelOp::MulTo(..))
        )
    };
    plan.circuit.steps.iter().any(|step| is_function(&step.instruction))
}

/// Nothing but sums, in every scheme.
const TOLD: [&str; 12] = [
    "y = low > high",
    "y = low < high",
    "y = (low <= edge) + 2 * (edge >= low) + 4 * (low > edge) + low",
    "y = (low == high) + (low > high)",
    "y = (low != high) - (high > below)",
    "s = sum(low < high)\nm = mean(low > high)",
    "y = where(low > high, low, high)",
    "y = where(high > low, low + 1, g)",
    "y = max(low, high) - min(low, high)",
    "y = abs(high) + abs(below)",
    "y = max(low, 7) + min(edge, 100)",
    "y = less_than(low, high, 0.5) + low",
];

#[test]
fn what_ranges_tell_is_right_and_is_not_computed_in_any_scheme() {
    for text in TOLD {
        for scheme in SCHEMES {
            let plan = plan(text, Some(scheme));
            assert!(!computes_functions(&plan), "{scheme}: {text}");
            check(text, &plan);
        }
    }
}

#[test]
fn columns_that_only_their_ranges_tell_of_are_held_to_these() {
    for scheme in SCHEMES {
        let plan = plan("y = (low > high) + g", Some(scheme));
        let mut sampler = Sampler::new(&Seed([4; 32]));
        let keys = execute::generate_keys(&plan, &mut sampler);
        for (name, value) in [("low", 8), ("high", 3), ("high", 1_699_999_999)] {
            let mut other = table();
            let column = other.columns.iter_mut().find(|column| column.name == name).unwrap();
            let ColumnValues::Whole(values) = &mut column.values else { panic!("of whole numbers") };
            values[1] = value;
            let refused = execute::encrypt(&plan, &keys.public, &other, &mut sampler).unwrap_err();
            let is_told =
                matches!(&refused, ExecuteError::OutsideRange { column, row: 2, .. } if column == name);
            assert!(is_told, "{scheme}: {name} of {value}: {refused}");
        }
    }
}

#[test]
fn what_stands_beside_it_is_computed() {
    for text in [
        "s = sum((g == 1) * where(low > high, low, high))",
        "y = where(low < high, low % 3, high)",
        "y = (low < edge) + (low == edge)",
        "y = where(low == edge, high, low)",
    ] {
        let plan = plan(text, Some(SchemeName::Bgv));
        assert!(computes_functions(&plan), "{text}");
        check(text, &plan);
    }
}

#[test]
fn a_choice_between_amounts_and_time_stamps_is_planned_for_without_comparing_them() {
    let plan = plan("s = sum((g == 1) * where(low > high, low, high))", None);
    assert!(plan.prediction.evaluate_s < 1.0, "{:?}", plan.prediction);
}
