//! Functions of encrypted whole numbers: `//`, `%`, comparisons, `where`, `min`, `max`, `abs`, tables.

use asanoha_kernels::Backend;
use asanoha_planner::{
    choose::{PlanningError, Wishes, choose},
    circuit::{FUNCTION_MODULUS, Instruction},
    data::{Column, ColumnValues, Schema, Table, parse_range_override},
    execute,
    plan::{Plan, Scheme},
    program::Program,
};
use asanoha_ring::{Sampler, Seed};

fn wishes() -> Wishes {
    Wishes {
        scheme: None,
        security: 128,
        precision_bits: 20,
        backend: Backend::detect().unwrap(),
        threads: 2,
    }
}

fn table(columns: &[(&str, &[i64])]) -> Table {
    let column = |&(name, values): &(&str, &[i64])| Column {
        name: name.into(),
        values: ColumnValues::Whole(values.to_vec()),
    };
    Table { columns: columns.iter().map(column).collect(), rows: columns[0].1.len() }
}

fn plan(text: &str, table: &Table, ranges: &[&str]) -> Result<Plan, PlanningError> {
    let declared: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(table, &declared).unwrap();
    choose(&Program::parse(text).unwrap(), &schema, &wishes())?.into_plan(&wishes())
}

/// Runs a program encrypted and holds it against the plain computation and the plan.
fn assert_exact(text: &str, table: &Table, ranges: &[&str]) -> Plan {
    let plan = plan(text, table, ranges).unwrap();
    assert_eq!(plan.params.scheme(), Scheme::Bgv);
    assert_eq!(plan.params.plaintext_modulus(), Some(&FUNCTION_MODULUS.into()));
    let mut sampler = Sampler::new(&Seed([5; 32]));
    let keys = execute::generate_keys(&plan, &mut sampler);
    let inputs = execute::encrypt(&plan, &keys.public, table, &mut sampler).unwrap();
    let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &|_, _| ()).unwrap();
    let decrypted = execute::decrypt(&plan, keys.secret.as_ref().unwrap(), &outputs).unwrap();
    let expected = plan.program.evaluate_exact(table).unwrap().unwrap();
    assert_eq!(decrypted.exact.unwrap(), expected, "{text}");
    let predicted = plan.circuit.outputs.iter().map(|output| plan.circuit.steps[output.step].noise_bits);
    let predicted = predicted.fold(f64::NEG_INFINITY, f64::max);
    assert!((decrypted.noise.predicted_bits - predicted).abs() < 1e-6, "{text}");
    let measured = execute::measure_noise(&plan, keys.secret.as_ref().unwrap(), &outputs, table).unwrap();
    assert!(measured <= decrypted.noise.predicted_bits);
    plan
}

#[test]
fn small_signed_numbers_are_compared_divided_and_looked_up() {
    let data = table(&[("x", &[3, -4, 0, 2, -1]), ("y", &[2, 3, -3, -4, 1])]);
    let text = "q = x // y\nr = x % y\nless = x < y\nm = max(x, y, -2)\nw = where(x >= y, x * y, 7)\n\
                t = table(abs(x), [9, -8, 7, -6, 5])\ns = sum(where(x != 2, y, 0))";
    let plan = assert_exact(text, &data, &[]);
    let functions =
        plan.circuit.steps.iter().filter(|step| matches!(step.instruction, Instruction::Function { .. }));
    assert!(functions.count() >= 6);
}
