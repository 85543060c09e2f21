//! Programs that switch no keys: sums, and products with public values. Their parameters have no digits, so that the special
//! prime is narrow and the ring is smaller.

use asanoha_kernels::Backend;
use asanoha_lattice::EvaluationKeys;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Column, ColumnValues, Schema, Table},
    execute::{self, EncryptionKey, unwatched},
    plan::{Plan, PlanError, PlanOptions, SchemeName, SecurityCheck, choose},
    precision::Precision,
    program::Program,
};
use asanoha_scheme::Primes;
use serde_json::Value;

const COLUMNS: usize = 30;
const ROWS: usize = 569;

fn table() -> Table {
    let column = |at: usize| Column {
        name: format!("x{at}"),
        values: ColumnValues::Real(
            (0..ROWS).map(|row| ((row * (2 * at + 3)) % 997) as f64 / 249.0 - 2.0).collect(),
        ),
    };
    let whole = |name: &str, factor: i64| Column {
        name: name.to_owned(),
        values: ColumnValues::Whole((0..ROWS as i64).map(|row| row * factor % 101 - 50).collect()),
    };
    let columns = (0..COLUMNS).map(column).chain([whole("a", 7), whole("b", 12)]);
    Table { columns: columns.collect(), rows: ROWS }
}

/// A linear model of weights with many places.
fn model() -> String {
    let term = |at: usize| format!("{:.16} * x{at}", (at as f64 * 0.7311).sin() * 1.3);
    format!("score = {} + 0.2318579271", (0..COLUMNS).map(term).collect::<Vec<_>>().join(" + "))
}

fn plan(text: &str, scheme: Option<SchemeName>) -> Plan {
    let schema = Schema::from_table(&table(), &[]).unwrap();
    let options =
        PlanOptions { scheme, precision: Precision::Relative { bits: 20 }, ..PlanOptions::default() };
    choose(&Program::parse(text).unwrap(), &schema, &options).unwrap().into_plan(&options).unwrap()
}

fn digits(plan: &Plan) -> usize {
    plan.params.rlwe().unwrap().literal().digits
}

/// Runs a plan on inputs of both keys, and hears that every value is within its bound.
fn check(plan: &Plan) {
    let mut sampler = Sampler::new(&Seed([8; 32]));
    let keys = execute::generate_keys(plan, &mut sampler);
    let evaluation: &EvaluationKeys = keys.evaluation.get().expect("of a scheme with slots");
    assert_eq!(evaluation.iter().count(), 0);
    let secret = keys.secret.as_ref().unwrap();
    for key in [&keys.public, &EncryptionKey::from(secret)] {
        let (inputs, secrets) = execute::encrypt(plan, key, &table(), &mut sampler).unwrap();
        let outputs = execute::evaluate(plan, keys.evaluation.clone(), inputs, &unwatched).unwrap();
        let found = execute::decrypt(plan, secret, &outputs, &secrets).unwrap();
        let right = plan.evaluate_real(&table()).unwrap();
        let bound = found.error_bounds.map_or(0.0, |bounds| bounds[0]) + 1e-9;
        for ((name, found), (_, right)) in found.outputs.iter().zip(&right) {
            for (found, right) in found.as_slice().iter().zip(right.as_slice()) {
                assert!((found - right).abs() <= bound, "{name}: {found} for {right} ± {bound}");
            }
        }
    }
}

#[test]
fn a_linear_model_takes_the_ring_of_4096_and_no_keys() {
    let plan = plan(&model(), Some(SchemeName::Ckks));
    assert_eq!((digits(&plan), plan.params.ring_degree(), plan.params.security_bits()), (0, 1 << 12, 128));
    check(&plan);
}

#[test]
fn sums_of_exact_schemes_take_no_keys_either() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        let plan = plan("y = 3 * a - b + 7", Some(scheme));
        assert_eq!(digits(&plan), 0);
        check(&plan);
    }
}

/// Sets the digits of a plan's parameters to 0 and the special primes to a narrow one, and takes out the tiers.
fn without_digits(value: &mut Value, special: u64) {
    match value {
        Value::Object(fields) => {
            if fields.contains_key("p_primes") {
                fields["digits"] = 0.into();
                fields["p_primes"] = vec![special].into();
                fields.remove("tiers");
            }
            fields.values_mut().for_each(|value| without_digits(value, special));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| without_digits(value, special)),
        _ => {}
    }
}

#[test]
fn what_switches_keys_has_digits_and_is_refused_at_parameters_without() {
    for scheme in [SchemeName::Bgv, SchemeName::Bfv, SchemeName::Ckks] {
        for text in ["y = a * b", "y = sum(a)", "y = mean(a) * 3"] {
            let plan = plan(text, Some(scheme));
            assert_ne!(digits(&plan), 0, "{scheme}: {text}");
            let mut edited: Value = serde_json::from_str(&plan.to_json()).unwrap();
            let special = Primes::new(plan.params.ring_degree(), &[]).below(24, 1).unwrap();
            without_digits(&mut edited, special);
            let edited = edited.to_string();
            let backend = Backend::detect().unwrap();
            let refused = Plan::from_json(edited.as_bytes(), "plan", SecurityCheck::Required, backend);
            let is_unsound = matches!(refused, Err(PlanError::Unsound { .. }));
            assert!(is_unsound, "{scheme}: {text}");
        }
    }
}
