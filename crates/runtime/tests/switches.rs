//! Where plans switch down: against the schedule that the noise alone asks for, and against all others of small programs.

use std::{collections::BTreeMap, path::Path};

use asanoha_kernels::Backend;
use asanoha_lattice::Level;
use asanoha_ring::{Sampler, Seed};
use asanoha_runtime::{
    compile::{Circuit, Instruction, Layout, LevelOp, Op},
    data::{Column, ColumnValues, Schema, Table, read_table},
    execute,
    plan::{Plan, PlanOptions, SchemeName, choose},
    precision::Precision,
    program::{Program, Shape, evaluate_exact},
    search::{ScheduleHints, cost::evaluation_work, schedule_at},
};
use asanoha_scheme::Work;

fn table(rows: i64) -> Table {
    let column = |name: &str, factor: i64| Column {
        name: name.into(),
        values: ColumnValues::Whole((0..rows).map(|row| row * factor % 31).collect()),
    };
    Table { columns: vec![column("a", 7), column("b", 11), column("c", 5)], rows: rows as usize }
}

fn plan(text: &str, data: &Table, scheme: SchemeName) -> Plan {
    let options = PlanOptions {
        scheme: Some(scheme),
        security: 128,
        precision: Precision::Relative { bits: 20 },
        backend: Backend::detect().unwrap(),
        threads: 2,
        ..PlanOptions::default()
    };
    let schema = Schema::from_table(data, &[]).unwrap();
    choose(&Program::parse(text).unwrap(), &schema, &options).unwrap().into_plan(&options).unwrap()
}

/// The schedule of a plan's program at its parameters, with operations lowered to some levels.
fn at_levels(plan: &Plan, levels: BTreeMap<usize, Level>) -> Option<Circuit> {
    let hints = ScheduleHints { levels, ..ScheduleHints::default() };
    schedule_at(&plan.program, &plan.schema, plan.precision, &plan.params, &hints).ok()
}

fn work(plan: &Plan, circuit: &Circuit) -> Work {
    evaluation_work(circuit, plan.params.scheme(), plan.params.rlwe().unwrap(), plan.layout())
}

/// Work on a machine whose transforms take as long as so many passes.
fn time(work: Work, passes: f64) -> f64 {
    work.transforms * passes + work.passes
}

/// Runs a plan encrypted, and holds the results and the noise against what they must be.
fn assert_right(plan: &Plan, data: &Table) {
    let mut sampler = Sampler::new(&Seed([9; 32]));
    let keys = execute::generate_keys(plan, &mut sampler);
    let (inputs, secrets) = execute::encrypt(plan, &keys.public, data, &mut sampler).unwrap();
    let outputs = execute::evaluate(plan, keys.evaluation.clone(), inputs, &execute::unwatched).unwrap();
    let secret = keys.secret.as_ref().unwrap();
    let decrypted = execute::decrypt(plan, secret, &outputs, &secrets).unwrap();
    assert_eq!(decrypted.exact.unwrap(), evaluate_exact(&plan.program, data).unwrap().unwrap());
    let measured = execute::measure_noise(plan, secret, &outputs, &secrets, data).unwrap();
    assert!(measured <= decrypted.noise.predicted_bits);
}

#[test]
fn examples_of_whole_numbers_cost_less_than_the_noise_alone_asks_for_and_are_right() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = std::fs::read_to_string(examples.join("invoice.asa")).unwrap();
    let program = Program::parse(&text).unwrap();
    let data = read_table(&examples.join("data/invoice.csv"), program.input_names()).unwrap();
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        let plan = plan(&text, &data, scheme);
        let plain = Plan { circuit: at_levels(&plan, BTreeMap::new()).unwrap(), ..plan.clone() };
        let [before, after] = [&plain, &plan].map(|plan| work(plan, &plan.circuit));
        let rlwe = plan.params.rlwe().unwrap();
        let bytes = [&plain, &plan].map(|plan| plan.key_levels().bytes(rlwe));
        println!("{scheme}: {before:?} {after:?}, keys {bytes:?}");
        assert!(after.transforms <= before.transforms && after.passes <= before.passes && after != before);
        assert!(bytes[1] <= bytes[0]);
        assert_right(&plan, &data);
    }
}

const PROGRAMS: [&str; 6] = [
    "x = sum(a)",
    "x = a * b * c\ny = sum(a * b)",
    "x = sum(a * b) * sum(c)",
    "x = sum(a) ** 2 + sum(a * b)",
    "x = (a * b + c) * (a - b)",
    "_p = a * b\nx = sum(_p)\ny = _p * _p",
];

/// All ways to lower the operations of a graph of few nodes.
fn every_choice(plan: &Plan, nodes: usize) -> impl Iterator<Item = BTreeMap<usize, Level>> {
    let choices = plan.params.rlwe().unwrap().max_level().0 + 1;
    (0..choices.pow(nodes as u32)).map(move |code| {
        let level = move |at: usize| Level(code / choices.pow(at as u32) % choices);
        (0..nodes).map(|at| (at, level(at))).collect()
    })
}

#[test]
fn no_other_levels_of_a_small_program_are_cheaper_on_any_machine() {
    let data = table(300);
    for text in PROGRAMS {
        for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
            let plan = plan(text, &data, scheme);
            let chosen = work(&plan, &plan.circuit);
            let nodes = plan.circuit.steps.len();
            if (plan.params.rlwe().unwrap().max_level().0 + 1).pow(nodes as u32) > 1 << 16 {
                println!("{text:?} in {scheme} has too many");
                continue;
            }
            for levels in every_choice(&plan, nodes) {
                let Some(other) = at_levels(&plan, levels.clone()) else { continue };
                let other = work(&plan, &other);
                for passes in [1.0, 4.0, 16.0] {
                    assert!(
                        time(chosen, passes) <= time(other, passes) * (1.0 + 1e-12),
                        "{text:?} in {scheme}: {chosen:?} and {other:?} at {levels:?}, chosen {:?}",
                        plan.hints.levels
                    );
                }
            }
        }
    }
}

#[test]
fn programs_that_are_switched_down_compute_what_they_are_to() {
    let data = table(300);
    for text in PROGRAMS {
        for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
            let plan = plan(text, &data, scheme);
            let plain = at_levels(&plan, BTreeMap::new()).unwrap();
            let [before, after] = [work(&plan, &plain), work(&plan, &plan.circuit)];
            println!("{scheme} {text:?}: {before:?} {after:?} {:?}", plan.hints.levels);
            assert!(after.transforms <= before.transforms && after.passes <= before.passes);
            assert_right(&plan, &data);
        }
    }
}

#[test]
fn ciphertexts_are_added_up_before_their_sum_is_switched_and_rotated() {
    let data = table(100_000);
    for scheme in [SchemeName::Bgv, SchemeName::Bfv] {
        let plan = plan("n = sum(a % 13)\ns = sum(a)\n", &data, scheme);
        assert!(plan.layout().chunks() > 3);
        let steps = &plan.circuit.steps;
        let highest = plan.params.rlwe().unwrap().max_level();
        for step in steps {
            if let Op::Sum(a, _) = step.instruction {
                assert_eq!(steps[a].shape, Shape::Number);
                assert!(scheme == SchemeName::Bfv || 2 * step.level.0 < highest.0, "{:?}", step.level);
            }
        }
        assert_eq!(
            steps.iter().filter(|step| matches!(step.instruction, Op::Own(LevelOp::Total(_)))).count(),
            2
        );
        assert_right(&plan, &data);
    }
}

#[test]
fn products_before_a_switch_are_relinearised_to_its_level() {
    let plan = plan("x = a * b * c * a", &table(300), SchemeName::Bgv);
    let merged = |instruction: &Instruction| matches!(instruction, Op::Own(LevelOp::MulTo(..)));
    assert!(plan.circuit.any(merged));
    for step in &plan.circuit.steps {
        if let Op::Own(LevelOp::SwitchTo(a, _)) = step.instruction {
            let users = plan.circuit.steps.iter().flat_map(|step| step.instruction.operands());
            let is_product = matches!(plan.circuit.steps[a].instruction, Op::Mul(..));
            let outputs = plan.circuit.outputs.iter().filter(|output| output.step == a).count();
            assert!(!is_product || users.filter(|user| *user == a).count() + outputs > 1);
        }
    }
    assert_eq!(Layout::new(300, plan.params.slots()), plan.layout());
}
