//! Programs that are too deep for any modulus: bootstrapped on CKKS.

use std::{fs, path::Path};

use asanoha_ckks::BootstrapSet;
use asanoha_kernels::Backend;
use asanoha_lattice::KeyName;
use asanoha_runtime::{
    compile::{LevelOp, Op, Step, scale_of},
    data::{Column, ColumnValues, Schema, Table, parse_range_override, read_table},
    plan::{Plan, PlanOptions, PlanningError, SchemeName, SecurityCheck, choose},
    precision::Precision,
    program::{Program, Shape, evaluate_real},
};

use crate::oracle;

/// A chain of products, one after another.
fn chain(products: usize) -> String {
    let line = |k: usize| {
        let name = if k + 1 == products { "p".to_owned() } else { format!("_p{k}") };
        let factor = if k.is_multiple_of(2) { "a" } else { "b" };
        format!("{name} = _p{} * {factor}\n", k - 1)
    };
    std::iter::once("_p0 = a * b\n".to_owned()).chain((1..products).map(line)).collect()
}

fn table() -> Table {
    let column = |name: &str, values: [f64; 5]| Column {
        name: name.into(),
        values: ColumnValues::Real(values.to_vec()),
    };
    let columns = vec![column("a", [1.0, 0.99, 0.5, -1.0, 0.97]), column("b", [1.0, -0.98, 1.0, 1.0, 0.999])];
    Table { columns, rows: 5 }
}

fn planned(text: &str, bits: u32, security: u32) -> Result<Plan, PlanningError> {
    planned_on(&table(), &["a=-1:1", "b=-1:1"], text, bits, security)
}

fn planned_on(
    table: &Table,
    ranges: &[&str],
    text: &str,
    bits: u32,
    security: u32,
) -> Result<Plan, PlanningError> {
    let ranges: Vec<_> = ranges.iter().map(|range| parse_range_override(range).unwrap()).collect();
    let schema = Schema::from_table(table, &ranges).unwrap();
    let options = PlanOptions {
        scheme: Some(SchemeName::Ckks),
        security,
        precision: Precision::Relative { bits },
        backend: Backend::detect().unwrap(),
        threads: 2,
        every_scheme: false,
        ..PlanOptions::default()
    };
    choose(&Program::parse(text).unwrap(), &schema, &options)?.into_plan(&options)
}

/// A plan that bootstraps, and its data.
pub(crate) fn bootstrapped_chain() -> (Plan, Table) {
    let plan = planned(&chain(60), 4, 128).unwrap();
    assert!(bootstraps(&plan) > 0);
    (plan, table())
}

fn bootstraps(plan: &Plan) -> usize {
    let is = |step: &&_| matches!(step, Op::Own(LevelOp::Bootstrap(_)));
    plan.circuit.steps.iter().map(|step| &step.instruction).filter(is).count()
}

#[test]
fn deep_chains_are_bootstrapped_where_levels_run_out() {
    let plan = planned(&chain(100), 4, 128).unwrap();
    // Eleven products between two bootstrappings: one level divides by the bound.
    let count = bootstraps(&plan);
    assert!((8..=10).contains(&count), "{count}");
    let keys: Vec<KeyName> = plan.key_levels().iter().map(|(name, _)| name).collect();
    for name in [KeyName::ToSparse, KeyName::FromSparse, KeyName::Relinearisation] {
        assert!(keys.contains(&name), "{name}");
    }
    assert!(plan.log2_failure() <= -128.0 && plan.prediction.precision_bits >= Some(4.0));
    let text = plan.to_json();
    let backend = Backend::detect().unwrap();
    let again = Plan::from_json(text.as_bytes(), "plan", SecurityCheck::Required, backend).unwrap();
    assert_eq!(again.circuit, plan.circuit);
    // A schedule without its bootstrappings is another one.
    let forged = text.replacen("\"bootstrap\": {", "\"neg\": {", 1);
    assert_ne!(forged, text);
    assert!(Plan::from_json(forged.as_bytes(), "plan", SecurityCheck::Required, backend).is_err());
    // Nor is anything bootstrapped that the program doesn't have.
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    file["derivation"]["bootstraps"].as_array_mut().unwrap().push(1_000_000.into());
    let refused = Plan::from_json(file.to_string().as_bytes(), "plan", SecurityCheck::Required, backend);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("no operation 1000000 to bootstrap"), "{refused}");
    // Bits are bootstrapped otherwise than numbers.
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let literal = serde_json::to_value(BootstrapSet::Bits.literal().unwrap()).unwrap();
    for (name, part) in literal.as_object().unwrap() {
        assert!(file["params"][name].is_object() || name == "log2_scale");
        file["params"][name] = part.clone();
    }
    let refused = Plan::from_json(file.to_string().as_bytes(), "plan", SecurityCheck::Required, backend);
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("too few primes"), "{refused}");
}

/// The example that is trained on encrypted rows, on the rows from `examples/data`.
fn training(bits: u32) -> (Plan, Table) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = fs::read_to_string(examples.join("training.asa")).unwrap();
    let program = Program::parse(&text).unwrap();
    let table = read_table(&examples.join("data/diabetes.csv"), program.input_names()).unwrap();
    let ranges: Vec<&str> =
        text.split_whitespace().filter(|word| word.contains(':') && word.contains('=')).collect();
    assert_eq!(ranges.len(), 3);
    (planned_on(&table, &ranges, &text, bits, 128).unwrap(), table)
}

#[test]
fn training_bootstraps_no_more_than_one_value_an_epoch() {
    let (plan, _) = training(6);
    let count = bootstraps(&plan);
    assert!((5..=9).contains(&count), "{count}");
}

#[test]
#[ignore = "slow"]
fn training_on_encrypted_rows_gives_what_it_gives_in_the_clear() {
    let (plan, table) = training(6);
    let decrypted = oracle::run(&plan, &table, 6);
    let expected = evaluate_real(&plan.program, &table).unwrap();
    let bounds = decrypted.error_bounds.as_ref().unwrap();
    assert_eq!(decrypted.outputs.len(), 3);
    for (((name, found), (_, expected)), bound) in decrypted.outputs.iter().zip(&expected).zip(bounds) {
        let off = (found.as_slice()[0] - expected.as_slice()[0]).abs();
        assert!(off <= *bound && *bound <= 0.25 && off < 0.005, "{name}: {off} of {bound}");
    }
}

/// Noise that was absorbed isn't forgotten: it comes back with the slope of the function, though not with more.
#[test]
fn noise_goes_through_a_smooth_function_with_its_slope() {
    let plan = planned("y = exp(a * b)", 10, 128).unwrap();
    let params: &asanoha_ckks::Ckks = plan.params.get().expect("it's CKKS");
    let circuit = &plan.circuit;
    let noise = |at: usize| circuit.steps[at].noise_bits - scale_of(circuit, params, at).log2();
    let absorbed: Vec<(usize, usize)> = (0..circuit.steps.len())
        .filter_map(|at| match circuit.steps[at].instruction {
            Op::AbsorbNoise { a, .. } => Some((a, at)),
            _ => None,
        })
        .collect();
    let [(before, begin), (computed, end)] = absorbed[..] else { panic!("{absorbed:?}") };
    assert!(noise(begin) < noise(before) - 10.0);
    // e^x goes up to e, of which a node holds a quarter.
    let steepest = (1f64.exp() / 4.0).log2();
    assert!(noise(end) >= noise(before) + steepest && noise(end) >= noise(computed));
    let both = (noise(computed).exp2() + noise(before).exp2() * (steepest + 0.2).exp2()).log2();
    assert!(noise(end) <= both, "{} {both}", noise(end));
}

#[test]
fn a_number_is_bootstrapped_rather_than_a_column_of_many_ciphertexts() {
    // A column of three ciphertexts, and powers of its mean; its mean is made of a deep column.
    let rows = 70_000;
    let values = (0..rows).map(|row| 0.9 + 0.1 * f64::from(row % 10) / 10.0).collect();
    let column = Column { name: "a".into(), values: ColumnValues::Real(values) };
    let table = Table { columns: vec![column], rows: rows as usize };
    let powers = |from: &str, count: usize| {
        let line = |k: usize| format!("_{from}{} = _{from}{k} * _{from}0\n", k + 1);
        (0..count).map(line).collect::<String>()
    };
    let text = format!("_x0 = a\n{}_m0 = mean(_x8)\n{}y = mean(a * _m60)", powers("x", 8), powers("m", 60));
    let plan = planned_on(&table, &["a=-1:1"], &text, 2, 128).unwrap();
    let of = |step: &Step| match step.instruction {
        Op::Own(LevelOp::Bootstrap(a)) => Some(plan.circuit.steps[a].shape),
        _ => None,
    };
    let shapes: Vec<Shape> = plan.circuit.steps.iter().filter_map(of).collect();
    assert!(!shapes.is_empty() && shapes.iter().all(|shape| *shape == Shape::Number), "{shapes:?}");
}

#[test]
fn bootstrapping_is_taken_where_it_takes_less_than_a_larger_ring() {
    // Seventy levels of 40 bits would fit a ring of 2^17, where every product takes longer.
    let deep = planned(&chain(60), 4, 128).unwrap();
    assert!(bootstraps(&deep) > 0 && deep.params.rlwe().unwrap().ring_degree() == 1 << 16);
    // One bootstrapping would take longer than all of this.
    let shallow = planned(&chain(30), 4, 128).unwrap();
    assert_eq!(bootstraps(&shallow), 0);
}

#[test]
fn what_bootstrapping_can_t_do_is_refused() {
    let refused = planned(&chain(100), 16, 128).unwrap_err().to_string();
    assert!(refused.contains("bits are missing"), "{refused}");
    let refused = planned(&chain(100), 4, 192).unwrap_err().to_string();
    assert!(refused.contains("192-bit security"), "{refused}");
}

#[test]
#[ignore = "slow"]
fn a_chain_of_a_hundred_products_stays_within_its_error() {
    let plan = planned(&chain(100), 4, 128).unwrap();
    let decrypted = oracle::run(&plan, &table(), 5);
    let wrong = oracle::wrong(&plan, &table(), Precision::Relative { bits: 4 }, &decrypted);
    assert!(wrong.is_none(), "{wrong:?}");
}
