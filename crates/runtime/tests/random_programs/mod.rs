//! Random programs on random data, encrypted, against plain numbers: every result is what its plan promises, or the
//! program is refused.
//!
//! `ASANOHA_PROGRAMS=first:count` runs others than the slow tests' own, `ASANOHA_REFUSALS=1` prints every refused program.

mod author;
mod python;
pub(crate) mod random;
mod tables;
mod wild;

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use asanoha_kernels::Backend;
use asanoha_runtime::{
    data::{Data, Missing, Reading, Schema, Table, parse_range_override, read_csv},
    execute::ExecuteError,
    plan::{Plan, PlanOptions, PlanningError, SchemeName, choose},
    precision::Precision,
    program::{Program, ProgramError, Values, Weights, parse_number, parse_with, ranges},
};
use num_rational::BigRational;

use crate::oracle;
use python::{Python, Right};

/// Programs of larger rings take seconds each; they're counted and not run.
const LARGEST_RING: usize = 1 << 15;
/// And those that are predicted to take longer.
const LONGEST_S: f64 = 4.0;
const LONGEST_REDUCED_S: f64 = 0.5;

/// Programs of this seed and later ones are mixed ones and such of decimals.
pub(crate) const MIXED: u64 = 1_000_000;
/// And of this one those on tables as people have them.
pub(crate) const WILD: u64 = 2_000_000;

/// A program with its data, as a person would bring them.
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) csv: String,
    pub(crate) ranges: Vec<String>,
    /// The weights `@w`.
    pub(crate) weights: Vec<(String, &'static str)>,
    pub(crate) precision: Precision,
    pub(crate) scheme: Option<SchemeName>,
    pub(crate) missing: Missing,
    /// How many rows more than there are the plan is for.
    pub(crate) fewer: usize,
}

pub(crate) fn case(seed: u64) -> Case {
    if seed < WILD { author::case(seed) } else { wild::case(seed) }
}

/// How a program ended.
enum End {
    Right(SchemeName),
    Refused(String),
    TooLong,
    Wrong(String),
}

/// A message without its figures and the names in it, so that like reasons are counted together.
pub(crate) fn reason(message: &str) -> String {
    let mut ends_at = None;
    let mut text = String::new();
    for c in message.chars().take(400) {
        match (ends_at, c) {
            (Some(end), c) if c == end => ends_at = None,
            (Some(_), _) => {}
            (None, '`' | '"') => {
                ends_at = Some(c);
                text.push('…');
            }
            (None, '(') => ends_at = Some(')'),
            _ if c.is_ascii_digit() => {}
            _ => text.push(c),
        }
    }
    text
}

/// Plans a case for a scheme, or says why there's no plan.
pub(crate) fn planned(
    case: &Case,
    program: &Program,
    data: &Table,
    scheme: Option<SchemeName>,
    security: u32,
) -> Result<Plan, String> {
    let declared = case.ranges.iter().map(|range| parse_range_override(range).unwrap());
    let declared: Vec<_> = declared.filter(|range| data.column(&range.column).is_some()).collect();
    let mut schema = Schema::from_table(data, &declared).map_err(|error| format!("schema: {error}"))?;
    schema.rows += case.fewer;
    let options = PlanOptions {
        scheme,
        security,
        // That of the golden plans.
        failure_bits: Some(96),
        precision: case.precision,
        backend: Backend::detect().unwrap(),
        threads: 1,
        fewer_rows: case.fewer > 0,
        every_scheme: false,
        ..PlanOptions::default()
    };
    choose(program, &schema, &options).and_then(|choice| choice.into_plan(&options)).map_err(|error| {
        match error {
            PlanningError::NotFeasible { reason, .. } => reason.to_string(),
            error => error.to_string(),
        }
    })
}

/// A case's program, with its weights.
pub(crate) fn parsed(case: &Case) -> Result<Program, ProgramError> {
    let (names, values) =
        case.weights.iter().map(|(name, value)| (name.clone(), parse_number(value).unwrap())).unzip();
    let weights = BTreeMap::from([("w".to_owned(), Weights { names: Some(names), values })]);
    parse_with(&case.text, &weights)
}

fn run(seed: u64, security: u32, python: &mut Option<Python>) -> End {
    let case = case(seed);
    let program = match parsed(&case) {
        Ok(program) => program,
        Err(error) => return End::Refused(format!("program: {}", error.message)),
    };
    let reading = Reading { missing: case.missing, ..Reading::default() };
    let data = match Data::from_reader(case.csv.as_bytes(), "random.csv", program.input_names(), &reading) {
        Ok(data) => data.table,
        Err(error) if seed >= WILD => return End::Refused(format!("data: {error}")),
        Err(error) => return End::Wrong(format!("the data are refused: {error}")),
    };
    let plan = planned(&case, &program, &data, case.scheme, security)
        .and_then(|plan| plan.for_rows(data.rows).map_err(|error| format!("rows: {error}")));
    let plan = match plan {
        Ok(plan) => plan,
        Err(reason) => return End::Refused(reason),
    };
    let chosen = plan.params.scheme();
    let has_decimals = plan.schema.columns.iter().any(|column| column.places > 0);
    if program.is_exact(&plan.schema) && !has_decimals && case.scheme.is_none() && chosen == SchemeName::Ckks
    {
        return End::Wrong("whole numbers are approximated unasked".to_owned());
    }
    let longest = if security == 0 { LONGEST_REDUCED_S } else { LONGEST_S };
    if plan.params.ring_degree() > LARGEST_RING || plan.prediction.evaluate_s > longest {
        return End::TooLong;
    }
    let decrypted = match oracle::try_run(&plan, &data, seed as u8) {
        Ok(decrypted) => decrypted,
        Err(error @ (ExecuteError::Scheme(_) | ExecuteError::Tfhe(_))) => {
            return End::Wrong(format!("{chosen}: {error}"));
        }
        Err(error) => return End::Refused(format!("encryption: {error}")),
    };
    if seed < WILD
        && let Some(wrong) = oracle::wrong(&plan, &data, case.precision, &decrypted)
    {
        return End::Wrong(format!("{chosen}: {wrong}"));
    }
    let Some(python) = python else { return End::Right(chosen) };
    let wrong = match python.right(&case, &program, &plan.schema) {
        Right::Outputs(right) => python::wrong(&right, &program, &decrypted),
        Right::Refuse(why) => Some(format!("answered, and should be refused: {why}")),
    };
    wrong.map_or(End::Right(chosen), |wrong| End::Wrong(format!("{chosen}: {wrong}")))
}

/// What is printed of a program that went wrong.
fn described(seed: u64) -> String {
    let Case { text, csv, ranges, weights, precision, scheme, missing, fewer } = case(seed);
    format!("{text}{csv}{ranges:?}, {weights:?}, {precision}, {scheme:?}, {missing:?}, {fewer} rows fewer\n")
}

/// Runs programs on two threads and says how they ended; the seeds of the first programs that went wrong. Security 0 is for
/// reduced rings.
fn run_all(first: u64, count: u64, security: u32) -> Vec<u64> {
    let next = AtomicU64::new(first);
    let ends: Mutex<BTreeMap<String, u64>> = Mutex::default();
    let bad: Mutex<Vec<u64>> = Mutex::default();
    let tells_refusals = std::env::var_os("ASANOHA_REFUSALS").is_some();
    let work = || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let mut python = Python::start();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                return;
            }
            let end = catch_unwind(AssertUnwindSafe(|| pool.install(|| run(seed, security, &mut python))));
            let end = match end {
                Ok(End::Right(scheme)) => format!("right: {scheme}"),
                Ok(End::Refused(why)) => {
                    if tells_refusals {
                        println!("seed {seed}: refused: {why}\n{}", described(seed));
                    }
                    format!("refused: {}", reason(&why))
                }
                Ok(End::TooLong) => "not run: it would take long".to_owned(),
                Ok(End::Wrong(wrong)) => {
                    println!("seed {seed}: WRONG: {wrong}\n{}", described(seed));
                    bad.lock().unwrap().push(seed);
                    "WRONG".to_owned()
                }
                Err(_) => {
                    println!("seed {seed}: CRASHED\n{}", described(seed));
                    bad.lock().unwrap().push(seed);
                    "CRASHED".to_owned()
                }
            };
            *ends.lock().unwrap().entry(end).or_default() += 1;
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let ends = ends.into_inner().unwrap();
    println!("of {count} programs:");
    ends.iter().for_each(|(end, count)| println!("{count:6} {}", end.chars().take(160).collect::<String>()));
    let of =
        |kind| -> u64 { ends.iter().filter(|(end, _)| end.starts_with(kind)).map(|(_, count)| count).sum() };
    // How many would take long depends on the machine and on what else it does.
    let (right, long) = (of("right"), of("not run"));
    assert!(
        right > 0 && 3 * (right + long) > count,
        "only {right} of {count} programs ran, {long} take long"
    );
    bad.into_inner().unwrap()
}

/// The programs that `ASANOHA_PROGRAMS` asks for, or others.
fn asked(first: u64, count: u64) -> (u64, u64) {
    std::env::var("ASANOHA_PROGRAMS").map_or((first, count), |text| {
        let (first, count) = text.split_once(':').expect("first:count");
        (first.parse().expect("a seed"), count.parse().expect("a number of programs"))
    })
}

#[test]
fn random_programs_keep_what_their_plans_promise() {
    assert_eq!(run_all(0, 30, 128), [0u64; 0]);
    assert_eq!(run_all(MIXED, 20, 128), [0u64; 0]);
}

#[test]
fn random_programs_on_tables_as_people_have_them_agree_with_python() {
    assert_eq!(run_all(WILD, 100, 0), [0u64; 0]);
}

#[test]
#[ignore = "slow"]
fn two_thousand_random_programs_keep_what_their_plans_promise() {
    let (first, count) = asked(1000, 2000);
    assert_eq!(run_all(first, count, 128), [0u64; 0]);
}

#[test]
#[ignore = "slow"]
fn random_programs_of_mixed_columns_and_decimals_keep_what_their_plans_promise() {
    assert_eq!(run_all(MIXED + 1000, 600, 128), [0u64; 0]);
}

#[test]
#[ignore = "slow"]
fn twenty_thousand_random_programs_agree_with_python() {
    let (first, count) = asked(WILD + 10_000, 20_000);
    assert_eq!(run_all(first, count, 0), [0u64; 0]);
}

#[test]
#[ignore = "slow"]
fn five_hundred_random_programs_agree_with_python_at_full_security() {
    let (first, count) = asked(WILD + 100_000, 500);
    assert_eq!(run_all(first, count, 128), [0u64; 0]);
}

#[test]
fn a_result_that_is_off_by_a_little_more_than_promised_is_found() {
    let precision = Precision::Relative { bits: 20 };
    let program = Program::parse("a = x * x + 0.25 * y\nb = sum(x)").unwrap();
    for (csv, exact) in [("x,y\n1.5e-3,2e-3\n7e-4,1e-3\n", false), ("x,y\n15,2\n7,1\n", true)] {
        let table = read_csv(csv.as_bytes(), "d.csv", program.input_names()).unwrap();
        let schema = Schema::from_table(&table, &[]).unwrap();
        let backend = Backend::detect().unwrap();
        let options = PlanOptions {
            scheme: None,
            security: 128,
            precision,
            backend,
            threads: 1,
            ..PlanOptions::default()
        };
        let plan = choose(&program, &schema, &options).unwrap().into_plan(&options).unwrap();
        let mut decrypted = oracle::run(&plan, &table, 1);
        assert_eq!(oracle::wrong(&plan, &table, precision, &decrypted), None);
        let range = &ranges(&program, &schema).unwrap()[program.outputs()[0].1.0];
        // In one row of one output.
        match (&mut decrypted.exact, &mut decrypted.outputs[0].1) {
            (Some(outputs), _) if exact => {
                let Values::Column(values) = &mut outputs[0].1 else { panic!("it's a column") };
                values[1] += BigRational::new(1.into(), 4.into());
            }
            (None, Values::Column(values)) if !exact => values[1] += 2.0 * precision.tolerance(range),
            _ => panic!("whole numbers are exact, and nothing else is"),
        }
        assert!(oracle::wrong(&plan, &table, precision, &decrypted).is_some());
    }
}
