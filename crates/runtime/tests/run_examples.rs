//! The examples, planned and run encrypted.

use std::path::{Path, PathBuf};

use asanoha_kernels::Backend;
use asanoha_ring::Sampler;
use asanoha_runtime::{
    data::{Schema, Table, read_table},
    execute::{self, Decrypted},
    plan::{Plan, PlanOptions, SchemeName, choose, choose_telling},
    precision::Precision,
    program::{Program, evaluate_exact, evaluate_real},
    search::SearchProgress,
};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn options(scheme: Option<SchemeName>) -> PlanOptions {
    PlanOptions {
        scheme,
        security: 128,
        precision: Precision::Relative { bits: 20 },
        backend: Backend::detect().unwrap(),
        threads: 2,
        ..PlanOptions::default()
    }
}

fn run(text: &str, data: &str, scheme: Option<SchemeName>) -> (Plan, Table, Decrypted) {
    let program = Program::parse(text).unwrap();
    let table = read_table(&examples().join("data").join(data), program.input_names()).unwrap();
    let schema = Schema::from_table(&table, &[]).unwrap();
    let options = options(scheme);
    let choice = choose_telling(&program, &schema, &options, &SearchProgress::default()).unwrap();
    let plan = choice.into_plan(&options).unwrap();
    let mut sampler = Sampler::from_os();
    let keys = execute::generate_keys(&plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(&plan, &keys.public, &table, &mut sampler).unwrap();
    let outputs = execute::evaluate(&plan, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
    let secret = keys.secret.as_ref().unwrap();
    let decrypted = execute::decrypt(&plan, secret, &outputs, &secrets).unwrap();
    let measured = execute::measure_noise(&plan, secret, &outputs, &secrets, &table).unwrap();
    assert!(measured <= decrypted.noise.predicted_bits);
    (plan, table, decrypted)
}

fn largest_error(plan: &Plan, table: &Table, decrypted: &Decrypted) -> f64 {
    let expected = evaluate_real(&plan.program, table).unwrap();
    let mut largest = 0.0f64;
    for ((name, found), (other, exact)) in decrypted.outputs.iter().zip(&expected) {
        assert_eq!(name, other);
        assert_eq!(found.as_slice().len(), exact.as_slice().len());
        for (found, exact) in found.as_slice().iter().zip(exact.as_slice()) {
            largest = largest.max((found - exact).abs() / exact.abs().max(1.0));
        }
    }
    largest
}

fn example(name: &str) -> String {
    std::fs::read_to_string(examples().join(name)).unwrap()
}

#[test]
fn risk_scores_of_real_patients_are_exact_and_right_to_eighteen_bits_when_asked() {
    let (plan, table, decrypted) = run(&example("risk.asa"), "diabetes.csv", Some(SchemeName::Bgv));
    assert_eq!(decrypted.exact, evaluate_exact(&plan.program, &table).unwrap());
    let (plan, ..) = run(&example("risk.asa"), "diabetes.csv", None);
    assert_eq!(plan.params.scheme(), SchemeName::Bgv);
    let (plan, table, decrypted) = run(&example("risk.asa"), "diabetes.csv", Some(SchemeName::Ckks));
    assert!(plan.params.security_bits() >= 128);
    assert_eq!(decrypted.outputs[0].1.as_slice().len(), 442);
    assert!(largest_error(&plan, &table, &decrypted) < 2f64.powi(-18));
    assert!(decrypted.noise.budget_bits > 0.0);
}

#[test]
fn invoices_are_exact_in_bgv_and_bfv_and_precise_in_ckks() {
    for (asked, taken) in [(None, SchemeName::Bgv), (Some(SchemeName::Bfv), SchemeName::Bfv)] {
        let (plan, table, decrypted) = run(&example("invoice.asa"), "invoice.csv", asked);
        assert_eq!(plan.params.scheme(), taken);
        let expected = evaluate_exact(&plan.program, &table).unwrap().unwrap();
        assert_eq!(decrypted.exact.unwrap(), expected);
        assert!(decrypted.noise.budget_bits > 0.0);
    }

    let (plan, table, decrypted) = run(&example("invoice.asa"), "invoice.csv", Some(SchemeName::Ckks));
    assert_eq!(plan.params.scheme(), SchemeName::Ckks);
    // Twenty bits are promised of the power of two above all that there could be: of the values themselves it's fewer.
    assert!(largest_error(&plan, &table, &decrypted) < 2f64.powi(-16));
    let bounds = decrypted.error_bounds.as_ref().unwrap();
    let expected = evaluate_real(&plan.program, &table).unwrap();
    for (((_, found), (_, exact)), bound) in decrypted.outputs.iter().zip(&expected).zip(bounds) {
        let mut off =
            found.as_slice().iter().zip(exact.as_slice()).map(|(found, exact)| (found - exact).abs());
        assert!(off.all(|off| off <= *bound));
    }
}

#[test]
fn statistics_and_functions_run_on_real_columns() {
    let (plan, table, decrypted) = run(&example("stats.asa"), "diabetes.csv", None);
    assert!(largest_error(&plan, &table, &decrypted) < 2f64.powi(-16));
    let text = "p = sigmoid(0.1 * (bmi - 26) + 0.05 * (bp - 94))\nm = mean(p)\ne = exp(0.02 * (bmi - 26))";
    let (plan, table, decrypted) = run(text, "diabetes.csv", None);
    assert!(largest_error(&plan, &table, &decrypted) < 2f64.powi(-17));
}

#[test]
fn a_scheme_that_cannot_run_a_program_says_why() {
    let program = Program::parse(&example("risk.asa")).unwrap();
    let table = read_table(&examples().join("data/diabetes.csv"), program.input_names()).unwrap();
    let mut schema = Schema::from_table(&table, &[]).unwrap();
    schema.columns[0].places = 0;
    let options = options(Some(SchemeName::Bgv));
    let error = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap_err();
    assert!(error.to_string().contains("bgv can't run this program: column `bmi`"), "{error}");
}
