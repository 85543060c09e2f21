//! Programs on TFHE: every operation against the plain computation, and what is refused.

use asanoha_kernels::Backend;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    data::{Schema, Table, read_csv},
    execute,
    plan::{OnZero, Plan, PlanOptions, PlanParts, PlanningError, SchemeName, choose},
    precision::Precision,
    program::{Program, evaluate_exact},
    search::ScheduleHints,
};
use asanoha_tfhe::TfheLiteral;

const DATA: &str = "a,b,c,d\n0,0,-3,1\n5,3,-1,0\n7,7,2,1\n12,0,-8,1\n15,2,7,0\n";

fn plan(text: &str, data: &str, params: TfheLiteral) -> (Plan, Table) {
    let program = Program::parse(text).unwrap();
    let table = read_csv(data.as_bytes(), "d.csv", program.input_names()).unwrap();
    let parts = PlanParts {
        schema: Schema::from_table(&table, &[]).unwrap(),
        program,
        security: 128,
        failure_bits: 96,
        precision: Precision::Relative { bits: 20 },
        params: params.into(),
        hints: ScheduleHints { threads: 1, ..ScheduleHints::default() },
        on_zero: OnZero::Value,
    };
    (parts.plan(Backend::detect().unwrap(), 0.0, 0.0).unwrap(), table)
}

/// Runs a plan, and holds its results, its noise and its number of bootstrappings against what they should be.
fn check(plan: &Plan, table: &Table) {
    let mut sampler = Sampler::new(&Seed([1; 32]));
    let keys = execute::generate_keys(plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(plan, &keys.public, table, &mut sampler).unwrap();
    let outputs = execute::evaluate(plan, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
    let secret = keys.secret.as_ref().unwrap();
    let decrypted = execute::decrypt(plan, secret, &outputs, &secrets).unwrap();
    let expected = evaluate_exact(&plan.program, table).unwrap();
    assert_eq!(decrypted.exact, expected, "{}", plan.program);
    let measured = execute::measure_noise(plan, secret, &outputs, &secrets, table).unwrap();
    assert!(measured <= decrypted.noise.predicted_bits && decrypted.noise.budget_bits > 0.0);
}

#[test]
fn every_operation_is_that_of_plain_numbers() {
    for text in [
        "x = a + b\ny = a - b\nz = -a\nw = 3 * a - 2 * c + 1",
        "x = a * b\ny = a * c\nz = c**2\nw = c**3",
        "x = a / 4 + b / 6\ny = mean(a)\nz = var(c)",
        "s = sum(a)\nt = sum(c)\nu = dot(a, c)\nv = sum(a > 5) * b",
        "x = a < b\ny = a <= b\nz = a > b\nw = a >= b\nu = a == b\nv = a != b",
        "x = a < c\ny = c >= b\nz = c < 0\nw = a >= 7\nu = a == 12\nv = 5 > c\nt = c <= 100\nr = c > -100",
        "x = min(a, b)\ny = max(a, c)\nz = min(a, 6)\nw = max(c, 0)\nu = abs(c)\nv = max(a, b, c, 3)",
        "x = where(d, a, b)\ny = where(a - 5, b, c)\nz = where(d, c, 3)\nw = where(a > b, -2, a)\nu = where(d, 1, 0)",
        "x = a // b\ny = a % b\nz = c // b\nw = c % b",
        "x = a // c\ny = a % c\nz = b // c\nw = b % -3",
        "x = a // 3\ny = a % 3\nz = c // 4\nw = c % 4\nu = c // -3\nv = 20 // b\nt = 20 % b",
        "x = table(a, [3, 1, 4, 1, 5, 9, -2, 6, 5, 3, 5, 8, 9, 7, 9, 3])\ny = table(b, [-1, 1000, 7, 4, 0, 0, 0, 2])",
        "x = table2(b, d, [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12], [13, 14], [15, 16]])",
    ] {
        let (plan, table) = plan(text, DATA, TfheLiteral::message_2_carry_2_insecure());
        check(&plan, &table);
    }
}

#[test]
fn what_integers_cannot_do_is_refused_with_the_reason() {
    for (text, data, says) in [
        ("y = x**40", "x\n1000\n", "TFHE's integers have up to 126"),
        ("y = x + 1", "x\n1.5e0\n", "aren't whole numbers"),
        ("y = exp(x)", "x\n1\n", "approximated"),
        ("y = mean(x) > 1", "x\n1\n4\n", "an operand may be a fraction"),
    ] {
        let program = Program::parse(text).unwrap();
        let table = read_csv(data.as_bytes(), "d.csv", program.input_names()).unwrap();
        let schema = Schema::from_table(&table, &[]).unwrap();
        let options = PlanOptions { scheme: Some(SchemeName::Tfhe), ..PlanOptions::default() };
        let refused = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap_err();
        let PlanningError::NotFeasible { scheme: SchemeName::Tfhe, reason } = refused else {
            panic!("{refused}")
        };
        assert!(reason.to_string().contains(says), "{reason}");
    }
}
